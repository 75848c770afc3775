/** A room as the API gives it: its document, with what is not declared in it. */

import { z } from "zod";
import type { Shape } from "../config/document-fields.ts";
import { timeText } from "../config/field-kinds.ts";
import type { EventNow } from "../config/room.ts";
import { type RoomDocument, roomDocument } from "../config/room-document.ts";
import { isoOf } from "../iso-time.ts";
import { nextEvent } from "./event-in-force.ts";
import type { LiveRoom } from "./live-room.ts";
import { type OrderStatus, orderStatus } from "./room-order.ts";

export const ROOM_ID = z
  .string()
  .regex(/^[0-9a-f]{16}$/)
  .describe("kept for life, also when the room is renamed");

export const EVENT_NOW = z
  .object({
    name: z.string().describe("the event's name"),
    phase: z.enum(["prequeue", "active"]).describe("prequeue: visitors are held in line; active: its values apply"),
    event_start_time: timeText.describe("when its values begin to apply"),
    event_end_time: timeText.describe("when the room's own values apply again"),
  })
  .nullable()
  .describe("the event of now; null for none");

export const NEXT_EVENT = z
  .object({
    name: z.string().describe("the event's name"),
    prequeue_start_time: timeText.nullable().describe("when visitors are first held in line; null without a pre-queue"),
    event_start_time: timeText.describe("when its values begin to apply"),
    event_end_time: timeText.describe("when the room's own values apply again"),
  })
  .nullable()
  .describe("the event that begins next; null for none");

/** An event that is under way, or whose visitors are held in line. */
type ApiEventNow = NonNullable<Shape<typeof EVENT_NOW>>;

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

/** The event that begins next; null for none. */
export function apiNextEvent(live: LiveRoom): Shape<typeof NEXT_EVENT> {
  const next = nextEvent(live.declared, live.nowMs);
  if (next === undefined || next.startMs === live.event?.startMs) return null;
  const { name, prequeueMs, startMs, endMs } = next;
  return {
    name,
    event_start_time: isoOf(startMs),
    event_end_time: isoOf(endMs),
    prequeue_start_time: prequeueMs === undefined ? null : isoOf(prequeueMs),
  };
}

export function apiEventNow({ name, phase, startMs, endMs }: EventNow): ApiEventNow {
  return { name, phase, event_start_time: isoOf(startMs), event_end_time: isoOf(endMs) };
}
