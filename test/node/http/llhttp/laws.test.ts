/**
 * The gate's HTTP layer against llhttp: a difference between two parsers in a row is what request smuggling is made of.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DEFAULT_HTTP_LIMITS } from "../../../../node/http/limits.ts";
import { client } from "../peer.ts";
import { proxy } from "../wire.ts";
import { ALLOWED, allowedCase } from "./allowed.ts";
import { differenceOf, endToEnd, originForm } from "./compare.ts";
import { requestBytes } from "./edges.ts";
import { readByGate } from "./gate-reader.ts";
import { readAnswer, readByRelay } from "./gate-relay.ts";
import { type Counts, requestLaw, responseLaw } from "./laws.ts";
import { readByLlhttp } from "./llhttp.ts";
import type { Message } from "./message.ts";
import { readingOrigin } from "./reading-origin.ts";

const RUNS = 4_000;

/** A request of HTTP/1.0 need not have a Host field; few of those that are drawn have none. */
const WITHOUT_HOST = "GET / HTTP/1.0\r\n\r\n";

describe("law: what the gate accepts, llhttp reads alike", () => {
  test("of requests, however the bytes arrive", () => {
    const counts: Counts = new Map();
    fc.assert(requestLaw(counts), { numRuns: RUNS });
    expect(counts.get("messages that both read alike")).toBeGreaterThan(RUNS / 4);
  });

  test("of answers, as a client reads them through the gate", () => {
    const counts: Counts = new Map();
    fc.assert(responseLaw(counts), { numRuns: RUNS });
    expect(counts.get("messages that both read alike")).toBeGreaterThan(RUNS / 4);
  });
});

test.each(ALLOWED)("$what: still read differently, so still to be listed", (allowed) => {
  const asked = { method: "GET", minorVersion: 1, ends: false } as const;
  const difference = allowed.example.startsWith("HTTP/")
    ? differenceOf(readByRelay(allowed.example, [], asked), readAnswer(allowed.example, asked))
    : differenceOf(readByGate(allowed.example, []), readByLlhttp(allowed.example, { type: "request" }));
  expect(difference && allowedCase(difference, allowed.example)).toBe(allowed);
});

test("law: an origin that reads by llhttp hears the requests that llhttp reads in the client's bytes, and no other", async () => {
  const waitedMs = DEFAULT_HTTP_LIMITS.idleMs + DEFAULT_HTTP_LIMITS.sweepMs;
  // For its own close the gate waits longer: the client then still reads the answer.
  const limits = { lingerMs: 2 * waitedMs };
  const samples = [WITHOUT_HOST, ...fc.sample(requestBytes, { numRuns: 300 })];
  let heard = 0;
  const batch = 20;
  for (let at = 0; at < samples.length; at += batch) {
    await Promise.all(
      samples.slice(at, at + batch).map(async (text) => {
        const read = readByLlhttp(text, { type: "request" });
        // Differences that are allowed are none of this law's: an origin that reads by llhttp would refuse what came.
        if (differenceOf(readByGate(text, []), read) !== undefined) return;
        const behind = readingOrigin();
        const { port, errors, listener, pass } = proxy(behind.target, { limits });
        const peer = await client(port, text);
        await pass(waitedMs);
        await peer.done();
        peer.end();
        const sent = read.messages
          .filter(({ isComplete, ...message }) => isComplete && originForm(message) !== "*")
          .map((message) => gist(withHost(message, behind.target.authority)));
        expect(behind.heard.map(gist), JSON.stringify(text)).toEqual(sent.slice(0, behind.heard.length));
        expect([behind.refusals, errors], JSON.stringify(text)).toEqual([[], []]);
        heard += behind.heard.length;
        listener.stop();
        behind.stop();
      }),
    );
  }
  // About 125 of what is drawn: the law is none about nothing.
  expect(heard).toBeGreaterThan(50);
});

/** The message as HTTP/1.1 says it: the gate names the origin's authority where the client named no host. */
function withHost(message: Message, authority: string): Message {
  const hasHost = message.fields.some((text, at) => at % 2 === 0 && text.toLowerCase() === "host");
  return hasHost ? message : { ...message, fields: ["Host", authority, ...message.fields] };
}

/** What must reach the origin. */
function gist(message: Message) {
  const { method, body, fields } = message;
  return { method, target: originForm(message), body, fields: endToEnd(fields) };
}
