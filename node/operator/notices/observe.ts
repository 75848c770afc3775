/**
 * What a status says about the subjects of notices: the value of each, and what a change of it means.
 *
 * A value counts once it has held for some time, so that nothing flaps: the start of trouble for seconds, its end for
 * longer.
 */

import type { NodeId } from "../../../mesh/core/ids.ts";
import type { MemberStatus, NodeStatus, RoomStatus } from "../status/status.ts";
import type { SubjectState } from "./journal.ts";
import type { NoticeData, NoticeType } from "./notice.ts";

export interface Observation {
  readonly subject: string;
  readonly value: string;
  readonly data: NoticeData;
}

/** What a room is called in its journal when it is deleted. */
export const DELETED = "deleted";

/** The value of a subject of which the journal says nothing. */
const NORMAL: Readonly<Record<string, string>> = {
  order: "none",
  queueing: "no",
  sold_out: "no",
  idle: "no",
  paced: "no",
  origin: "up",
  event: "none",
};

/**
 * How long a value must have held, in ms; `minutes`: in room minutes, so that trials with short minutes have short
 * times. Halved starts report what is over before anybody can look; halved ends report one trouble as several.
 */
const HELD: Readonly<Record<string, { readonly ms?: number; readonly minutes?: number }>> = {
  "queueing yes": { ms: 2_000 },
  "queueing no": { minutes: 1 },
  "paced yes": { ms: 5_000 },
  "paced no": { minutes: 1 },
  "idle yes": { ms: 5_000 },
  "idle no": { ms: 10_000 },
  "origin up": { ms: 5_000 },
  "node lost": { ms: 3_000 },
  "node here": { ms: 5_000 },
};

/** The kind of a subject: `origin http://…` is of the kind `origin`. */
function kindOf(subject: string): string {
  return subject.split(" ", 1)[0] ?? "";
}

export function normalOf(subject: string): string | undefined {
  return NORMAL[kindOf(subject)];
}

export function heldMs({ subject, value }: Pick<Observation, "subject" | "value">, minuteMs: number): number {
  const { ms = 0, minutes = 0 } = HELD[`${kindOf(subject)} ${value}`] ?? {};
  return ms + minutes * minuteMs;
}

/** Whether a subject may be forgotten after a day: it has ended. */
export function isOver(subject: string, value: string): boolean {
  const kind = kindOf(subject);
  if (kind === "node") return value === "left" || value === "removed";
  return (kind === "event" || kind === "origin") && value === NORMAL[kind];
}

/** The notice of a change; undefined if nothing is said about it. */
export function typeOf(subject: string, from: string | undefined, to: string): NoticeType | undefined {
  const kind = kindOf(subject);
  switch (kind) {
    case "room":
      if (to === DELETED) return from === undefined || from === DELETED ? undefined : "room.deleted";
      return from === undefined || from === DELETED ? "room.created" : "room.changed";
    case "order":
      return to === "hold" ? "room.held" : to === "open" ? "room.opened" : "room.resumed";
    case "queueing":
      return to === "yes" ? "room.queueing_started" : "room.queueing_ended";
    case "sold_out":
      return to === "yes" ? "room.sold_out_started" : "room.sold_out_ended";
    case "idle":
      return to === "yes" ? "room.share_idle_started" : "room.share_idle_ended";
    case "paced":
      return to === "yes" ? "room.limit_paced_started" : "room.limit_paced_ended";
    case "origin":
      return to === "down" ? "origin.down" : "origin.up";
    case "event":
      return to === "active" ? "event.started" : to === "prequeue" ? "event.prequeue_started" : "event.ended";
    case "node":
      return nodeType(from, to);
    default:
      return undefined;
  }
}

function nodeType(from: string | undefined, to: string): NoticeType | undefined {
  if (to === "here") return from === undefined ? "node.joined" : "node.back";
  if (from === undefined) return undefined;
  if (to === "lost") return "node.lost";
  return to === "removed" ? "node.removed" : "node.left";
}

/**
 * The subjects of a room. `version` names its configuration. What the status leaves out has no observation: nothing is
 * known of it. `states` are those of the journal, of which the status may say nothing any more.
 */
export function roomSubjects(
  room: RoomStatus,
  version: string,
  states: ReadonlyMap<string, SubjectState>,
): Observation[] {
  const { inside, waiting, total_active_users: limit, operator_order: order, event, pace, idle } = room;
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
    ...originSubjects(room, states),
  ];
  if (event === undefined) return observations;
  const events = [...states]
    .filter(([subject, { value }]) => kindOf(subject) === "event" && value !== NORMAL.event)
    .map(([subject]) => subject.slice("event ".length))
    .filter((name) => name !== event?.name);
  const over = events.map((name) => ({ subject: `event ${name}`, value: "none", data: { event: name } }));
  if (event === null) return [...observations, ...over];
  return [
    ...observations,
    ...over,
    { subject: `event ${event.name}`, value: event.phase, data: { event: event.name } },
  ];
}

function originSubjects({ origin }: RoomStatus, states: ReadonlyMap<string, SubjectState>): Observation[] {
  if (origin === undefined) return [];
  const { reachable, targets } = origin;
  const used = targets.map(({ url, state, reason }) => ({
    subject: `origin ${url}`,
    value: state,
    data: { origin: url, ...(state === "down" && { reason: reason ?? "unknown" }), reachable },
  }));
  const known = new Set(used.map(({ subject }) => subject));
  const unused = [...states].filter(
    ([subject, { value }]) => kindOf(subject) === "origin" && value === "down" && !known.has(subject),
  );
  return [
    ...used,
    ...unused.map(([subject]) => ({
      subject,
      value: "up",
      data: { origin: subject.slice("origin ".length), reachable },
    })),
  ];
}

/**
 * The members, as subjects of the mesh, and former members that the journal has: `formerOf` says how they went.
 * A member that was removed was lost first, however soon the others removed it.
 */
export function memberSubjects(
  { members, names, lease }: NodeStatus,
  states: ReadonlyMap<string, SubjectState>,
  formerOf: (node: string) => "left" | "removed",
): Observation[] {
  const present = new Set(members.map(({ node }) => nodeSubject(node)));
  const former = [...states]
    .filter(([subject, { value }]) => !present.has(subject) && (value === "here" || value === "lost"))
    .map(([subject, { value }]): Observation => {
      const node = subject.slice("node ".length);
      const how = formerOf(node);
      const data = { node, name: names?.[node] ?? null, locality: null, lease };
      return { subject, value: how === "removed" && value === "here" ? "lost" : how, data };
    });
  const now = members.flatMap(({ node, name, locality, state }): Observation[] => {
    const subject = nodeSubject(node);
    const value = MEMBER_VALUES[state];
    // A node that comes and goes before anybody knew it.
    if (!states.has(subject) && value !== "here") return [];
    return [{ subject, value, data: { node, name: name ?? null, locality, lease } }];
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

/** The members that answer, as a status says it. */
export function aliveIn({ members }: NodeStatus): NodeId[] {
  return members.filter(({ state, self }) => self || state === "alive").map(({ node }) => node as NodeId);
}

function yes(holds: boolean): string {
  return holds ? "yes" : "no";
}
