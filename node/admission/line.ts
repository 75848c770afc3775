/**
 * The line of one room: the visitors waiting, in the order that follows from their queue keys (queue-order.ts).
 *
 * A key is the time of joining in µs, made unique and never below one already given out; it is in the visitor's cookie,
 * so the line itself is soft state. Visitors up to the horizon are called; a called visitor's next poll takes a slot. A
 * visitor who has not polled for 2.5 refresh intervals counts as gone, and has the same key on coming back.
 *
 * A summary (horizon, highest key, counts per range of places, and their order) is enough to continue after a restart.
 * The places of each range are assumed until their visitors poll: so no visitor is called before an older one, and no
 * position starts too low.
 *
 * Callers know keys. Horizon, ranges and everything inside are places: keys in the order of this line.
 */

import { AssumedRanges, type Range } from "./assumed-ranges.ts";
import { KEYS_APART, Lanes } from "./lanes.ts";
import type { Moves } from "./line-moves.ts";
import { type Draws, FIFO, KEYS_PER_MS, NO_DRAWS, QueueOrder } from "./queue-order.ts";
import { Rearranging } from "./rearranging.ts";
import { ASSUMED, freshAt, type PlaceRef, SortedPlaces } from "./sorted-places.ts";
import { HeardTime, Turnout } from "./turnout.ts";

/** What a restarted node, or another node, needs to continue a line. */
export interface LineSummary {
  readonly horizon: number;
  readonly lastKey: number;
  /** In order. */
  readonly ranges: readonly Range[];
  /** The order of its places; left out where they are the keys themselves. */
  readonly draws?: Draws | undefined;
}

/** Refresh intervals without a poll after which a visitor counts as gone: one lost poll and a slow one are forgiven. */
export const GONE_AFTER_INTERVALS = 2.5;

/**
 * Ranges in a summary. Up to twice as many waiting visitors the summary is exact; beyond, a position right after a
 * restart is too high by at most a range. Doubled, the summary that is stored every half second grows to 40 kB.
 */
const SUMMARY_RANGES = 512;

/**
 * Refresh intervals after which a called visitor no longer keeps a slot from the next one, where slots come free a
 * minute's worth at a time. A visitor who polls at every interval is admitted before those behind, whatever pause was
 * suggested.
 */
const QUIET_AFTER_INTERVALS = 1.25;

/**
 * A visitor is overdue after this much more than the pause until the next poll: a page adds up to a tenth, and another
 * gate reports the poll to the ticket counter half a second later. An overdue visitor keeps no slot from the next one:
 * those who left the line stay at its front until they count as gone. More leaves slots idle behind those who left;
 * less skips visitors who are merely slow.
 */
const OVERDUE = { part: 1.25, ms: 1_000 };

/** Shown to a visitor whose place is being drawn: further back than any that is shown later. */
const DRAWN_LATER = 2 ** 40;

/**
 * Places that are put in another order when the order changes, in 20 ms; more, in parts, so that nobody notices a
 * pause.
 */
const MOVED_AT_ONCE = 2_000;

/** Places that ended without an admission, since the start of the process: plain numbers, for the history. */
export class LineCounts {
  /** Visitors who gave up their places, or stopped asking before they were called. */
  abandoned = 0;
  /** Visitors who were called, and did not ask. */
  noShows = 0;
  /** Visitors who asked for a place that the line did not know any more: of those above, they came back. */
  returned = 0;
}

export interface LineOptions {
  /** Of its lanes, see lanes.ts; empty for a room without lanes. */
  readonly shares?: readonly number[];
  readonly moves?: Moves | undefined;
  readonly counts?: LineCounts;
  /** From 0 to 999: added to the key of one who joins at the start of a ms. Lines with another one give other keys. */
  readonly keyOffset?: number;
}

export class Line {
  #order: QueueOrder;
  #places = new SortedPlaces();
  #shares: readonly number[];
  /** Where visitors of each lane stand; undefined in a room without lanes, and while places are drawn. */
  #lanes: Lanes | undefined;
  #horizon = 0;
  #lastKey = 0;
  /** Whose places are assumed since the line was restored. */
  #assumed = new AssumedRanges([], FIFO);
  readonly #turnout = new Turnout();
  /** Furthest place of an admitted visitor. */
  #furthest = 0;
  /** Called visitors who had not polled for a while at the last check. */
  #quiet = 0;
  /** Called visitors who were overdue at the last check. */
  #overdue = 0;
  readonly #heardTime = new HeardTime();
  readonly #counts: LineCounts;
  readonly #keyOffset: number;
  readonly #moves: Moves | undefined;
  #rearranging: Rearranging | undefined;
  /** What it was before it is rearranged: good until all is done. */
  #summaryBefore: LineSummary | undefined;

