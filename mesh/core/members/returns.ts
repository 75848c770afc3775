/**
 * Nodes that were removed and come back: this one reports what it held, and hears the reports of others.
 */

import { type AccountId, accountOf, type NodeId, nodeOf } from "../ids.ts";
import type { Instant } from "../instant.ts";
import { type RowData, withoutCounts } from "../ledger/row.ts";
import type { Departures } from "./departures.ts";
import { Hearing, rowsOfReport } from "./hearing.ts";
import type { Of } from "./member-messages.ts";
import type { MemberParts } from "./member-parts.ts";
import { WROTE } from "./stored-members.ts";
import { Witness } from "./witness.ts";

/** The size of the numbers that are drawn when a returned node is asked. */
const NONCES = 2 ** 52;

export interface ReturnsOptions {
  readonly random: () => number;
  /** Those that are connected. */
  readonly peers: () => Iterable<NodeId>;
}

export class Returns {
  /** Reports what this node held. */
  readonly witness: Witness;
  readonly #parts: MemberParts;
  readonly #departures: Departures;
  readonly #hearing: Hearing;
  /** By account of a node that may return: what it had given, as far as was known here when it was removed. */
  readonly #gave = new Map<AccountId, RowData>();

  constructor(parts: MemberParts, departures: Departures, { random, peers }: ReturnsOptions) {
    this.#parts = parts;
    this.#departures = departures;
    const { testimony } = parts.app;
    this.witness = new Witness({
      statement: () => testimony?.statement(),
      rows: (accounts) => rowsOfReport(parts.self, parts.app.rows(accounts)),
      peers,
      send: (to, message, at) => parts.send(to, message, at),
    });
    this.#hearing = new Hearing({
      pots: parts.pots,
      writes: (account) => parts.succession.written.includes(account),
      mayHear: () => testimony?.mayHear() === true,
      rows: (accounts) =>
        parts.app.rows(accounts).map((row) => ({ ...row, gifts: this.#gave.get(row.account)?.gifts ?? [] })),
      draw: () => Math.floor(random() * NONCES),
    });
  }

  /** The accounts that an earlier run wrote when it was removed. */
  restore(restored: ReadonlyMap<string, unknown>): void {
    const wrote = WROTE.read(restored);
    if (wrote !== undefined) this.witness.removed(wrote);
  }

  /** This node inherits from these, which may return. Their gifts are known until the view is folded. */
  inherits(nodes: readonly NodeId[]): void {
    const isWaiting = (account: AccountId) => this.#parts.pots.shareOf(nodeOf(account)) !== undefined;
    for (const account of this.#gave.keys()) if (!isWaiting(account)) this.#gave.delete(account);
    for (const row of withoutCounts(this.#parts.app.rows(nodes.map(accountOf)))) this.#gave.set(row.account, row);
  }

  /**
   * This node was removed: what it wrote must be known when it reports what it held, after a restart too. A node that
   * has an unrefused offer out reports nothing: the heir may have taken everything over.
   */
  setAside(wrote: readonly AccountId[]): void {
    if (this.#parts.tenure.over !== undefined || this.#departures.leaver.heir !== undefined) return;
    const inPots = new Set(this.#parts.pots.accounts);
    const accounts = wrote.filter((account) => !inPots.has(account));
    this.#parts.outbox.putVote(WROTE.at(), accounts);
    this.witness.removed(accounts);
  }

  /** A removed node is back, or reports what it held. */
  hearReturned(from: NodeId, message: Of<"returned"> | Of<"testimony">, now: Instant): void {
    if (message.kind === "returned") {
      const answer = this.#hearing.returned(from);
      if (answer !== undefined) this.#parts.send(from, answer, now);
      return;
    }
    const heard = this.#hearing.hear(from, message);
    if (heard === undefined) return;
    const problem = "problem" in heard ? heard.problem : this.#parts.app.testimony?.problemOf(heard);
    if (problem === undefined && !("problem" in heard)) {
      this.#parts.pots.heard(heard.accounts);
      this.#parts.putPotsForced(now);
      this.#parts.app.testimony?.take(heard);
    } else this.#parts.app.log(`${from} is back, and its report of what it held is not used: ${problem}`);
    this.#parts.send(from, { kind: "testimony-done", isTaken: problem === undefined }, now);
  }
}
