/**
 * Whether the gate and llhttp read the same bytes alike.
 *
 * The gate may refuse more, and end a connection sooner. What it accepts, llhttp must accept and read the same: method,
 * target, fields, body, where the message ends.
 */

import type { Message, Reading } from "./message.ts";

/** One thing that the two read differently, in a message that the gate accepts. */
export interface Difference {
  readonly what: string;
  readonly gate: unknown;
  readonly llhttp: unknown;
  /** The message as the gate reads it, and as llhttp does; undefined where it sees none. */
  readonly ours: Message | undefined;
  readonly theirs: Message | undefined;
}

/** Fields of one connection, which the gate keeps to itself; Host stays whatever `Connection` says. */
const HOP_BY_HOP = new Set(
  "connection content-length expect http2-settings keep-alive proxy-authenticate proxy-authorization proxy-connection te transfer-encoding upgrade".split(
    " ",
  ),
);

/** The first thing read differently; undefined when there is none. */
export function differenceOf(gate: Reading, llhttp: Reading): Difference | undefined {
  for (const [at, ours] of gate.messages.entries()) {
    const theirs = llhttp.messages[at];
    const refusal = at < llhttp.messages.length - 1 || theirs?.isComplete ? undefined : llhttp.refusal;
    if (theirs === undefined)
      return { what: "a head", gate: "accepted", llhttp: refusal ?? "more is awaited", ours, theirs };
    if (refusal !== undefined && !ours.isComplete) return undefined;
    if (refusal !== undefined) return { what: "a body", gate: "accepted", llhttp: refusal, ours, theirs };
    const isRefused = gate.refusal !== undefined && at === gate.messages.length - 1 && !ours.isComplete;
    const found = readings(ours, theirs, isRefused).find(([, left, right]) => left !== right);
    if (found !== undefined) return { what: found[0], gate: found[1], llhttp: found[2], ours, theirs };
  }
  const last = gate.messages.at(-1);
  const theirs = llhttp.messages[gate.messages.length];
  if (theirs === undefined || gate.refusal !== undefined || last?.keepAlive === false) return undefined;
  return { what: "a head", gate: "more is awaited", llhttp: "accepted", ours: undefined, theirs };
}

/** What must be equal. */
function readings(
  ours: Message,
  theirs: Message,
  isRefused: boolean,
): [what: string, gate: unknown, llhttp: unknown][] {
  const pairs: [string, unknown, unknown][] = [
    ["the method", ours.method, theirs.method],
    ["the target", ours.target, originForm(theirs)],
    ["the status", ours.status, theirs.status],
    ["the reason", ours.reason, theirs.reason],
    ["the version", ours.minorVersion, theirs.minorVersion],
    ["the fields", endToEnd(ours.fields).join("\n"), endToEnd(theirs.fields).join("\n")],
    ["whether the connection is kept", ours.keepAlive, ours.keepAlive && theirs.keepAlive],
  ];
  if (isRefused) return pairs;
  const trailers = ours.trailers.filter((text) => !theirs.trailers.some((theirs) => trimmed(theirs) === text));
  pairs.push(
    ["the body", ours.body, theirs.body],
    ["whether all has come", ours.isComplete, theirs.isComplete],
    ["trailers", trailers.join("\n"), ""],
  );
  return ours.isComplete ? [...pairs, ["the end", ours.end, theirs.end]] : pairs;
}

/** Path and query of a target, or `*`. */
export function originForm({ method, target }: Pick<Message, "method" | "target">): string {
  const path = target.replace(/^https?:\/\/[^/?]*/i, "");
  if (path === target) return target;
  if (path === "" && method === "OPTIONS") return "*";
  return path.startsWith("/") ? path : `/${path}`;
}

/** `fields` without those of one connection, and those that `Connection` names. */
export function endToEnd(fields: readonly string[]): string[] {
  const pairs = Array.from(
    { length: fields.length / 2 },
    (_, at) => [fields[2 * at] ?? "", trimmed(fields[2 * at + 1] ?? "")] as const,
  );
  const named = pairs
    .filter(([name]) => name.toLowerCase() === "connection")
    .flatMap(([, value]) => value.toLowerCase().split(","))
    .map(trimmed);
  const options = new Set(named.filter((name) => !["close", "keep-alive", "upgrade", "host"].includes(name)));
  return pairs.filter(([name]) => !HOP_BY_HOP.has(name.toLowerCase()) && !options.has(name.toLowerCase())).flat();
}

function trimmed(text: string): string {
  return text.replace(/^[ \t]+|[ \t]+$/g, "");
}
