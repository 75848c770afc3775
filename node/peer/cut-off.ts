/**
 * A node that is cut off is removed without knowing it: which sessions it may serve, and how long the others expect it
 * to.
 *
 * It cannot hear which sessions the origin ends at other gates. So it believes a cookie without an answer from its home
 * only if the cookie may be from the time when the node was a member: a session that others extended later may have
 * been ended. A node that learns of a removal assumes that the removed node runs until the last such cookie is over,
 * and until then frees the slot of no ended session early.
 *
 * The removed node's time begins with its last lease, the other's with the view that names its heir, which comes later.
 */

import type { AccountId, Minute } from "../../mesh/core/ids.ts";
import type { Instant } from "../../mesh/core/instant.ts";
import type { View } from "../../mesh/core/members/view.ts";
import { minutePlus } from "../../mesh/core/minute.ts";
import type { Puts } from "../../mesh/core/wire/outbox.ts";
import { EXTENDED_IN } from "./stored-peer.ts";

export interface CutOffParts {
  readonly restored: ReadonlyMap<string, unknown>;
  readonly outbox: Puts;
}

export class CutOff {
  readonly #outbox: Puts;
  /** The last minute in which this node might extend sessions, in an earlier run too; none if it never did. */
  #extendedIn: Minute | undefined;
  /** Accounts of former members that the last view names. */
  #gone: ReadonlySet<AccountId> = new Set();
  #othersUntilMs = Number.NEGATIVE_INFINITY;

  constructor({ restored, outbox }: CutOffParts) {
    this.#outbox = outbox;
    this.#extendedIn = EXTENDED_IN.read(restored);
  }

  /** This node may extend sessions in `minute`. Call it often; once a minute it goes to disk. */
  extends(minute: Minute): void {
    if (this.#extendedIn !== undefined && minute <= this.#extendedIn) return;
    this.#extendedIn = minute;
    this.#outbox.putLater(EXTENDED_IN.at(), () => this.#extendedIn);
  }

  /**
   * The last minute to which a cookie may be good that this node still believes while it may not extend its own
   * sessions; `sessionMinutes`: the longest session.
   */
  believedTo(sessionMinutes: number): number {
    return this.#extendedIn === undefined ? Number.NEGATIVE_INFINITY : minutePlus(this.#extendedIn, sessionMinutes);
  }

  /** There is a view, or was at the start; nodes that it has removed may run on for `forMs`. */
  learn({ heirs }: View, forMs: number, { steadyMs }: Instant): void {
    const gone = heirs.map(([account]) => account);
    if (gone.some((account) => !this.#gone.has(account)))
      this.#othersUntilMs = Math.max(this.#othersUntilMs, steadyMs + forMs);
    this.#gone = new Set(gone);
  }

  /** Whether a node that was removed may run on. */
  mayRunOn({ steadyMs }: Instant): boolean {
    return steadyMs < this.#othersUntilMs;
  }
}
