/**
 * A node's status as a screen of text: warnings first, then the rooms, then the members.
 *
 * One line per room answers an operator's questions in their order: what does it do, how full is it, how many wait, how
 * fast do they come in, how long will it take. Held, rejecting and queueing rooms are marked.
 */

import type { MemberStatus, NodeStatus, RoomState, RoomStatus } from "../node/status.ts";
import { type Cell, type Column, number, type Style, span, styled, type TableOptions, table, wrap } from "./print.ts";

const ROOM_COLUMNS: readonly Column[] = [
  { title: "ROOM", cutTo: 8 },
  { title: "STATE" },
  { title: "INSIDE / LIMIT", align: "right" },
  { title: "WAITING", align: "right" },
  { title: "THIS MIN / LIMIT", align: "right" },
  { title: "WAIT", align: "right" },
];

const MEMBER_COLUMNS: readonly Column[] = [
  { title: "MEMBER", cutTo: 12 },
  { title: "LOCALITY", cutTo: 8 },
  { title: "STATE" },
];

const STATE_STYLES: Readonly<Record<RoomState, Style | undefined>> = {
  open: undefined,
  queueing: "yellow",
  held: "red",
  rejecting: "red",
  passthrough: "cyan",
  suspended: "dim",
};

const MEMBER_STYLES: Readonly<Record<MemberStatus["state"], Style | undefined>> = {
  alive: undefined,
  unreachable: "red",
  left: "dim",
  removed: "dim",
};

/** The whole screen, without a line end at its end. */
export function renderStatus(status: NodeStatus, options: TableOptions): string {
  return [
    heading(status, options),
    ...status.warnings.map((warning) => styled(wrap(`! ${warning}`, options.width, "  "), "yellow", options.color)),
    "",
    status.rooms.length === 0
      ? "No rooms yet: every visitor goes straight to the origin.\nMake one with: anteroom room create"
      : renderRooms(status.rooms, options),
    "",
    table(MEMBER_COLUMNS, status.members.map(memberRow), options),
  ].join("\n");
}

/** The table of rooms alone. */
export function renderRooms(rooms: readonly RoomStatus[], options: TableOptions): string {
  return table(ROOM_COLUMNS, rooms.map(roomRow), options);
}

function heading(status: NodeStatus, { color, width }: TableOptions): string {
  const parts = [
    styled(`anteroom ${status.version}`, "bold", color),
    `node ${status.node.slice(0, 12)}`,
    `up ${span(status.uptime_seconds)}`,
    ...(status.minute_ms === 60_000 ? [] : [`minutes of ${status.minute_ms} ms`]),
  ];
  return wrap(parts.join(" · "), color ? width + 8 : width);
}

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

/** A wait of 0 is none; a wait that nobody can tell is a dash. */
function waitOf({ wait_seconds }: RoomStatus): string {
  if (wait_seconds === null) return "–";
  return wait_seconds <= 0 ? "none" : span(wait_seconds);
}

function memberRow(member: MemberStatus): (Cell | string)[] {
  const name = member.node.slice(0, 12) + (member.self ? " (this node)" : "");
  return [name, member.locality, styledCell(member.state, MEMBER_STYLES[member.state])];
}

function styledCell(text: string, style: Style | undefined): Cell {
  return style === undefined ? { text } : { text, style };
}
