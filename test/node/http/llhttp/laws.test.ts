/**
 * The gate's HTTP layer against llhttp: a difference between two parsers in a row is what request smuggling is made of.
 *
 * `RUNS=100000 npm test -- test/node/http/llhttp` draws for longer.
 */

import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { DEFAULT_HTTP_LIMITS } from "../../../../node/http/limits.ts";
import { client } from "../peer.ts";
import { proxy } from "../wire.ts";
import { ALLOWED, allowedCase } from "./allowed.ts";
import { differenceOf, endToEnd, originForm } from "./compare.ts";
import { cuts, requestBytes, responseBytes } from "./edges.ts";
import { readByGate } from "./gate-reader.ts";
import { type Asked, readAnswer, readByRelay } from "./gate-relay.ts";
import { readByLlhttp } from "./llhttp.ts";
import type { Message, Reading } from "./message.ts";
import { readingOrigin } from "./reading-origin.ts";

const RUNS = Number(process.env.RUNS ?? 4_000);

const asked: fc.Arbitrary<Asked> = fc.record({
  method: fc.constantFrom("GET", "GET", "HEAD"),
  minorVersion: fc.constantFrom(1, 1, 0),
  ends: fc.boolean(),
});

/** A request of HTTP/1.0 need not have a Host field; few of those that are drawn have none. */
const WITHOUT_HOST = "GET / HTTP/1.0\r\n\r\n";

describe("law: what the gate accepts, llhttp reads alike", () => {
  let alike = 0;

  function judge(text: string, gate: Reading, llhttp: Reading): void {
    const difference = differenceOf(gate, llhttp);
    if (difference === undefined) alike += gate.messages.length;
    else if (allowedCase(difference, text) === undefined) {
      const [ours, theirs] = [difference.gate, difference.llhttp].map((read) => JSON.stringify(read) ?? "nothing");
      throw new Error(`${difference.what}: the gate reads ${ours}, llhttp reads ${theirs}`);
    }
  }

  // A law about nothing would always hold.
  afterEach(() => {
    expect(alike).toBeGreaterThan(RUNS / 4);
    alike = 0;
  });

  test("of requests, however the bytes arrive", () => {
    const law = fc.property(requestBytes, cuts, (text, pieces) =>
      judge(text, readByGate(text, pieces), readByLlhttp(text, { type: "request" })),
    );
    fc.assert(law, { numRuns: RUNS });
  });

  test("of answers, as a client reads them through the gate", () => {
    const law = fc.property(responseBytes, cuts, asked, (text, pieces, how) =>
      judge(text, readByRelay(text, pieces, how), readAnswer(text, how)),
    );
    fc.assert(law, { numRuns: RUNS });
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
