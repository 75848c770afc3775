/** A room as the API gives it: its document, with what is not declared in it. */

import type { EventNow } from "../config/room.ts";
import { type RoomDocument, roomDocument } from "../config/room-document.ts";
import { isoOf } from "../iso-time.ts";
import { nextEvent } from "./event-in-force.ts";
import type { LiveRoom } from "./live-room.ts";
import { type OrderStatus, orderStatus } from "./room-order.ts";

/** An event that is under way, or whose visitors are held in line. */
export interface ApiEventNow {
  readonly name: string;
  readonly phase: "prequeue" | "active";
  readonly event_start_time: string;
  readonly event_end_time: string;
}

/** A room's document as the API gives it, with the fields that are not declared in it. */
export interface ApiRoom extends RoomDocument {
  readonly id: string;
  readonly operator_order: OrderStatus | null;
  /** The event of now. */
  readonly current_event: ApiEventNow | null;
  /** ISO 8601; null if no event comes, or if it has no pre-queue. */
  readonly next_event_prequeue_start_time: string | null;
  readonly next_event_start_time: string | null;
  readonly created_on: string;
  readonly modified_on: string;
}

/** A room's document as the API gives it. */
export function apiDocument(live: LiveRoom): ApiRoom {
  const next = nextEvent(live.declared, live.nowMs);
  return {
    id: live.id,
    ...roomDocument(live.declared),
    operator_order: orderStatus(live.order),
    current_event: live.event === undefined ? null : apiEventNow(live.event),
    next_event_prequeue_start_time: next?.prequeueMs === undefined ? null : isoOf(next.prequeueMs),
    next_event_start_time: next === undefined ? null : isoOf(next.startMs),
    created_on: isoOf(live.createdMs),
    modified_on: isoOf(live.modifiedMs),
  };
}

/** The event that begins next. */
export interface ApiNextEvent {
  readonly name: string;
  readonly prequeue_start_time: string | null;
  readonly event_start_time: string;
  readonly event_end_time: string;
}

/** The event that begins next; null for none. */
export function apiNextEvent(live: LiveRoom): ApiNextEvent | null {
  const next = nextEvent(live.declared, live.nowMs);
  if (next === undefined || next.startMs === live.event?.startMs) return null;
  const { name, prequeueMs, startMs, endMs } = next;
  return {
    ...{ name, event_start_time: isoOf(startMs), event_end_time: isoOf(endMs) },
    prequeue_start_time: prequeueMs === undefined ? null : isoOf(prequeueMs),
  };
}

export function apiEventNow({ name, phase, startMs, endMs }: EventNow): ApiEventNow {
  return { name, phase, event_start_time: isoOf(startMs), event_end_time: isoOf(endMs) };
}
