/**
 * A node's status as a screen of text: warnings first, then the rooms, then the mesh, if there is one.
 *
 * One line per room answers an operator's questions in order: its state, how full it is, how many wait, how fast they
 * are admitted, how long it will take. Held, rejecting and queueing rooms are marked.
 */

import { cutOffText } from "../../node/config/cut-off-figures.ts";
import { type NodeLabels, nodeLabels } from "../../node/operator/status/node-labels.ts";
import type { NodeStatus, RoomState, RoomStatus, WaveStatus } from "../../node/operator/status/status.ts";
import { orderText } from "../../node/rooms/room-order.ts";
import {
  type Cell,
  type Column,
  count,
  number,
  type Style,
  span,
  styled,
  type TableOptions,
  tableOrBlocks,
  wrap,
} from "../print.ts";
import { idleShares, renderLocalities, renderMembers } from "./status-mesh.ts";
import { renderOrigins } from "./status-origin.ts";

const ROOM_COLUMNS: readonly Column[] = [
  { title: "ROOM", cutTo: 8 },
  { title: "STATE" },
  { title: "INSIDE / LIMIT", align: "right" },
  { title: "WAITING", align: "right" },
  { title: "THIS MIN / LIMIT", align: "right" },
  { title: "WAIT", align: "right" },
];

const STATE_STYLES: Readonly<Record<RoomState, Style | undefined>> = {
  free: undefined,
  queueing: "yellow",
  prequeue: "yellow",
  held: "red",
  rejecting: "red",
  passthrough: "cyan",
  suspended: "dim",
};

/** The whole screen, without a line end at its end. */
export function renderStatus(status: NodeStatus, options: TableOptions): string {
  const { rooms, members } = status;
  const accounts = rooms.flatMap(({ shares }) => shares.map(({ account }) => account));
  const ids = [status.node, ...members.map(({ node }) => node), ...accounts];
  const labels = nodeLabels(ids, new Map(Object.entries(status.names ?? {})));
  const warnings = [...status.warnings, ...idleShares(status, labels)];
  const isAlone = members.length <= 1;
  const origins = renderOrigins(rooms, status.now_ms, options);
  return [
    heading(status, labels, options),
    ...warnings.map((warning) => styled(wrap(`! ${warning}`, options.width, "  "), "yellow", options.color)),
    ...fileNotes(status).map((note) => wrap(note, options.width, "  ")),
    "",
    rooms.length === 0
      ? "No rooms yet: nobody waits, and no limit applies.\nCreate one with: anteroom room create"
      : renderRooms(rooms, options),
    "",
    ...(origins === undefined ? [] : [origins, ""]),
    isAlone ? "1 node, no mesh peers" : renderMembers(members, labels, options),
    ...(isAlone ? [] : cutOffNote(status).map((note) => wrap(note, options.width, "  "))),
    ...(isAlone || rooms.length === 0 ? [] : ["", renderLocalities(rooms, labels, options)]),
  ].join("\n");
}

/** The table of rooms, orders about them, and what holds their new visitors back. */
export function renderRooms(rooms: readonly RoomStatus[], options: TableOptions): string {
  return [
    tableOrBlocks(ROOM_COLUMNS, rooms.map(roomRow), options),
    ...roomNotes(rooms).map((note) => wrap(note, options.width, "  ")),
  ].join("\n");
}

/** Orders and events, and what holds new visitors back. */
function roomNotes(rooms: readonly RoomStatus[]): string[] {
  return rooms.flatMap((room) => [
    ...ordered(room),
    ...eventNote(room),
    ...(room.waves ?? []).map((wave) => waveNote(room.name, wave)),
    ...(room.site === undefined ? [] : [room.site.words]),
    ...(room.pace === null ? [] : [room.pace.words]),
  ]);
}

/** What happened to the rooms file, if that is worth a line; problems for an operator are among the warnings. */
function fileNotes({ rooms_file: file }: NodeStatus): readonly string[] {
  const isNews = file?.state === "superseded" || (file?.state === "applied" && file.changes.length > 0);
  return file !== undefined && isNews ? [`${file.since.slice(0, 16).replace("T", " ")} UTC: ${file.words}`] : [];
}

