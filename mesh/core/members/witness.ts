/**
 * A node that was removed and is back: it reports what it held, so that its heir need not hold everything.
 *
 * It has stopped for good, because it knows the view without it, on disk; its table cannot change any more. So it asks
 * the members which of them has its accounts in a pot, and answers that one's question, for ten seconds at most: then
 * it continues as a new node, heard or not. The accounts that it wrote are put on disk with the view, since that view
 * says that it writes nothing. What it may report about itself is decided elsewhere (`TestimonyApp`); what the heir
 * believes, in hearing.ts.
 */

import type { AccountId, NodeId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import type { RowData } from "../ledger/row.ts";
import type { MemberMessageBody } from "./member-messages.ts";

/** How long it tries, in ms. This gate admits nobody meanwhile; a link that was cut is back within some seconds. */
const TRIES_MS = 10_000;
/** Between two announcements that it is back, in ms. */
const AGAIN_MS = 500;

/** What a node can report about itself. */
export interface Statement {
  /** The incarnation of the run that wrote the table. */
  readonly run: number;
  /** Slots held, by room, and sessions that were ended: plain data, as a leaver hands it over. */
  readonly tables: unknown;
}

export interface WitnessParts {
  /** Undefined if this node may report nothing: it cannot know that its table is complete. */
  readonly statement: () => Statement | undefined;
  /** See `rowsOfReport`. */
  readonly rows: (accounts: readonly AccountId[]) => RowData[];
  /** Those that are connected. */
  readonly peers: () => Iterable<NodeId>;
  readonly send: (to: NodeId, message: MemberMessageBody, now: Instant) => void;
}

export class Witness {
  readonly #parts: WitnessParts;
  /** What it wrote when it was removed; undefined if it must report nothing. */
  #accounts: readonly AccountId[] | undefined;
  /** Their rows when it was removed, or as its disk had them at the start: later, others tell it what they know. */
  #rows: readonly RowData[] = [];
  #sinceMs: number | undefined;
  #saidMs = Number.NEGATIVE_INFINITY;

  constructor(parts: WitnessParts) {
    this.#parts = parts;
  }

  /** It was removed, and had written `accounts`, those of pots apart. */
  removed(accounts: readonly AccountId[]): void {
    this.#accounts = accounts;
    this.#rows = this.#parts.rows(accounts);
  }

  /** Announces that it is back, if that is due. Returns whether to wait for it. */
  tick(now: Instant): boolean {
    if (this.#accounts === undefined) return false;
    this.#sinceMs ??= now.steadyMs;
    if (now.steadyMs - this.#sinceMs >= TRIES_MS || this.#parts.statement() === undefined) {
      this.#accounts = undefined;
      return false;
    }
    if (now.steadyMs - this.#saidMs < AGAIN_MS) return true;
    this.#saidMs = now.steadyMs;
    for (const peer of this.#parts.peers()) this.#parts.send(peer, { kind: "returned" }, now);
    return true;
  }

  /** `heir` wants its report, only in answer to this question. */
  asked(heir: NodeId, nonce: number, now: Instant): void {
    const accounts = this.#accounts;
    const statement = accounts && this.#parts.statement();
    if (accounts === undefined || statement === undefined) return;
    this.#parts.send(heir, { kind: "testimony", nonce, accounts, rows: [...this.#rows], ...statement }, now);
  }

  /** The heir has received it, or no longer wants it. */
  done(): void {
    this.#accounts = undefined;
  }
}
