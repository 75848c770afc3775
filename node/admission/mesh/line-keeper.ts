/**
 * The line of this locality at this node: kept here if it is the ticket counter, otherwise as the counter reports it.
 *
 * The counter sends its siblings summaries of the line, and they report which visitors have polled at them. That nobody
 * waits they see in its gauges. When another node becomes the counter, the line moves: the old one hands it on, and the
 * new one continues the newest that it has heard of. Visitors who have polled at it meanwhile keep their places.
 */

import type { NodeId, RoomId } from "../../../mesh/core/ids.ts";
import type { Admission, Standing } from "../admission.ts";
import type { LineSummary } from "../line.ts";
import { NO_DRAWS, type QueueOrder } from "../queue-order.ts";
import { decidesAlone, orderIn, type RoomConfig } from "../room-config.ts";
import type { Counters } from "./counters.ts";
import { waitingByMinute } from "./elsewhere.ts";
import { coarser, countBefore, type LinePlaces, sizeOf } from "./line-places.ts";
import type { RoomMessageOf } from "./room-messages.ts";
import type { Gauge, RoomNode, Waiting } from "./room-node.ts";
import { LINE } from "./stored-room.ts";

/**
 * How often the ticket counter sends its siblings a summary of the line; those older than `FRESH_MS` are ignored.
 */
const LINE_MS = 500;
/** Polled keys collected before they are sent at once; otherwise they go with the next tick. */
const POLLS_MAX = 2_000;

export interface LineKeeperParts {
  readonly id: RoomId;
  readonly roomNode: RoomNode;
  readonly config: RoomConfig;
  readonly admission: Admission;
  readonly counters: Counters;
}

export class LineKeeper {
  readonly #parts: LineKeeperParts;
  readonly #view = new LineView();
  /** By queue key: visitors who polled here, and in how many seconds they should poll again. */
  readonly #polled = new Map<number, { readonly pauseSeconds: number; readonly lane: number }>();
  #isCounter = false;
  #isSaved = true;
  #saidMs = Number.NEGATIVE_INFINITY;
  #saidHorizon = 0;
  #wasSaidEmpty = true;
  /** The gauges of who reported the line, as they were then. */
  #gaugeThen: Gauge | undefined;
  #waiting: Waiting = [];
  #places: LinePlaces = [];

  constructor(parts: LineKeeperParts) {
    this.#parts = parts;
  }

  /** Visitors waiting in this locality's line, as far as known here. */
  get size(): number {
    const { config, admission, counters } = this.#parts;
    return counters.isSelf || decidesAlone(config.room) ? admission.waiting : this.#view.size;
  }

  /** The same by the minute they joined in, as of the last tick. */
  get waiting(): Waiting {
    return this.#waiting;
  }

  /** Where they stand, as of the last tick. */
  get places(): LinePlaces {
    return this.#places;
  }

  /** The same as this node reports it to all others: only the counter has a line. */
  get placesToTell(): LinePlaces {
    return this.#isCounter ? this.#places : [];
  }

  /** Visitors waiting as the counter last reported. */
  get heardSize(): number {
    return this.#view.size;
  }

  /** Whether the counter has told its line lately, or that there is none. */
  isFresh(nowMs: number): boolean {
    return this.#isHeard(nowMs) || (this.#view.size === 0 && this.#isToldEmpty);
  }

