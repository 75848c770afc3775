/**
 * Reads a public log as it was served or saved, and checks it: signatures, digests, order, and the times it covers.
 *
 * What was saved in several steps may be given as one: headers may come often, entries twice and in any order. A file
 * may hold the logs of several lines, and of a log that began again.
 */

import type { NodeId } from "../../mesh/core/ids.ts";
import type { Checker } from "../notary.ts";
import { LOG_ENTRY_SHAPE, LOG_NODES_SHAPE, type LogEntry, type LogNodes } from "./call-log.ts";
import { isSignedBy, readStatement } from "./statement.ts";

/** An entry with the digest of its text. */
export interface CheckedEntry {
  readonly entry: LogEntry;
  readonly digest: string;
}

/** One line's entries since one beginning, in order. */
export interface Chain {
  readonly line: string;
  readonly began: string;
  readonly entries: readonly CheckedEntry[];
}

export interface PublicLog {
  readonly mesh: string;
  readonly room: string;
  readonly nodes: ReadonlySet<NodeId>;
  /** By line: what was last said when it was served. */
  readonly served: ReadonlyMap<string, Pick<LogNodes, "at" | "last">>;
  readonly chains: readonly Chain[];
}

/**
 * `damaged`: it cannot be read. `forged`: a signature is wrong. `foreign`: parts of it belong to another mesh or room,
 * or are signed by a node that is none of its own. `broken`: all is signed, and it contradicts itself.
 */
export type LogFault = "damaged" | "forged" | "foreign" | "broken";

export type LogReading = { readonly log: PublicLog } | { readonly fault: LogFault; readonly problem: string };

type Fault = Extract<LogReading, { fault: LogFault }>;

export function readLog(text: string, checker: Checker): LogReading {
  const headers: LogNodes[] = [];
  const entries = new Map<string, CheckedEntry>();
  for (const [at, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const read = readLine(line, checker);
    if ("problem" in read) return { fault: read.fault, problem: `line ${at + 1} ${read.problem}` };
    if ("header" in read) headers.push(read.header);
    else entries.set(read.digest, read);
  }
  const [first] = headers;
  if (first === undefined)
    return { fault: "damaged", problem: "the list of nodes is missing, which is the first line of a log" };
  const { mesh, room } = first;
  const nodes = new Set(headers.flatMap(({ nodes }) => nodes));
  const all = [...headers, ...Array.from(entries.values(), ({ entry }) => entry)];
  for (const one of all) {
    if (one.mesh !== mesh || one.room !== room)
      return {
        fault: "foreign",
        problem: `it mixes room ${room} of mesh ${mesh} with room ${one.room} of mesh ${one.mesh}`,
      };
    if (!nodes.has(one.node))
      return {
        fault: "foreign",
        problem: `a part of it is signed by node ${one.node}, which its list of nodes does not have`,
      };
  }
  const chains = chainsOf([...entries.values()]);
  for (const chain of chains) {
    const problem = chainProblem(chain);
    if (problem !== undefined) return { fault: "broken", problem };
  }
  const served = new Map(headers.toSorted((one, other) => (one.at < other.at ? -1 : 1)).map((one) => [one.line, one]));
  return { log: { mesh, room, nodes, served, chains } };
}

/** Whether something is missing before an entry: in the file, or because a node was lost. */
export function isGap(before: LogEntry | undefined, entry: LogEntry): boolean {
  if (before === undefined) return true;
  return entry.number !== before.number + 1 || entry.from > before.to;
}

function readLine(text: string, checker: Checker): { readonly header: LogNodes } | CheckedEntry | Fault {
  const header = readStatement(text, LOG_NODES_SHAPE);
  if ("statement" in header) {
    const { statement } = header;
    return isSignedBy(statement, statement.fields.node, checker)
      ? { header: statement.fields }
      : { fault: "forged", problem: "has a wrong signature" };
  }
  const entry = readStatement(text, LOG_ENTRY_SHAPE);
  if (!("statement" in entry)) return { fault: "damaged", problem: entry.problem };
  const { statement } = entry;
  if (!isSignedBy(statement, statement.fields.node, checker))
    return { fault: "forged", problem: "has a wrong signature" };
  return { entry: statement.fields, digest: checker.digest(statement.text) };
}

function chainsOf(entries: readonly CheckedEntry[]): readonly Chain[] {
  const byStart = Map.groupBy(entries, ({ entry: { line, began } }) => `${line} ${began}`);
  return Array.from(byStart.values(), (some) => {
    const sorted = some.toSorted((one, other) => one.entry.number - other.entry.number);
    return { line: sorted[0]?.entry.line ?? "", began: sorted[0]?.entry.began ?? "", entries: sorted };
  });
}

/** Why a chain contradicts itself; undefined if it does not. */
function chainProblem({ line, entries }: Chain): string | undefined {
  for (const [at, { entry, digest }] of entries.entries()) {
    const { number, from, to } = entry;
    const where = `entry ${number} of line ${line}`;
    const next = entries[at + 1];
    if (from > to) return `${where} ends before it begins`;
    if (next?.entry.number === number)
      return `there are two entries ${number} of line ${line}: two nodes kept the line at once, or the log was rewritten`;
    if (next?.entry.number !== number + 1) continue;
    if (next.entry.previous !== digest)
      return `entry ${next.entry.number} of line ${line} does not follow from entry ${number}: one of them was exchanged`;
    if (next.entry.to < to) return `entry ${next.entry.number} of line ${line} is older than entry ${number}`;
    if (next.entry.from > to && next.entry.gap === undefined)
      return `between entry ${number} and entry ${next.entry.number} of line ${line} there is a gap that neither states`;
  }
  return undefined;
}
