/** Metrics of rooms: how full, who waits and how long, what became of requests, what is idle. */

import type { Peer } from "../../peer/peer.ts";
import { IGNORED_COMMANDS } from "../../rooms/command-counts.ts";
import type { LiveRoom } from "../../rooms/live-room.ts";
import { BAD_COOKIES, CUT_REASONS, OUTCOMES, PASS_RESULTS, PROOFS } from "../../rooms/room-counts.ts";
import { ORDERS } from "../../rooms/room-order.ts";
import { idleStatus, sharesOf } from "../status/shares.ts";
import type { IdleStatus } from "../status/status.ts";
import { waitSeconds } from "../status/status-of.ts";
import type { MetricFamilies } from "./metric-family.ts";

export interface RoomMetricsParts {
  readonly rooms: () => readonly LiveRoom[];
  readonly peer: Peer;
  readonly clock: () => number;
}

export function roomMetrics(families: MetricFamilies, { rooms, peer, clock }: RoomMetricsParts): void {
  families.roomGauge("inside", "Slots held by sessions of this node.", (live) => live.admission.inside(clock()));
  families.roomGauge(
    "inside_limit",
    "Limit on slots held at once, of the whole room.",
    ({ room }) => room.totalActiveUsers,
  );
  families.roomGauge("waiting", "Visitors in the line that this node keeps.", (live) => live.admission.waiting);
  families.roomGauge("waiting_limit", "Most visitors in one line (queue_max).", ({ room }) => room.queueMax);
  families.roomGauge("queue_fullness_ratio", "Part of queue_max that waits here, 0 to 1.", ({ admission, room }) =>
    Math.min(1, admission.waiting / room.queueMax),
  );
  families.roomGauge("admitted_this_minute", "Admissions of this node in the current minute.", (live) =>
    live.admission.admittedInMinute(clock()),
  );
  families.roomGauge(
    "admitted_this_minute_limit",
    "Limit on admissions in a minute, of the whole room.",
    ({ room }) => room.newUsersPerMinute,
  );
  families.roomGauge(
    "admitted_this_minute_allowed",
    "Admissions in a minute that limit, ramp and origin allow the whole room.",
    ({ room, meshRoom }) =>
      Math.min(room.newUsersPerMinute, meshRoom.pace.holding?.perMinute ?? Number.POSITIVE_INFINITY),
  );
  families.roomGauge(
    "held_back_ratio",
    "Part of new visitors held back as the origin fails, 0 to 1.",
    ({ meshRoom }) => meshRoom.pace.holding?.share ?? 0,
  );
  families.roomGauge(
    "held_back_visitors",
    "Visitors in line here while something besides the limits holds new ones back.",
    ({ admission, meshRoom }) => (meshRoom.pace.holding === undefined ? 0 : admission.waiting),
  );
  families.roomGauge(
    "wait_estimate_seconds",
    "Estimated wait of a visitor who joins now; none if unknown.",
    (live) => waitSeconds(live, peer, clock()) ?? undefined,
  );
  families.histogram(
    "wait_duration_seconds",
    "Waits of visitors admitted from the line.",
    ({ counts }) => counts.waits,
  );
  families.histograms(
    "ticket_duration_seconds",
    {
      help: "Time until another node's ticket counter answered: near in the own locality, far in another one.",
      label: "reach",
    },
    ({ meshRoom }) => meshRoom.ticketTimes,
  );
  families.histogram("decision_duration_seconds", "Time until the gate's decision.", ({ counts }) => counts.decisions);
  families.histogram(
    "origin_duration_seconds",
    "Time until an origin's answer began, or failed.",
    ({ counts }) => counts.origin,
  );
  families.gauges(
    "operator_order_timestamp_seconds",
    {
      help: "Since when an order (hold, open, sold-out) applies, as Unix time; 0 without one.",
      labels: ["room", "order"],
    },
    (set) => {
      for (const { room, order: given } of rooms()) {
        for (const order of ORDERS) set({ room: room.name, order }, given?.kind === order ? given.sinceMs / 1_000 : 0);
      }
    },
  );
  counts(families, rooms);
  longLived(families, rooms);
  originCommands(families, rooms);
  idleMetrics(families, { peer, clock });
}

