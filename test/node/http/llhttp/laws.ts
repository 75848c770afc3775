/**
 * The law that gate and llhttp read alike, for requests and for answers, with a count of what the drawn bytes were good
 * for.
 */

import fc from "fast-check";
import { allowedCase } from "./allowed.ts";
import { differenceOf } from "./compare.ts";
import { cuts, requestBytes, responseBytes } from "./edges.ts";
import { readByGate } from "./gate-reader.ts";
import { type Asked, readAnswer, readByRelay } from "./gate-relay.ts";
import { readByLlhttp } from "./llhttp.ts";
import type { Reading } from "./message.ts";

/** How often something was seen, by its name. */
export type Counts = Map<string, number>;

const asked: fc.Arbitrary<Asked> = fc.record({
  method: fc.constantFrom("GET", "GET", "HEAD"),
  minorVersion: fc.constantFrom(1, 1, 0),
  ends: fc.boolean(),
});

export const requestLaw = (counts: Counts) =>
  fc.property(requestBytes, cuts, (text, pieces) => {
    judge({ text, gate: readByGate(text, pieces), llhttp: readByLlhttp(text, { type: "request" }) }, counts);
  });

export const responseLaw = (counts: Counts) =>
  fc.property(responseBytes, cuts, asked, (text, pieces, how) => {
    judge({ text, gate: readByRelay(text, pieces, how), llhttp: readAnswer(text, how) }, counts);
  });

interface Readings {
  readonly text: string;
  readonly gate: Reading;
  readonly llhttp: Reading;
}

function judge({ text, gate, llhttp }: Readings, counts: Counts): void {
  const difference = differenceOf(gate, llhttp);
  const allowed = difference && allowedCase(difference, text);
  if (difference !== undefined && allowed === undefined) {
    throw new Error(
      `${difference.what}: the gate reads ${shown(difference.gate)}, llhttp reads ${shown(difference.llhttp)}`,
    );
  }
  const seen = (name: string, times = 1) => counts.set(name, (counts.get(name) ?? 0) + times);
  seen("runs");
  seen("messages that both read alike", allowed === undefined ? gate.messages.length : 0);
  if (gate.refusal !== undefined) seen(llhttp.refusal === undefined ? "refused by the gate alone" : "refused by both");
  if (allowed !== undefined) seen(`allowed: ${allowed.what}`);
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? "nothing";
}