  constructor(order = FIFO, { shares = [], moves, counts = new LineCounts(), keyOffset = 0 }: LineOptions = {}) {
    this.#order = order;
    this.#keyOffset = keyOffset;
    this.#counts = counts;
    this.#shares = shares;
    this.#moves = moves;
    this.#lanes = this.#lanesNow();
  }

  /** Waiting visitors, called ones included. */
  get size(): number {
    return Math.max(this.#places.size, this.#rearranging?.size ?? 0);
  }

  /**
   * Visitors about to ask who are before an admitted one: a slot was kept for each of them, and must not go elsewhere.
   */
  get owed(): number {
    return Math.max(0, this.#places.rank(this.#furthest) - this.#overdue);
  }

  /** Gives the lanes other shares: those who wait keep their places and lanes. */
  share(shares: readonly number[]): void {
    if (shares.join() === this.#shares.join()) return;
    this.#shares = shares;
    this.#lanes = this.#lanesNow(this.#lanes);
  }

  /** Whether it is being put in another order: nobody is called until that is done. */
  get isRearranging(): boolean {
    return this.#rearranging !== undefined;
  }

  /**
   * Puts the line in another order, at once as far as it is short; `rearrange` does the rest. Nobody is called until
   * the next look.
   */
  follow(order: QueueOrder): void {
    if (this.#order.isLike(order.draws)) return;
    while (this.#rearranging !== undefined) this.rearrange();
    this.#summaryBefore = this.summary();
    const from = { places: this.#places, order: this.#order };
    this.#places = new SortedPlaces();
    this.#rearranging = new Rearranging(from, { places: this.#places, order }, this.#moves);
    this.#order = order;
    // As before the first call: nobody is called, and nobody who was is missing.
    this.#horizon = 0;
    this.#furthest = 0;
    this.#quiet = 0;
    this.#overdue = 0;
    this.#lanes = undefined;
    this.rearrange();
  }

  /** Does a part of what is left to be put in another order; returns whether more is left. */
  rearrange(max = MOVED_AT_ONCE): boolean {
    const cameBack = this.#rearranging?.move(max, this.#heardTime.lastMs);
    if (cameBack === undefined) return this.isRearranging;
    this.#rearranging = undefined;
    this.#summaryBefore = undefined;
    for (const key of cameBack) this.#dropAssumedFor(key);
    this.#lanes = this.#lanesNow();
    return false;
  }

  /** Issues a queue key and puts its visitor in line: the next key, or one in front where the visitor's lane is due. */
  join(nowMs: number, lane = 0): number {
    const inFront = this.#lanes?.placeFor(lane, { horizon: this.#horizon, all: this.#places });
    const ownKey = Math.floor(nowMs * KEYS_PER_MS) + this.#keyOffset;
    const next = this.#lastKey + (this.#lanes === undefined ? 1 : KEYS_APART);
    // Ahead of the time, as after a visitor whose clock was, small steps would lead to keys of another line.
    const isAhead = this.#lastKey >= ownKey + KEYS_PER_MS;
    const key = inFront ?? Math.max(ownKey, isAhead ? ownKeyFrom(next, this.#keyOffset) : next);
    this.#lastKey = Math.max(this.#lastKey, key);
    const place = this.#order.placeOf(key);
    const isShown = !(this.isRearranging || this.#order.isDrawing(key, nowMs));
    const position = isShown ? this.#places.rank(place) + 1 : DRAWN_LATER;
    this.#places.insert(place, this.#heardTime.at(nowMs), freshAt(position));
    this.#lanes?.add(place, lane);
    return key;
  }

  /**
   * Records a poll and returns the visitor's position (1 = next), never above one returned since the place was last
   * taken; except while places are drawn, and others may still come in front. `lane`: the visitor's, if that is known.
   */
  poll(key: number, nowMs: number, lane?: number): number {
    const heardMs = this.#heardTime.at(nowMs);
    const place = this.#order.placeOf(key);
    let ref = this.#places.find(place);
    if (ref === undefined) ref = this.#takeBack(key, heardMs);
    else if (this.#places.isFresh(ref)) this.#turnout.noteJoined(1);
    if (lane !== undefined) this.#lanes?.move(place, lane);
    const position = this.#positionAt(place);
    const isShown = !(this.isRearranging || this.#order.isDrawing(key, nowMs));
    if (isShown) return this.#places.show(ref, heardMs, position);
    this.#places.hear(ref, heardMs);
    return position;
  }

  /** Records that the visitor with `key` was just asked to poll again in `pauseMs`. */
  expect(key: number, pauseMs: number, nowMs: number): void {
    const ref = this.#places.find(this.#order.placeOf(key));
    if (ref !== undefined) this.#places.expect(ref, dueMs(this.#heardTime.at(nowMs), pauseMs));
  }

  /**
   * Whether the visitor with `key` may have one of `slots`: if that leaves one for each older visitor who is about to
   * ask. Otherwise the first to poll after a slot comes free would have it, and a visitor whose polls fall at the wrong
   * moments would starve.
   */
  isTurn(key: number, slots: number, nowMs: number): boolean {
    return !this.#places.hasExpectedBefore(this.#order.placeOf(key), slots, this.#heardTime.at(nowMs));
  }

  /** Removes an admitted visitor from the line. */
  leave(key: number): void {
    const place = this.#order.placeOf(key);
    this.#furthest = Math.max(this.#furthest, place);
    const ref = this.#places.find(place);
    if (ref === undefined) return;
    this.#lanes?.served(place);
    this.#remove(place, ref);
    this.#noteCalled(place, 0);
  }

  /** Removes a visitor who gave up the place: nobody was admitted for it. */
  giveUp(key: number): void {
    if (this.movedAway(key)) this.#counts.abandoned += 1;
  }

  /** Removes a visitor who has the same place elsewhere; returns whether there was one. */
  movedAway(key: number): boolean {
    const place = this.#order.placeOf(key);
    const ref = this.#places.find(place);
    if (ref !== undefined) this.#remove(place, ref);
    return ref !== undefined;
  }

  /** Whether the visitor with `key` has been called. */
  isCalled(key: number): boolean {
    return this.#order.placeOf(key) <= this.#horizon;
  }

  /**
   * Sets the horizon so that as many visitors are called as slots are free, and as many more as usually do not show up;
   * new visitors count little while few of their kind ever poll. Where a rate holds back, it also calls visitors for
   * the `soon` slots that will be released while those called are on their way. The horizon goes back when older ones
   * return: otherwise all that ever were below it would be called at once.
   */
  call(freeSlots: number, soon?: number): void {
    if (this.isRearranging || freeSlots + (soon ?? 0) <= 0) return;
    const expected = this.#turnout.calledFor(freeSlots);
    const absent = soon === undefined ? this.#quiet : this.#overdue;
    const wanted = Math.max(expected, freeSlots + absent, Math.floor(this.reach(freeSlots))) + (soon ?? 0);
    const last = this.#places.select(Math.min(wanted, this.size) - 1);
    if (last === undefined) return;
    this.#horizon = last;
  }

  /** Visitors in line who are called. */
  get called(): number {
    return this.#places.rank(this.#horizon + 1);
  }

  /** The present position of a visitor in line. */
  positionOf(key: number): number {
    return this.#positionAt(this.#order.placeOf(key));
  }

  /** While the line is put in another order, not all who are in front are known: as if all others were. */
  #positionAt(place: number): number {
    return this.isRearranging ? this.size : this.#places.rank(place) + 1;
  }

  /** Visitors in line who are expected to poll. */
  get expected(): number {
    return this.size - this.#places.fresh * (1 - this.#turnout.freshShare);
  }

  /** The position up to which so many visitors are expected to show up; beyond the end of the line, each one does. */
  reach(visitors: number): number {
    return this.#turnout.freshShare === 1 ? visitors : this.#places.reach(visitors, this.#turnout.freshShare);
  }

  /** How many of the first so many visitors have polled since they joined, or before the line was restored. */
  heardOf(position: number): number {
    return this.#places.heardOf(position);
  }

  /** Keys of places whose visitors have polled since the line was restored; at most `max`. */
  heardKeys(max: number): readonly number[] {
    return this.#places.keysHeard(max).map((place) => this.#order.keyAt(place));
  }

  /**
   * Removes the visitors who have not polled for 2.5 refresh intervals; returns how many. Call it every second or so.
   * `onGone`: how far each counted as one who will poll, from 0 to 1.
   */
  removeGone(nowMs: number, refreshMs: number, onGone?: (weight: number) => void): number {
    const heardMs = this.#heardTime.at(nowMs);
    const gone = this.#places.removePolledBefore(heardMs - GONE_AFTER_INTERVALS * refreshMs);
    this.#quiet = this.#places.countPolledBefore(heardMs - QUIET_AFTER_INTERVALS * refreshMs, this.#horizon);
    this.#overdue = this.#places.countOverdue(this.#horizon, heardMs);
    const share = this.#turnout.freshShare;
    for (const { key: place, assumed, fresh } of gone) {
      if (fresh) this.#turnout.noteJoined(0);
      this.#lanes?.remove(place);
      if (place <= this.#horizon) this.#counts.noShows += 1;
      else this.#counts.abandoned += 1;
      if (!assumed) this.#noteCalled(place, 1);
      // Whether a visitor was there at all is not known of a place that was only assumed.
      onGone?.(assumed ? 0 : fresh ? share : 1);
    }
    return gone.length;
  }

  summary(): LineSummary {
    if (this.#summaryBefore !== undefined) return { ...this.#summaryBefore, lastKey: this.#lastKey };
    const ranges = Array.from(this.#places.runs(SUMMARY_RANGES), ({ low, high, count }) => [low, high, count] as const);
    const { draws } = this.#order;
    const drawn = FIFO.isLike(draws) ? undefined : draws;
    return { horizon: this.#horizon, lastKey: this.#lastKey, ranges, ...(drawn && { draws: drawn }) };
  }

  /**
   * Continues from `summary` with an empty line: its visitors have until 2.5 refresh intervals from now to poll. A
   * range's places except the last are assumed as far to the front as possible, so that each visitor has as many others
   * in front as before. A summary in another order is put in this one.
   */
  restore(summary: LineSummary, { nowMs, refreshMs }: { nowMs: number; refreshMs: number }): void {
    const { draws = NO_DRAWS } = summary;
    const order = this.#order;
    if (!order.isLike(draws)) {
      this.#order = new QueueOrder(draws);
      this.restore(summary, { nowMs, refreshMs });
      this.follow(order);
      return;
    }
    this.#horizon = summary.horizon;
    this.#lastKey = summary.lastKey;
    this.#assumed = new AssumedRanges(summary.ranges, order);
    const heardMs = this.#heardTime.at(nowMs);
    const assume = (place: number): void =>
      this.#places.expect(this.#places.insert(place, heardMs, ASSUMED), dueMs(heardMs, refreshMs));
    for (const [low, high, count] of summary.ranges) {
      for (let place = 1; place < count; place++) assume(low + place - 1);
      assume(high);
    }
    this.#lanes = this.#lanesNow();
  }

  /**
   * A visitor whom the line does not know takes the place of the key again: one who was gone, who joined after the
   * summary was made, or one of those assumed in a range, which is then no longer assumed.
   */
  #takeBack(key: number, heardMs: number): PlaceRef {
    if (key > this.#lastKey) this.#lastKey = ownKeyFrom(key, this.#keyOffset);
    const place = this.#order.placeOf(key);
    if (this.#rearranging !== undefined) this.#rearranging.cameBack(key);
    else if (!this.#dropAssumedFor(key)) this.#counts.returned += 1;
    this.#lanes?.add(place);
    return this.#places.insert(place, heardMs, 0);
  }

  /** Returns whether there was one. */
  #dropAssumedFor(key: number): boolean {
    if (this.#places.assumed === 0) return false;
    const assumed = this.#assumed.placeFor(key, { places: this.#places, order: this.#order });
    if (assumed !== undefined) this.#remove(this.#places.keyOf(assumed), assumed);
    return assumed !== undefined;
  }

  #remove(place: number, ref: PlaceRef): void {
    this.#places.remove(ref);
    this.#lanes?.remove(place);
  }

  /** All who are in line now count as without a lane until they poll, unless the lanes of `before` know better. */
  #lanesNow(before?: Lanes): Lanes | undefined {
    const isUsed = this.#shares.length > 0 && this.#order.isLike(NO_DRAWS);
    return isUsed ? new Lanes(this.#shares, this.#places.keys(), before) : undefined;
  }

  #noteCalled(place: number, noShow: 0 | 1): void {
    if (place <= this.#horizon) this.#turnout.noteCalled(noShow);
  }
}

/** When a visitor must have polled again who at `heardMs` was asked to do so in `pauseMs`. */
function dueMs(heardMs: number, pauseMs: number): number {
  return heardMs + OVERDUE.part * pauseMs + OVERDUE.ms;
}

/**
 * The first key from `key` on that a line with this offset gives at the start of a ms. After a visitor whose clock was
 * ahead, and who has stood in two lines, both lines count on from that key: they must not give the same ones.
 */
function ownKeyFrom(key: number, offset: number): number {
  return Math.ceil((key - offset) / KEYS_PER_MS) * KEYS_PER_MS + offset;
}