function counts(families: MetricFamilies, rooms: () => readonly LiveRoom[]): void {
  const byLabel = <Label extends string, Name extends string>(
    name: string,
    about: { readonly help: string; readonly label: Label; readonly values: readonly Name[] },
    read: (live: LiveRoom) => Readonly<Record<Name, number>>,
  ): void =>
    families.counter(name, { help: about.help, labels: ["room", about.label] }, (add) => {
      for (const live of rooms()) {
        const now = read(live);
        for (const value of about.values)
          add({ room: live.room.name, [about.label]: value } as Record<"room" | Label, string>, now[value]);
      }
    });
  byLabel(
    "requests_total",
    { help: "Requests by outcome.", label: "outcome", values: OUTCOMES },
    (live) => live.counts.requests,
  );
  byLabel(
    "bad_cookies_total",
    { help: "Cookies that were not accepted.", label: "reason", values: BAD_COOKIES },
    (live) => live.counts.badCookies,
  );
  byLabel(
    "passes_total",
    { help: "Passes by what became of them.", label: "result", values: PASS_RESULTS },
    (live) => live.counts.passes,
  );
  byLabel(
    "proofs_total",
    { help: "Proofs of work by what came of them.", label: "result", values: PROOFS },
    (live) => live.counts.proofs,
  );
  families.roomCount(
    "sessions_ended_total",
    "Sessions whose slot came free.",
    ({ admission }) => admission.sessions.released,
  );
  families.roomCount("sessions_revoked_total", "Sessions that the origin revoked.", (live) => live.counts.revoked);
  families.roomCount(
    "sessions_completed_total",
    "Sessions that the origin completed.",
    (live) => live.counts.completed,
  );
  families.roomCount(
    "shed_visitors_total",
    "Visitors sent away by a node under pressure.",
    (live) => live.counts.requests.shed,
  );
}

function longLived(families: MetricFamilies, rooms: () => readonly LiveRoom[]): void {
  const help = "WebSockets, streams and other long exchanges that the gate ended: over, revoked, or full.";
  families.counter("long_lived_ended_total", { help, labels: ["room", "why"] }, (add) => {
    for (const { room, counts } of rooms())
      for (const why of CUT_REASONS) add({ room: room.name, why }, counts.cut[why]);
  });
}

/** What origins order; a label has few values, whatever they write. */
function originCommands(families: MetricFamilies, rooms: () => readonly LiveRoom[]): void {
  families.counter(
    "origin_commands_total",
    { help: "Commands of the origin that were obeyed, by its reason.", labels: ["room", "command", "reason"] },
    (add) => {
      for (const { room, counts } of rooms())
        for (const { command, reason, count } of counts.commands.all())
          add({ room: room.name, command, reason }, count);
    },
  );
  families.counter(
    "origin_commands_ignored_total",
    { help: "Commands of the origin that were not obeyed.", labels: ["room", "why"] },
    (add) => {
      for (const { room, counts } of rooms())
        for (const why of IGNORED_COMMANDS) add({ room: room.name, why }, counts.commands.ignored[why]);
    },
  );
}

/** What is idle is computed once for all metrics of a scrape: it may be so old. */
const IDLE_MS = 1_000;

/** As in the status, for all lost nodes that this node has heard of. */
function idleMetrics(families: MetricFamilies, { peer, clock }: Pick<RoomMetricsParts, "peer" | "clock">): void {
  const known = new WeakMap<LiveRoom, IdleStatus & { readonly atMs: number }>();
  const idle = (live: LiveRoom): IdleStatus => {
    const before = known.get(live);
    const atMs = clock();
    if (before !== undefined && Math.abs(atMs - before.atMs) < IDLE_MS) return before;
    const { room, id, admission } = live;
    const now = idleStatus(sharesOf(room, peer, { room: id, minute: admission.minuteAt(atMs) }), room);
    known.set(live, { ...now, atMs });
    return now;
  };
  families.roomGauge(
    "idle_slots",
    "Slots of the whole room that are idle because their node is lost or holds them; the same at each node.",
    (live) => idle(live).active_slots,
  );
  families.roomGauge("idle_ratio", "Part of the room's slots that is idle, 0 to 1.", (live) => idle(live).part);
  families.roomGauge(
    "idle_arrival_slots",
    "Admissions in a minute that are idle in the same way.",
    (live) => idle(live).arrivals_slots,
  );
  families.roomGauge(
    "idle_until_timestamp_seconds",
    "When the last idle slot is usable again at the latest, as Unix time; 0 if none is idle or an end is not known. A node that joined after a loss has not heard the lost node, and may say a later time until the removal.",
    (live) => (idle(live).until_ms ?? 0) / 1_000,
  );
}
