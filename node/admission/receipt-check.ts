/**
 * Checks a receipt, alone or against a public log: is it real, and was its place called in order?
 *
 * "In order" means: the line was called up to this place before anybody behind it was let in. The log says up to which
 * place everybody is called, so a visitor is overtaken where it says that somebody further back was let in first.
 */

import { isoOf } from "../iso-time.ts";
import type { Checker } from "../notary.ts";
import type { LogEntry } from "./call-log.ts";
import { type Chain, isGap, type LogFault, type PublicLog, readLog } from "./log-check.ts";
import { KEYS_PER_MS } from "./queue-order.ts";
import { RECEIPT_SHAPE, type Receipt } from "./receipt.ts";
import { isSignedBy, readStatement } from "./statement.ts";

/** The verdict on the receipt itself. */
export type ReceiptVerdict = "valid" | "damaged" | "forged" | "expired" | "foreign";

/**
 * What the log says of its place. `called`: in order. `waiting`: not called yet. `overtaken`: somebody behind it was
 * let in first. `rewritten`: the log is not the one that the receipt names. `unknown`: the log does not say.
 */
export type PlaceVerdict = "called" | "waiting" | "overtaken" | "rewritten" | "unknown";

export interface LogFinding {
  readonly verdict: PlaceVerdict | LogFault;
  /** In words, one sentence each. */
  readonly words: readonly string[];
}

export interface ReceiptFinding {
  readonly verdict: ReceiptVerdict;
  /** Why it is not valid. */
  readonly problem?: string;
  readonly receipt?: Receipt;
  /** With a log, and if the receipt is one of this log. */
  readonly log?: LogFinding;
}

/** `log`: the text of a public log; undefined to check the receipt alone. */
export function checkReceipt(
  text: string,
  { log, nowMs, checker }: { log?: string | undefined; nowMs: number; checker: Checker },
): ReceiptFinding {
  const reading = readStatement(text, RECEIPT_SHAPE);
  if (!("statement" in reading)) return { verdict: "damaged", problem: reading.problem };
  const { statement } = reading;
  const receipt = statement.fields;
  if (!isSignedBy(statement, receipt.node, checker))
    return { verdict: "forged", receipt, problem: `node ${receipt.node} has not signed this text` };
  const isExpired = nowMs >= Date.parse(receipt.expires);
  const alone: ReceiptFinding = isExpired
    ? { verdict: "expired", receipt, problem: `it was evidence until ${receipt.expires}` }
    : { verdict: "valid", receipt };
  if (log === undefined) return alone;
  const read = readLog(log, checker);
  if (!("log" in read)) return { ...alone, log: { verdict: read.fault, words: [read.problem] } };
  const problem = foreignTo(receipt, read.log);
  if (problem !== undefined) return { verdict: "foreign", receipt, problem };
  return { ...alone, log: placeIn(receipt, read.log) };
}

function foreignTo({ mesh, room, node }: Receipt, log: PublicLog): string | undefined {
  if (mesh !== log.mesh) return `it is of mesh ${mesh}, and the log of mesh ${log.mesh}`;
  if (room !== log.room) return `it is of room ${room}, and the log of room ${log.room}`;
  if (log.nodes.has(node)) return undefined;
  return `it is signed by node ${node}, which the log does not list: it is no node of this mesh, or had left before the log was saved`;
}

function placeIn(receipt: Receipt, log: PublicLog): LogFinding {
  const { log: pin, key, place } = receipt;
  if (key === undefined || place === undefined)
    return unknown("Places were still being drawn when the receipt was made. Fetch another one now.");
  const chain =
    pin === undefined ? only(log.chains) : log.chains.find((one) => one.line === pin.line && one.began === pin.began);
  if (chain === undefined) {
    const has = log.chains.map(({ line, began }) => `line ${line} since ${began}`).join(", ") || "no entries";
    const wanted = pin === undefined ? "one line" : `line ${pin.line} since ${pin.began}`;
    return unknown(`The receipt needs the log of ${wanted}, and this one has ${has}.`);
  }
  const pinned = pin && chain.entries.find(({ entry }) => entry.number === pin.number);
  if (pinned !== undefined && pinned.digest !== pin?.digest)
    return {
      verdict: "rewritten",
      words: [`Entry ${pin?.number} is another one than when the receipt was made: the log was rewritten.`],
    };
  return placeInChain({ order: receipt.order, key, place }, chain, log.served.get(chain.line));
}

