/**
 * A room as its events make it work at a moment.
 *
 * Every node computes it by the time of its rooms, so an event starts and ends on all nodes within what clocks may
 * differ, and no message and no writer is needed for it. A start or an end reaches the room by the way that an
 * operator's change of it takes.
 */

import { fromMs, type RoomEvent } from "../config/event.ts";
import type { DrawNow, EventNow, Room } from "../config/room.ts";

/** A room at a moment. */
export interface RoomAt {
  readonly room: Room;
  /** The time for which that holds, in Unix ms: from `sinceMs` to before `untilMs`. */
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** What is known of the draw of an event whose pre-queue has begun; undefined where it has none. */
export type DrawOf = (event: RoomEvent) => DrawNow | undefined;

/** The room as it works at `nowMs`, and for how long. Without `drawOf` nothing is drawn. */
export function roomAt(declared: Room, nowMs: number, drawOf?: DrawOf): RoomAt {
  const events = takenUp(declared);
  const turns = events.flatMap((event) => [fromMs(event), event.startMs, event.endMs]);
  const sinceMs = Math.max(Number.NEGATIVE_INFINITY, ...turns.filter((turnMs) => turnMs <= nowMs));
  const untilMs = Math.min(Number.POSITIVE_INFINITY, ...turns.filter((turnMs) => turnMs > nowMs));
  const event = events.find((each) => fromMs(each) <= nowMs && nowMs < each.endMs);
  const draw = drawOf && lastDraw(events, nowMs, drawOf);
  const base = draw === undefined ? declared : { ...declared, draw };
  return { room: event === undefined ? base : during(base, event, nowMs), sinceMs, untilMs };
}

/**
 * The draw whose pre-queue began last. Its order stays when the event is over, until another one begins: who was drawn
 * and still waits keeps the place.
 */
function lastDraw(events: readonly RoomEvent[], nowMs: number, drawOf: DrawOf): DrawNow | undefined {
  const begun = events.filter(({ prequeueMs }) => prequeueMs !== undefined && prequeueMs <= nowMs);
  return begun.reduce<DrawNow | undefined>((last, event) => {
    const draw = drawOf(event);
    return draw === undefined || (last !== undefined && draw.startMs <= last.startMs) ? last : draw;
  }, undefined);
}

/** The event that starts next. */
export function nextEvent(declared: Room, nowMs: number): RoomEvent | undefined {
  const coming = takenUp(declared).filter(({ startMs }) => nowMs < startMs);
  return coming.reduce<RoomEvent | undefined>(
    (first, each) => (first === undefined || each.startMs < first.startMs ? each : first),
    undefined,
  );
}

export type EventPhase = "suspended" | "upcoming" | "prequeue" | "active" | "ended";

/** Where an event is at `nowMs`. */
export function phaseOf(event: RoomEvent, nowMs: number): EventPhase {
  if (nowMs >= event.endMs) return "ended";
  if (event.suspended) return "suspended";
  if (nowMs >= event.startMs) return "active";
  return nowMs >= fromMs(event) ? "prequeue" : "upcoming";
}

function takenUp({ events = [] }: Room): RoomEvent[] {
  return events.filter(({ suspended }) => !suspended);
}

function during(room: Room, each: RoomEvent, nowMs: number): Room {
  const { name, startMs, endMs, shuffles } = each;
  const common = {
    ...room,
    queueingMethod: each.queueingMethod ?? room.queueingMethod,
    customPageHtml: each.customPageHtml === "" ? room.customPageHtml : each.customPageHtml,
  };
  // Until the seed of its draw is known, nobody knows who is first.
  const isDrawing = each.isDrawn === true && room.draw?.startMs === startMs && room.draw.seed === undefined;
  const phase = nowMs < startMs || isDrawing ? "prequeue" : "active";
  const event: EventNow = { name, phase, startMs, endMs, shuffles };
  if (event.phase === "prequeue") return { ...common, queueAll: true, event };
  return {
    ...common,
    totalActiveUsers: each.totalActiveUsers ?? room.totalActiveUsers,
    newUsersPerMinute: each.newUsersPerMinute ?? room.newUsersPerMinute,
    sessionDuration: each.sessionDuration ?? room.sessionDuration,
    disableSessionRenewal: each.disableSessionRenewal ?? room.disableSessionRenewal,
    ramp: each.ramp ?? room.ramp,
    event,
  };
}
