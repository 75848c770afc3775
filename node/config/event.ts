/**
 * An event of a room: a span of time with a configuration of its own, such as a sale.
 *
 * What an event does not set, it inherits from the room. From `prequeueMs` to the start all new visitors are held in
 * line; from the start to the end the event's own values apply. The spans of a room's events do not overlap.
 */

import type { QueueingMethod } from "./queueing-method.ts";
import type { Ramp } from "./ramp.ts";

export interface RoomEvent {
  /** Unique in its room. */
  readonly name: string;
  readonly description: string;
  /** Whether the room takes no notice of it. */
  readonly suspended: boolean;
  /** Unix ms. */
  readonly startMs: number;
  readonly endMs: number;
  /** Undefined if visitors are not held before the start. */
  readonly prequeueMs: number | undefined;
  /** Whether the places of all who joined before the start are drawn at the start. */
  readonly shuffles: boolean;
  /** Whether that is a draw that anybody can check; see docs/draw.md. Not where the document says nothing. */
  readonly isDrawn?: boolean;
  /** The public value that goes into the draw, in words: which one, and where it is published; empty for none. */
  readonly drawValue?: string;
  /** What the event sets; both limits or none. */
  readonly totalActiveUsers: number | undefined;
  readonly newUsersPerMinute: number | undefined;
  readonly sessionDuration: number | undefined;
  readonly disableSessionRenewal: boolean | undefined;
  readonly queueingMethod: QueueingMethod | undefined;
  /** Mustache template of the waiting page; empty for the room's. */
  readonly customPageHtml: string;
  readonly ramp: Ramp | undefined;
}

/** Most events of a room: one a day for almost three years. All of a room's document is at most 256 KiB. */
export const EVENTS_MAX = 1_000;

/** From when on an event changes the room. */
export function fromMs({ prequeueMs, startMs }: Pick<RoomEvent, "prequeueMs" | "startMs">): number {
  return prequeueMs ?? startMs;
}