function placeInChain(
  { place, key, order }: { readonly place: number; readonly key: number; readonly order: string },
  { entries }: Chain,
  served: { readonly at: string; readonly last: number } | undefined,
): LogFinding {
  const joined = isoOf(key / KEYS_PER_MS);
  /** Times since then of which the log says nothing. */
  const gaps: string[] = [];
  let before: LogEntry | undefined;
  for (const { entry } of entries) {
    if (entry.from > joined && isGap(before, entry)) gaps.push(gapWords(before, entry));
    before = entry;
    if (entry.to < joined) continue;
    // An event may put the line in another order before it lets anybody in.
    if (entry.order !== order && entry.let_in === 0) continue;
    if (entry.order !== order)
      return unknown(
        `At ${entry.from} the line was in another order (${entry.order}) than that of the receipt (${order}). Fetch another receipt.`,
        gaps,
      );
    if (entry.open === true) {
      const words = `The room let everybody in between ${entry.from} and ${entry.to} (entry ${entry.number}).`;
      return { verdict: "called", words: [words, ...gaps] };
    }
    if (entry.called_up_to >= place) return calledBy(entry, place, gaps);
    if (entry.let_in_up_to > place && entry.from >= joined) return overtakenBy(entry, place, gaps);
  }
  return notCalled(place, { before, served, joined, gaps });
}

function calledBy(entry: LogEntry, place: number, gaps: readonly string[]): LogFinding {
  const words = `Place ${place} was called between ${entry.from} and ${entry.to} (entry ${entry.number}, up to place ${entry.called_up_to}).`;
  if (gaps.length > 0) return unknown(words, gaps);
  return { verdict: "called", words: [words, "Until then nobody behind it was let in."] };
}

function overtakenBy({ let_in_up_to, number, to }: LogEntry, place: number, gaps: readonly string[]): LogFinding {
  const words = `A visitor at place ${let_in_up_to} was let in by ${to} (entry ${number}), before place ${place} was called.`;
  return { verdict: "overtaken", words: [words, ...gaps] };
}

interface Seen {
  /** The last entry. */
  readonly before: LogEntry | undefined;
  readonly served: { readonly at: string; readonly last: number } | undefined;
  readonly joined: string;
  readonly gaps: readonly string[];
}

function notCalled(place: number, { before, served, joined, gaps }: Seen): LogFinding {
  // Where nothing is called, no entry is made: the log says so by when it was served.
  const isNewest = served !== undefined && served.last === before?.number;
  const until = isNewest && served.at > (before?.to ?? "") ? served.at : (before?.to ?? "");
  if (before === undefined || until < joined)
    return unknown("The log ends before the visitor with this receipt joined the line. Fetch it again.", gaps);
  const words = `Place ${place} was not called by ${until} (entry ${before.number}), and nobody behind it was let in.`;
  return gaps.length > 0 ? unknown(words, gaps) : { verdict: "waiting", words: [words] };
}

function gapWords(before: LogEntry | undefined, { number, from, gap }: LogEntry): string {
  const why =
    gap === "takeover"
      ? ", when another node took the line over"
      : gap === "restart"
        ? ", when the log's node was started again"
        : "";
  return before === undefined
    ? `What happened before ${from} is not in this log: it begins with entry ${number}.`
    : `What happened between ${before.to} and ${from} is not in this log${why}.`;
}

function unknown(words: string, gaps: readonly string[] = []): LogFinding {
  return { verdict: "unknown", words: [words, ...gaps] };
}

function only(chains: readonly Chain[]): Chain | undefined {
  return chains.length === 1 ? chains[0] : undefined;
}
