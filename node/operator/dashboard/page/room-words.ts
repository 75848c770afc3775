/** What is said about a room on its card, and which rooms need an operator first. */

import type { RoomStatus, ShareStatus } from "../../status/status.ts";
import { nameOf } from "./latest.ts";
import { clockText, dayText } from "./times.ts";

export const numbers = new Intl.NumberFormat("en");

export const STATES: Readonly<Record<RoomStatus["state"], string>> = {
  free: "free",
  queueing: "queueing",
  prequeue: "before the sale",
  held: "held",
  passthrough: "open for all",
  rejecting: "closed",
  suspended: "suspended",
};

/** A room that does not admit by its limits: somebody may have forgotten it. */
const UNUSUAL: Readonly<Partial<Record<RoomStatus["state"], string>>> = {
  held: "is held: nobody new comes in",
  rejecting: "is closed: new visitors are turned away",
  passthrough: "is open for all: its limits do not apply",
  suspended: "is suspended: its limits do not apply",
};

const ORDERED = {
  hold: "held by an operator",
  open: "opened by an operator",
  "sold-out": "closed as sold out",
} as const;

const IDLE: readonly ShareStatus["state"][] = ["pot", "lost", "held"];
const REASONS: Readonly<Record<string, string>> = {
  silent: "its node does not answer",
  removed: "its node was removed and may still run",
  forgotten: "its node was forgotten, and its sessions may go on",
  held: "it may have lost admissions",
};

/** What about a room an operator should look at first. */
export function needsOf(room: RoomStatus): readonly string[] {
  const { name, state, origin } = room;
  const unusual = UNUSUAL[state];
  const isDown = origin !== undefined && !origin.reachable;
  return [
    ...(isDown ? [`${name} is down: no origin answers`] : []),
    ...(unusual === undefined ? [] : [`${name} ${unusual}`]),
  ];
}

/** Rooms with a need first, then those with the longest lines. */
export function byNeed(one: RoomStatus, other: RoomStatus): number {
  const needs = needsOf(other).length - needsOf(one).length;
  return needs || other.waiting - one.waiting || one.name.localeCompare(other.name);
}

export function waitText(seconds: number | null): string {
  if (seconds === null) return "unknown";
  if (seconds === 0) return "none";
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

/** All that a card says in words, one clause after the other. */
export function wordsOf(room: RoomStatus): string {
  const { operator_order: order, event, next_event: next, site, pace, origin } = room;
  return [
    ...(order === null ? [] : [`${ORDERED[order.order]} since ${dayText(Date.parse(order.since))}`]),
    ...(event ? [eventText(event)] : []),
    ...(next ? [`next event ${next.name} starts ${dayText(Date.parse(next.event_start_time))}`] : []),
    ...(site ? [site.words] : []),
    ...(pace ? [pace.words] : []),
    ...(origin && !origin.reachable ? ["no origin answers"] : []),
    ...(origin?.rollout ? [origin.rollout.words] : []),
  ].join(" · ");
}

function eventText({
  name,
  phase,
  event_start_time: start,
  event_end_time: end,
}: NonNullable<RoomStatus["event"]>): string {
  return phase === "prequeue"
    ? `event ${name} starts ${dayText(Date.parse(start))}`
    : `event ${name} until ${dayText(Date.parse(end))}`;
}

export function idleText({ shares }: RoomStatus): string {
  const idle = shares.filter(({ state, active_slots: slots }) => IDLE.includes(state) && slots > 0);
  return idle
    .map((share) => {
      const { node, account, active_slots: slots, idle_reason: reason = "" } = share;
      const why = REASONS[reason] ?? (reason || "their node is gone");
      return `${numbers.format(slots)} slots of ${nameOf(node ?? account)} are idle (${why}) ${untilText(share)}`;
    })
    .join(" · ");
}

function untilText({ idle_until_ms: endMs, removal_ms: removalMs }: ShareStatus): string {
  if (endMs === null) return "until its node is back or removed";
  const end = `until ${clockText(endMs)}`;
  return removalMs === undefined
    ? end
    : `until it is back or removed at ${clockText(removalMs)}; what it may hold stays idle ${end} at the latest`;
}
