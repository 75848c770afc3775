/**
 * Addresses that keep taking slots or places and never send a cookie back: health checks, monitors, scripts.
 *
 * Each of their requests is a new visitor, and holds a slot for a whole session. Visitors who share an address do send
 * cookies, and clear it of suspicion. Nobody is refused: the operator decides that.
 */

import type { Log } from "../log.ts";
import { WarningSpan } from "./warning-span.ts";

/** In a span: a check every minute; a person whose browser keeps no cookies gives up before. */
const TAKEN_MIN = 10;

/** Addresses that are counted in a span; in a rush, later ones are not. A warning names the first of them. */
const ADDRESSES_MAX = 1_000;
const NAMED_MAX = 4;

interface Taker {
  readonly room: string;
  taken: number;
  /** Whether one of its requests carried a cookie of ours. */
  isVisitor: boolean;
}

export class SlotTakers {
  readonly #log: Log;
  readonly #span = new WarningSpan();
  #takers = new Map<string, Taker>();
  #before: readonly [string, Taker][] = [];

  constructor({ log }: { readonly log: Log }) {
    this.#log = log;
  }

  /** An address gets a slot or a place in line for a request without a cookie. */
  took(address: string, room: string, nowMs: number): void {
    this.#turn(nowMs);
    const taker = this.#takers.get(address);
    if (taker === undefined) {
      if (this.#takers.size < ADDRESSES_MAX) this.#takers.set(address, { room, taken: 1, isVisitor: false });
      return;
    }
    taker.taken += 1;
    if (taker.taken !== TAKEN_MIN || taker.isVisitor || this.#before.some(([known]) => known === address)) return;
    this.#log.warn({ address, room: taker.room }, wordsOf([[address, taker]]));
  }

  /** A request of an address carries a cookie of ours. */
  cameBack(address: string): void {
    const taker = this.#takers.get(address);
    if (taker !== undefined) taker.isVisitor = true;
  }

  /** The warning for the status; none while there is nothing to report. */
  warnings(nowMs: number): string[] {
    this.#turn(nowMs);
    const found = new Map([...this.#before, ...this.#suspects()]);
    return found.size === 0 ? [] : [wordsOf([...found].slice(0, NAMED_MAX))];
  }

  #turn(nowMs: number): void {
    const turned = this.#span.turn(nowMs);
    if (turned === undefined) return;
    this.#before = turned === "next" ? this.#suspects() : [];
    this.#takers = new Map();
  }

  #suspects(): [string, Taker][] {
    return [...this.#takers].filter(([, { taken, isVisitor }]) => taken >= TAKEN_MIN && !isVisitor);
  }
}

function wordsOf(takers: readonly (readonly [string, Taker])[]): string {
  const which = takers.map(([address, { room, taken }]) => `${address} (${taken} in room ${room})`).join(", ");
  return (
    `within ten minutes these addresses took slots or places again and again, and never sent a cookie back: ${which}; ` +
    "if it is a health check or a monitor, let it ask /.anteroom/health, which is never a visit; otherwise bypass_cidrs or new_places_per_address_per_minute of the room help"
  );
}
