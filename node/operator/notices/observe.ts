/**
 * What a status says about the subjects of notices: the value of each, and what a change of it means.
 *
 * A value counts once it has held for some time, so that nothing flaps: the start of trouble for seconds, its end for
 * longer.
 */

import type { MemberStatus, NodeStatus, RoomStatus } from "../status/status.ts";
import type { NoticeData, NoticeType } from "./notice.ts";

export interface Observation {
  readonly subject: string;
  readonly value: string;
  readonly data: NoticeData;
}

/** The values that were reported last, by subject. */
export type Values = ReadonlyMap<string, string>;

interface Kind {
  /** The value of a subject of which nothing was reported. */
  readonly normal?: string;
  /** What a change to a value is called. */
  readonly types: Readonly<Record<string, NoticeType>>;
  /**
   * How long a value must have held, in ms or in room minutes, so that trials with short minutes have short times.
   * Halved starts report what is over before anybody can look; halved ends report one trouble as several.
   */
  readonly held: Readonly<Record<string, { readonly ms: number } | { readonly minutes: number }>>;
}

/** With what a room's status is compared, and when it was made. */
interface Looked extends Pick<NodeStatus, "now_ms" | "minute_ms"> {
  readonly version: string;
  readonly values: Values;
}

/** By the first word of a subject: `origin http://…` is of the kind `origin`. */
const KINDS: Readonly<Record<string, Kind>> = {
  order: {
    normal: "none",
    types: { hold: "room.held", open: "room.opened", none: "room.resumed" },
    held: {},
  },
  queueing: {
    normal: "no",
    types: { yes: "room.queueing_started", no: "room.queueing_ended" },
    held: { yes: { ms: 2_000 }, no: { minutes: 1 } },
  },
  sold_out: {
    normal: "no",
    types: { yes: "room.sold_out_started", no: "room.sold_out_ended" },
    held: { no: { ms: 5_000 } },
  },
  idle: {
    normal: "no",
    types: { yes: "room.share_idle_started", no: "room.share_idle_ended" },
    held: { yes: { ms: 5_000 }, no: { ms: 10_000 } },
  },
  paced: {
    normal: "no",
    types: { yes: "room.limit_paced_started", no: "room.limit_paced_ended" },
    held: { yes: { ms: 5_000 }, no: { minutes: 1 } },
  },
  origin: {
    normal: "up",
    types: { down: "origin.down", up: "origin.up" },
    held: { up: { ms: 5_000 } },
  },
  event: {
    normal: "none",
    types: {
      near: "event.approaching",
      prequeue: "event.prequeue_started",
      active: "event.started",
      none: "event.ended",
    },
    held: { none: { ms: 5_000 } },
  },
  node: {
    types: { here: "node.back", lost: "node.lost", removed: "node.removed", left: "node.left" },
    held: { lost: { ms: 3_000 }, here: { ms: 5_000 } },
  },
};

function kindOf(subject: string): Kind | undefined {
  return KINDS[wordOf(subject)];
}

function wordOf(subject: string): string {
  return subject.split(" ", 1)[0] ?? "";
}

export function normalOf(subject: string): string | undefined {
  return kindOf(subject)?.normal;
}

export function heldMs(subject: string, value: string, minuteMs: number): number {
  const held = kindOf(subject)?.held[value];
  if (held === undefined) return 0;
  return "ms" in held ? held.ms : held.minutes * minuteMs;
}

/** Two looks are so far apart. */
const LOOK_MS = 1_000;

/** Two changes of a subject to one value are at least so far apart: each value between them has held. */
export function apartMs(subject: string, minuteMs: number): number {
  const values = Object.keys(kindOf(subject)?.held ?? {});
  return values.reduce((sum, value) => sum + heldMs(subject, value, minuteMs), LOOK_MS);
}

/** Whether a subject with this value is forgotten. */
export function isOver(subject: string, value: string): boolean {
  return wordOf(subject) === "node" ? value === "left" || value === "removed" : value === normalOf(subject);
}

/** The notice of a change; undefined if nothing is said about it. */
export function typeOf(subject: string, from: string | undefined, to: string): NoticeType | undefined {
  const word = wordOf(subject);
  if (word === "room") return from === undefined ? "room.created" : "room.changed";
  // One that comes and goes before anybody knew it was not lost.
  if (word === "node" && from === undefined) return to === "here" ? "node.joined" : undefined;
  return kindOf(subject)?.types[to];
}

/** Room minutes before an event in which it is said to come: an origin takes some of them to grow. */
const LEAD_MINUTES = 15;

