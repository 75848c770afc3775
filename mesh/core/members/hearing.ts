/**
 * A removed node has returned and reports what it held: what its heir does with the report.
 *
 * Only the heir named by the view that removed the node accepts the report, in the process that learnt of that view,
 * and only while the accounts are still in the pots of that view: another heir, or a later process, does not know what
 * was given, nor which sessions were acknowledged since. The question carries a random number
 * that is kept in memory, so each report is about now and counts once. A disk that lacks gifts, counts or a later start
 * is not believed: gifts that this node knew of, counts that it knows of, starts that any remaining member knew of. The
 * application decides what to do with the table (`TestimonyApp`).
 */

import { type AccountId, accountOf, type NodeId } from "../ids.ts";
import type { RowData } from "../ledger/row.ts";
import type { MemberMessageBody, Of } from "./member-messages.ts";
import type { Pots } from "./pots.ts";

/** The part of a returned node's report that is believed. */
export interface Testimony {
  readonly from: NodeId;
  /** The group of pots that held its accounts. */
  readonly group: string;
  /** The accounts for which it speaks. */
  readonly accounts: readonly AccountId[];
  readonly tables: unknown;
}

export interface HearingParts {
  readonly pots: Pots;
  /** Whether this node writes an account. */
  readonly writes: (account: AccountId) => boolean;
  /** Whether this node may use slots that come free, and knows how many of its own are in use. */
  readonly mayHear: () => boolean;
  /** What is known of accounts' rows, with their gifts as they were when they ended. */
  readonly rows: (accounts: readonly AccountId[]) => RowData[];
  readonly draw: () => number;
}

export class Hearing {
  readonly #parts: HearingParts;
  /** By returned node: the question that it was asked. */
  readonly #nonces = new Map<NodeId, number>();

  constructor(parts: HearingParts) {
    this.#parts = parts;
  }

  /** The answer to a node that says it is back; undefined if this node has none. */
  returned(from: NodeId): MemberMessageBody | undefined {
    const { pots, mayHear, writes, draw } = this.#parts;
    if (pots.shareOf(from) === undefined)
      return writes(accountOf(from)) ? { kind: "testimony-done", isTaken: false } : undefined;
    if (!mayHear()) return undefined;
    // One for each node that may return, and those are in pots.
    return { kind: "testimony-wanted", nonce: this.#nonces.getOrInsertComputed(from, draw) };
  }

  /** The believed part of a report; or why none is; undefined if it answers no question of this run. */
  hear(from: NodeId, said: Of<"testimony">): Testimony | { readonly problem: string } | undefined {
    const { pots, mayHear } = this.#parts;
    const nonce = this.#nonces.get(from);
    if (nonce === undefined || nonce !== said.nonce || !mayHear()) return undefined;
    this.#nonces.delete(from);
    const { accounts, rows, tables } = said;
    const share = pots.shareOf(from);
    if (share === undefined) return { problem: "its accounts are no longer in a pot" };
    if (said.run < share.run) return { problem: "it was restarted after its table was written" };
    const isAll = accounts.includes(accountOf(from)) && new Set(accounts).size === accounts.length;
    if (!isAll || !accounts.every((account) => share.accounts.includes(account)))
      return { problem: "it speaks for an account that is not in its pot" };
    if (rows.some(({ account }) => !accounts.includes(account))) return { problem: "its rows are not its own" };
    const own = new Map(rows.map((row) => [row.account, row]));
    if (rowsOfReport(from, this.#parts.rows(accounts)).some((known) => lacks(own.get(known.account), known)))
      return { problem: "its disk lacks what others know about it" };
    return { from, group: share.group, accounts, tables };
  }
}

/**
 * The rows by which a node's report is compared: the gifts of all its accounts, and the counts of its own one, on which
 * it counts all visitors that it lets in and extends. Counts of accounts that it has inherited are not on its disk.
 */
export function rowsOfReport(node: NodeId, rows: readonly RowData[]): RowData[] {
  return rows.map((row) => (row.account === accountOf(node) ? row : { ...row, counts: [] }));
}

/** Whether a row lacks something known. Counts of minutes long over are forgotten where later ones are kept. */
export function lacks(row: RowData | undefined, known: RowData): boolean {
  const hasGifts = known.gifts.every((gift) => {
    const own = row?.gifts.find(
      ({ room, resource, to }) => room === gift.room && resource === gift.resource && to === gift.to,
    );
    return latest(own?.totals) >= latest(gift.totals);
  });
  const hasCounts = known.counts.every(({ room, kind, totals }) => {
    const own = new Map(row?.counts.find((count) => count.room === room && count.kind === kind)?.totals);
    const first = own.size === 0 ? 0 : Math.min(...own.keys());
    return totals.every(([minute, total]) => minute < first || (own.get(minute) ?? 0) >= total);
  });
  return !hasGifts || !hasCounts;
}

function latest(totals: RowData["gifts"][number]["totals"] = []): number {
  return totals.at(-1)?.[1] ?? 0;
}