/** What the loss of a node costs. */
function cutOffNote({ cut_off: cutOff }: NodeStatus): string[] {
  return cutOff === undefined ? [] : [cutOffText({ browsesMs: cutOff.browses_ms, idleMs: cutOff.idle_ms })];
}

/** An operator's order about a room, and how it ends. */
function ordered({ name, operator_order: order }: RoomStatus): readonly string[] {
  if (order === null) return [];
  const text = orderText({ kind: order.order, sinceMs: Date.parse(order.since) });
  return [`${name}: ${text}; it stays so until: anteroom room resume ${name}`];
}

/** The event of now, and when it starts or ends; and the next one. */
function eventNote({ name, event, next_event: next }: RoomStatus): readonly string[] {
  const isBefore = event?.phase === "prequeue";
  const prequeue = next?.prequeue_start_time ? `, pre-queue from ${utc(next.prequeue_start_time)}` : "";
  return [
    ...(event
      ? [
          `${name}: event ${event.name} ${isBefore ? `starts at ${utc(event.event_start_time)}` : `ends at ${utc(event.event_end_time)}`}`,
        ]
      : []),
    ...(next ? [`${name}: next event ${next.name} starts at ${utc(next.event_start_time)}${prequeue}`] : []),
  ];
}

/** How far a wave of passes is, and how it goes on. */
function waveNote(room: string, { name, good, count: all, paused, next_ms: nextMs, next }: WaveStatus): string {
  const passes = all === null ? `passes up to ${number(good)}` : `${number(good)} of ${number(all)} passes`;
  const now = `${room}: ${passes} of wave ${name} are good`;
  if (paused) return `${now}; it is paused until: anteroom pass ${room} --resume ${name}`;
  if (nextMs === null || next === null) return now;
  return `${now}, ${number(next - good)} more at ${utc(new Date(nextMs).toISOString())}`;
}

function utc(time: string): string {
  return `${time.slice(0, 19).replace("T", " ")} UTC`;
}

function heading(status: NodeStatus, labels: NodeLabels, { color, width }: TableOptions): string {
  const { view, members, minute_ms: minuteMs } = status;
  const parts = [
    styled(`anteroom ${status.version}`, "bold", color),
    `node ${labels.of(status.node)}`,
    `up ${span(status.uptime_seconds)}`,
    ...(view === null ? ["not in the mesh yet"] : []),
    ...(view !== null && members.length > 1
      ? [`view ${view.number}: ${count(view.members, "node")}, ${number(view.voters)} vote`]
      : []),
    ...(view?.members === 2 ? ["with two nodes, the loss of one takes anteroom forget"] : []),
    ...wireWords(status),
    ...(minuteMs === 60_000 ? [] : [`minutes of ${minuteMs} ms`]),
  ];
  return wrap(parts.join(" · "), color ? width + 8 : width);
}

/** During an upgrade: what the mesh will speak once all nodes understand it, and how many don't. */
function wireWords({ wire, members }: NodeStatus): string[] {
  if (wire === undefined || wire.newest <= wire.speaks) return [];
  const older = members.filter(({ newest_wire: newest }) => (newest ?? 0) < wire.newest).length;
  return [
    `wire version ${wire.speaks}, ${wire.newest} once all nodes understand it${older === 0 ? "" : ` (${older} to go)`}`,
  ];
}

/** The cells of a room, by `ROOM_COLUMNS`. */
function roomRow(room: RoomStatus): (Cell | string)[] {
  const style = STATE_STYLES[room.state];
  return [
    room.name,
    styledCell(room.state, style),
    `${number(room.inside)} / ${number(room.total_active_users)}`,
    styledCell(number(room.waiting), room.waiting > 0 ? style : undefined),
    `${number(room.admitted_this_minute)} / ${number(room.new_users_per_minute)}`,
    waitOf(room),
  ];
}

/** A wait of 0 is none; an unknown wait is a dash. */
function waitOf({ wait_seconds }: RoomStatus): string {
  if (wait_seconds === null) return "–";
  return wait_seconds <= 0 ? "none" : span(wait_seconds);
}

function styledCell(text: string, style: Style | undefined): Cell {
  return style === undefined ? { text } : { text, style };
}
