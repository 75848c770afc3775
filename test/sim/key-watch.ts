/**
 * One place per pass: which visitors have a place or a session by a pass that is good for one at a time.
 *
 * On two sides of a cut two may have it. The later one must lose it, and the earlier one must not; after the cut none
 * is had twice for longer than it takes the nodes to hear of both.
 */

import type { Minute } from "../../mesh/core/ids.ts";
import type { SimCookie, Visitor } from "./visitor.ts";

export interface KeyCounts {
  /** Visitors who came to have a pass that another one had. */
  twice: number;
  /** Visitors who lost place or session, as another one used the pass before. */
  lost: number;
  /** Visitors who were refused before they had either. */
  refused: number;
}

interface Use {
  readonly visitor: Visitor;
  /** By the clock of the gate that was first asked. */
  readonly atMs: number;
}

export class KeyWatch {
  readonly counts: KeyCounts = { twice: 0, lost: 0, refused: 0 };
  /** By pass: who has ever shown it, in this order. */
  readonly #uses = new Map<string, Use[]>();
  readonly #holders = new Map<string, Set<Visitor>>();
  readonly #isHere: (visitor: Visitor) => boolean;

  /** `isHere`: whether a visitor is not gone. A late answer to one who is gone gives nothing. */
  constructor(isHere: (visitor: Visitor) => boolean = () => true) {
    this.#isHere = isHere;
  }

  /** A visitor who has neither place nor session shows a pass at a gate whose time is `atMs`. */
  shows(key: string, visitor: Visitor, atMs: number): void {
    const uses = this.#uses.getOrInsertComputed(key, () => []);
    uses.push({ visitor, atMs });
  }

  /** A visitor has a place or a session by a pass. Returns whether another one has it, too. */
  holds(key: string, visitor: Visitor, minute: Minute): boolean {
    const holders = this.#holders.getOrInsertComputed(key, () => new Set());
    if (holders.has(visitor) || !this.#isHere(visitor)) return false;
    const isTwice = this.#holding(holders, minute).length > 0;
    holders.add(visitor);
    if (isTwice) this.counts.twice += 1;
    return isTwice;
  }

  /**
   * Whether a visitor who first used a pass at `atMs` may lose what it gave: another one has shown it before, or the
   * same one has, for a session that was over at the later gate only, or twice before the first answer came, as two
   * visitors would.
   */
  mayLose(key: string, visitor: Visitor, atMs: number): boolean {
    const uses = (this.#uses.get(key) ?? []).filter((use) => use.atMs <= atMs);
    const isAnother = (use: Use): boolean => use.visitor !== visitor || use.atMs < atMs;
    return uses.length > 1 || uses.some(isAnother);
  }

  /** The passes that several visitors have now. */
  twice(minute: Minute): string[] {
    return [...this.#holders].flatMap(([key, holders]) => (this.#holding(holders, minute).length > 1 ? key : []));
  }

  #holding(holders: ReadonlySet<Visitor>, minute: Minute): Visitor[] {
    // Where the room is deleted, or the gate has not heard of it, nobody needs a pass, and none is claimed.
    return [...holders].filter((one) => !one.passes && isGood(one.cookie, minute) && this.#isHere(one));
  }
}

function isGood(cookie: SimCookie | undefined, minute: Minute): boolean {
  return cookie?.kind === "inside" ? cookie.lastGood >= minute : cookie !== undefined;
}