/**
 * The subjects of a room. `version` names its configuration. What the status leaves out has no observation: nothing is
 * known of it. `values` has subjects of which the status may say nothing any more.
 */
export function roomSubjects(
  room: RoomStatus,
  { version, values, now_ms: nowMs, minute_ms: minuteMs }: Looked,
): Observation[] {
  const { inside, waiting, total_active_users: limit, operator_order: order, pace, idle } = room;
  const line = { waiting, inside, limit };
  const observations: Observation[] = [
    { subject: "room", value: version, data: {} },
    {
      subject: "order",
      value: order?.order ?? "none",
      data: order === null ? {} : { by_node: order.node },
    },
    { subject: "queueing", value: yes(waiting > 0), data: line },
    { subject: "sold_out", value: yes(room.state === "rejecting"), data: { inside, limit } },
    {
      subject: "paced",
      value: yes(pace !== null),
      data: pace === null ? {} : { reason: pace.reason, words: pace.words, per_minute: pace.per_minute },
    },
    ...(idle === undefined
      ? []
      : [
          {
            subject: "idle",
            value: yes(idle.active_slots > 0),
            data: { slots: idle.active_slots, part: Math.round(idle.part * 1_000) / 1_000 },
          },
        ]),
    ...originSubjects(room, values),
  ];
  return [...observations, ...eventSubjects(room, values, nowMs + LEAD_MINUTES * minuteMs)];
}

/** The event of now, the next one if it begins before `nearMs`, and those that were reported and are neither. */
function eventSubjects({ event, next_event: next }: RoomStatus, values: Values, nearMs: number): Observation[] {
  if (event === undefined) return [];
  const now = event === null ? [] : [eventSubject(event.name, event.phase)];
  const begins = next?.prequeue_start_time ?? next?.event_start_time ?? "";
  const isNear = next !== null && next !== undefined && Date.parse(begins) < nearMs;
  const near = isNear ? [eventSubject(next.name, "near", { begins })] : [];
  const current = new Set([...now, ...near].map(({ subject }) => subject));
  const reported = [...values.keys()].filter((subject) => wordOf(subject) === "event" && !current.has(subject));
  const over = reported.map((subject) => eventSubject(subject.slice("event ".length), "none"));
  return [...over, ...now, ...near];
}

function eventSubject(name: string, value: string, data: NoticeData = {}): Observation {
  return { subject: `event ${name}`, value, data: { event: name, ...data } };
}

function originSubjects({ origin }: RoomStatus, values: Values): Observation[] {
  if (origin === undefined) return [];
  const { reachable, targets } = origin;
  const used = targets.map(({ url, state, reason }) => ({
    subject: `origin ${url}`,
    value: state,
    data: { origin: url, ...(state === "down" && { reason: reason ?? "unknown" }), reachable },
  }));
  const known = new Set(used.map(({ subject }) => subject));
  const unused = [...values.keys()].filter((subject) => wordOf(subject) === "origin" && !known.has(subject));
  return [
    ...used,
    ...unused.map((subject) => ({
      subject,
      value: "up",
      data: { origin: subject.slice("origin ".length), reachable },
    })),
  ];
}

/**
 * The members, as subjects of the mesh, and former members: `formerOf` says how they went.
 * A member that was removed was lost first, however soon the others removed it.
 */
export function memberSubjects(
  { members, names, lease }: NodeStatus,
  values: Values,
  formerOf: (node: string) => "left" | "removed",
): Observation[] {
  const present = new Set(members.map(({ node }) => nodeSubject(node)));
  const former = [...values]
    .filter(([subject]) => !present.has(subject))
    .map(([subject, value]): Observation => {
      const node = subject.slice("node ".length);
      const how = formerOf(node);
      const data = { node, name: names?.[node] ?? null, locality: null, lease };
      return { subject, value: how === "removed" && value === "here" ? "lost" : how, data };
    });
  const now = members.map(({ node, name, locality, state }): Observation => {
    const data = { node, name: name ?? null, locality, lease };
    return { subject: nodeSubject(node), value: MEMBER_VALUES[state], data };
  });
  return [...now, ...former];
}

const MEMBER_VALUES: Readonly<Record<MemberStatus["state"], string>> = {
  alive: "here",
  unreachable: "lost",
  left: "left",
  removed: "removed",
};

function nodeSubject(node: string): string {
  return `node ${node}`;
}

function yes(holds: boolean): string {
  return holds ? "yes" : "no";
}
