/**
 * Mangled requests by the hundred: whatever comes, the origin hears plain HTTP or nothing, and nothing of ours fails.
 */

import fc from "fast-check";
import { expect, test } from "vitest";
import { DEFAULT_HTTP_LIMITS as limits } from "../../../node/http/limits.ts";
import { isRefusal, parseRequestHead } from "../../../node/http/request-head.ts";
import { client } from "./peer.ts";
import { answering, eventually, proxy } from "./wire.ts";

const FIELDS = [
  "Host: a",
  "Content-Length: 4",
  "Content-Length: 0",
  "Content-Length: 4, 4",
  "Transfer-Encoding: chunked",
  "Transfer-Encoding: identity",
  "Transfer-Encoding : chunked",
  "Transfer-Encoding:\tchunked\t",
  "Connection: close",
  "Connection: keep-alive, Host, X",
  "Upgrade: websocket",
  "Expect: 100-continue",
  "X: \0",
  " folded",
  "X: a\nContent-Length: 9",
  "X: a\rHost: b",
];
const ENDS = ["\r\n", "\r\n", "\r\n", "\r\n", "\n", "\r", "\r\r\n"];
const BODIES = [
  "",
  "body",
  "4\r\nbody\r\n0\r\n\r\n",
  "0\r\n\r\n",
  '4;x="\r\nbody\r\n0\r\nHost: b\r\n\r\n',
  "GET /in HTTP/1.1\r\nHost: b\r\n\r\n",
];

const request = fc
  .record({
    line: fc.constantFrom(
      "GET / HTTP/1.1",
      "POST /a HTTP/1.1",
      "POST /a HTTP/1.0",
      "GET  / HTTP/1.1",
      "GET /\x0b HTTP/1.1",
    ),
    fields: fc.array(fc.constantFrom(...FIELDS), { maxLength: 4 }),
    ends: fc.array(fc.constantFrom(...ENDS), { minLength: 6, maxLength: 6 }),
    body: fc.constantFrom(...BODIES),
  })
  .map(({ line, fields, ends, body }) => {
    const lines = [line, "Host: a", ...fields];
    return `${lines.map((text, at) => text + (ends[at] ?? "\r\n")).join("")}\r\n${body}`;
  });

test("law: an origin hears only requests that the strict parser accepts, however the client's bytes are mangled", async () => {
  const behind = answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  const { port, errors, listener, pass } = proxy(behind.target, { limits: { lingerMs: 2 * limits.idleMs } });
  const samples = fc.sample(fc.array(request, { minLength: 1, maxLength: 3 }), { numRuns: 400, seed: 7 });
  // Some at a time: each takes four descriptors of this process.
  for (let at = 0; at < samples.length; at += 40) {
    const peers = samples.slice(at, at + 40).map((requests) => client(port, requests.join("")));
    const connected = await Promise.all(peers);
    await pass(limits.idleMs + limits.sweepMs);
    for (const peer of connected) {
      await peer.done();
      peer.end();
    }
  }
  expect(errors).toEqual([]);
  expect(behind.peers.length).toBeGreaterThan(10);
  for (const { text } of behind.peers) {
    for (const head of text.match(/(?:GET|POST) [\s\S]*?\r\n\r\n/g) ?? []) {
      const parsed = parseRequestHead(head.slice(0, -2), limits);
      expect(isRefusal(parsed), head).toBe(false);
    }
    expect(text).not.toMatch(/[^\r]\n|\r[^\n]/);
  }
  await eventually(() => listener.connections === 0);
});
