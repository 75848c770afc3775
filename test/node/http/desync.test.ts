/** The corpus of desync-cases.ts, over real sockets: a client, the gate, and an origin that reads by llhttp. */

import { expect, test } from "vitest";
import { DEFAULT_HTTP_LIMITS } from "../../../node/http/limits.ts";
import { ANSWER_CASES, REQUEST_CASES } from "./desync-cases.ts";
import { readByLlhttp } from "./llhttp/llhttp.ts";
import { readingOrigin } from "./llhttp/reading-origin.ts";
import { ask, client, type Peer } from "./peer.ts";
import { settled } from "./settled.ts";
import { origin, proxy } from "./wire.ts";

/** All that the gate waits for is over once this much time has passed. */
const WAITED_MS = DEFAULT_HTTP_LIMITS.idleMs + DEFAULT_HTTP_LIMITS.sweepMs;

/** For its own close a gate waits longer: the client then still reads the answer. */
const limits = { lingerMs: 2 * WAITED_MS };

test.each(REQUEST_CASES)("a request with $name", async ({ bytes, heard, statuses }) => {
  const behind = readingOrigin();
  const { port, errors, pass } = proxy(behind.target, { limits });
  const peer = await client(port, bytes);
  await pass(WAITED_MS);
  const answers = readByLlhttp(await peer.done(), { type: "response", ends: true });
  expect(behind.heard.map(({ method, target, body }) => `${method} ${target} ${body}`)).toEqual(heard);
  expect(answers.messages.map(({ status }) => status).filter((status) => status >= 200)).toEqual(statuses);
  expect([answers.refusal, behind.refusals, errors]).toEqual([undefined, [], []]);
});

test.each(ANSWER_CASES)(
  "an answer: $name",
  async ({ request = "GET /a HTTP/1.1", body = "", bytes, read, isReused }) => {
    const served = new Set<Peer>();
    const behind = origin((peer) => {
      const isFirst = behind.peers[0] === peer && !served.has(peer);
      if (!peer.text.includes("\r\n\r\n") || (!isFirst && !peer.text.includes("/next "))) return;
      served.add(peer);
      peer.send(isFirst ? bytes : `HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext`);
    });
    const { port, errors, pass } = proxy(behind.target, { limits });
    const method = request.split(" ", 1)[0] ?? "";
    const first = await client(port, `${request}\r\nHost: a\r\nConnection: close\r\n\r\n${body}`);
    await settled();
    if (!first.closed && !first.ended) await pass(WAITED_MS);
    const { messages } = readByLlhttp(await first.done(), { type: "response", method });
    const [answer] = messages.filter(({ status }) => status >= 200);
    expect(`${answer?.status} ${answer?.body}${answer?.isComplete === true ? "" : " cut"}`).toMatch(
      read === "502" ? /^502 / : new RegExp(`^${read}$`),
    );
    const next = await ask(port, "GET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    expect(next).toMatch(/\r\n\r\nnext$/);
    expect(behind.peers.length).toBe(isReused ? 1 : 2);
    expect(errors).toEqual([]);
  },
);