  #isHeard(nowMs: number): boolean {
    return this.#view.isFresh(this.#parts.counters.first, nowMs);
  }

  /** Whether gauges of the counter are known, and neither these nor those of a sibling name a line. */
  get #isToldEmpty(): boolean {
    const { id, roomNode, counters } = this.#parts;
    const siblings = roomNode.alive().get(roomNode.locality) ?? [];
    const keepsLine = (node: NodeId): boolean => (roomNode.gauge(node, id)?.places.length ?? 0) > 0;
    return roomNode.gauge(counters.first, id) !== undefined && !siblings.some(keepsLine);
  }

  /** Where a visitor stands who has not been called yet, if this gate knows it without asking the counter. */
  standingOf(key: number, nowMs: number): Standing | undefined {
    const view = this.#view;
    const order = orderIn(this.#parts.config);
    if (!this.#isHeard(nowMs) || !view.isIn(order) || view.size === 0) return undefined;
    const place = order.placeOf(key);
    if (view.isCalled(place)) return undefined;
    return { key, rank: view.rankOf(place) };
  }

  /** A visitor polled here, and was asked to poll again. */
  notePoll(key: number, pauseSeconds: number, lane: number): void {
    this.#polled.set(key, { pauseSeconds, lane });
    if (this.#polled.size >= POLLS_MAX) this.#tellPolls();
  }

  /** A report about the line from the counter, or from the one before this node when it hands the line over. */
  hear(from: NodeId, { line, outlook, isParting }: RoomMessageOf<"line">, nowMs: number): void {
    const { id, roomNode, config, admission, counters } = this.#parts;
    if (counters.isSelf) {
      if (isParting) this.#succeed(line, nowMs);
      if (isParting && outlook !== undefined) admission.followOutlook(outlook, nowMs);
      return;
    }
    // A node that wrongly considers itself the counter, as at a start, is ignored while the counter is heard.
    const [counter = from] = counters.here();
    if (from !== counter && this.#view.isFresh(counter, nowMs)) return;
    this.#view.hear(from, line, nowMs);
    this.#gaugeThen = roomNode.gauge(from, id);
    // What this node kept as a stand-in, or before a restart, belongs to the counter: two lines would pull the slots
    // back and forth.
    const isRightful = from === counters.here()[0] && !this.#isCounter && !decidesAlone(config.room);
    if (isRightful && admission.waiting > 0) admission.followLine(undefined, nowMs);
    if (outlook !== undefined) admission.followOutlook(outlook, nowMs);
  }

  /** Asked as ticket counter, perhaps before this node knows that it is: it continues the line that it has heard of. */
  standIn(nowMs: number): void {
    const { admission } = this.#parts;
    if (!this.#isCounter && admission.waiting === 0 && this.#view.size > 0)
      admission.followLine(this.#view.summary, nowMs);
  }

  /** Twice a second: takes the line over or hands it on, if that is due. */
  turn(nowMs: number): void {
    const { roomNode, admission } = this.#parts;
    const isCounter = this.#parts.counters.isSelf;
    if (isCounter) this.standIn(nowMs);
    // Some have polled here before, through gates that knew it sooner: they are a part of the line, not all of it.
    if (isCounter && !this.#isCounter && this.#view.size > admission.waiting) this.#succeed(this.#view.summary, nowMs);
    if (!isCounter && this.#isCounter) {
      this.#view.hear(roomNode.self, admission.lineSummary, nowMs);
      this.#saidMs = Number.NEGATIVE_INFINITY;
      this.#say(nowMs, true);
      admission.followLine(undefined, nowMs);
    }
    this.#isCounter = isCounter;
    // The last report may be lost. Gauges from before it say nothing about it.
    const isNews = !isCounter && roomNode.gauge(this.#parts.counters.first, this.#parts.id) !== this.#gaugeThen;
    if (isNews && !this.#isHeard(nowMs) && this.#isToldEmpty) this.#view.clear();
    const line = isCounter ? admission.lineSummary : this.#view.summary;
    this.#places = coarser(line.ranges);
    this.#waiting = waitingByMinute(this.#places, roomNode.minuteMs);
  }

  /** Twice a second: the counter sends its siblings the line, and they report which visitors have polled. */
  tell(nowMs: number): void {
    if (this.#isCounter) this.#say(nowMs);
    else this.#tellPolls();
  }

  /**
   * The line on disk may lag by a tick if the process is killed: that makes a position inexact, and never loses a
   * place.
   */
  save(): void {
    const { id, roomNode, admission } = this.#parts;
    if (admission.waiting === 0 && !this.#isSaved) return;
    this.#isSaved = admission.waiting > 0;
    roomNode.outbox.putLater(LINE.at(id), () => admission.lineSummary);
  }

  /**
   * The counter before this one hands over its line; visitors who have polled here meanwhile keep their places in it.
   */
  #succeed(line: LineSummary, nowMs: number): void {
    const { admission } = this.#parts;
    const own = admission.heardKeys(POLLS_MAX);
    admission.followLine(line, nowMs);
    admission.notePolls(own, nowMs);
  }

  #say(nowMs: number, isParting = false): void {
    const { id, roomNode, admission } = this.#parts;
    const siblings = (roomNode.alive().get(roomNode.locality) ?? []).filter((node) => node !== roomNode.self);
    const isEmpty = admission.waiting === 0;
    if (siblings.length === 0 || (isEmpty && this.#wasSaidEmpty && !isParting)) return;
    const ageMs = nowMs - this.#saidMs;
    const { lineSummary: line } = admission;
    // A call is news at once. Half an interval may be missing: ticks do not come at exact times.
    if (line.horizon === this.#saidHorizon && ageMs >= 0 && ageMs < LINE_MS / 2) return;
    this.#saidMs = nowMs;
    this.#saidHorizon = line.horizon;
    this.#wasSaidEmpty = isEmpty;
    const outlook = admission.outlook(nowMs);
    const message = { kind: "line", room: id, line, ...(outlook && { outlook }), isParting } as const;
    for (const node of siblings) roomNode.outbox.send(node, message);
  }

  #tellPolls(): void {
    if (this.#polled.size === 0) return;
    const { id: room, roomNode, counters } = this.#parts;
    const keys = [...this.#polled.keys()];
    const pauses = Array.from(this.#polled.values(), ({ pauseSeconds }) => pauseSeconds);
    const lanes = Array.from(this.#polled.values(), ({ lane }) => lane);
    const polls = { keys, pauses, ...(lanes.some((lane) => lane > 0) && { lanes }) };
    if (!counters.isSelf) roomNode.outbox.send(counters.first, { kind: "polls", room, ...polls });
    this.#polled.clear();
  }
}

/** How old a summary may be while new visitors may be admitted past the line it shows. */
const FRESH_MS = 2_000;

/**
 * A room's line as a gate knows it: what the ticket counter last reported.
 *
 * From it, polls are answered without a hop, and a successor continues when the counter is gone.
 */
export class LineView {
  #from: NodeId | undefined;
  #heardMs = Number.NEGATIVE_INFINITY;
  #summary: LineSummary = { horizon: 0, lastKey: 0, ranges: [] };
  #size = 0;

  get summary(): LineSummary {
    return this.#summary;
  }

  /** Visitors waiting. */
  get size(): number {
    return this.#size;
  }

  /** Records what `from` reports about the line it keeps. */
  hear(from: NodeId, summary: LineSummary, nowMs: number): void {
    this.#from = from;
    this.#heardMs = nowMs;
    this.#summary = summary;
    this.#size = sizeOf(summary.ranges);
  }

  /** Those who waited have left. */
  clear(): void {
    this.#summary = { ...this.#summary, ranges: [] };
    this.#size = 0;
  }

  /** Whether the summary came from `counter`, and lately. */
  isFresh(counter: NodeId, nowMs: number): boolean {
    const ageMs = nowMs - this.#heardMs;
    return this.#from === counter && ageMs < FRESH_MS && ageMs > -FRESH_MS;
  }

  /** Whether the line is in this order: while a change of it is on its way, the counter knows best. */
  isIn(order: QueueOrder): boolean {
    return order.isLike(this.#summary.draws ?? NO_DRAWS);
  }

  /** Whether the visitor at `place` has been called, as far as known. */
  isCalled(place: number): boolean {
    return place <= this.#summary.horizon;
  }

  /** Where the visitor at `place` stands now, 1 = next. */
  rankOf(place: number): number {
    return countBefore(this.#summary.ranges, place) + 1;
  }
}
