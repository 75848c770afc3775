/**
 * The mesh in a status: the members, each locality's part in a room, and idle shares.
 *
 * Members that do not answer come first. Idle shares appear as warnings with the time they end, because they are the
 * reason why a room with free slots admits nobody.
 */

import { APART_MS_MAX } from "../../mesh/core/members/clock-offset.ts";
import { toText } from "../../mesh/seed-addresses.ts";
import type { NodeLabels } from "../../node/operator/status/node-labels.ts";
import { idleOf } from "../../node/operator/status/shares.ts";
import type { MemberStatus, NodeStatus, RoomStatus, ShareStatus } from "../../node/operator/status/status.ts";
import {
  type Cell,
  type Column,
  number,
  type Style,
  span,
  type TableOptions,
  tableOrBlocks,
  timeOfDay,
} from "../print.ts";

const MEMBER_COLUMNS: readonly Column[] = [
  { title: "NODE", cutTo: 14 },
  { title: "ADDRESS", cutTo: 7 },
  { title: "LOCALITY", cutTo: 8 },
  { title: "STATE" },
  { title: "RTT", align: "right" },
  { title: "CLOCK", align: "right" },
  { title: "LEASE" },
];

const LOCALITY_COLUMNS: readonly Column[] = [
  { title: "ROOM", cutTo: 8 },
  { title: "LOCALITY", cutTo: 8 },
  { title: "NODES", align: "right" },
  { title: "FREE", align: "right" },
  { title: "WAITING", align: "right" },
  { title: "THIS MIN", align: "right" },
  { title: "TICKET COUNTER", cutTo: 14 },
];

const STATE_STYLES: Readonly<Record<MemberStatus["state"], Style | undefined>> = {
  alive: undefined,
  unreachable: "red",
  left: "dim",
  removed: "dim",
};

const STATE_WORDS: Readonly<Partial<Record<MemberStatus["state"], string>>> = { unreachable: "silent" };

/** Rooms named in one warning; a mesh of hundreds has more of them elsewhere. */
const ROOMS_NAMED_MAX = 4;

/** Nodes named in one, the same. */
const NODES_NAMED_MAX = 4;

const UNKNOWN = "–";

/** The table of members, those in trouble first. */
export function renderMembers(members: readonly MemberStatus[], labels: NodeLabels, options: TableOptions): string {
  const inTrouble = members.filter(({ state }) => state === "unreachable");
  const sorted = [...inTrouble, ...members.filter((member) => !inTrouble.includes(member))];
  return tableOrBlocks(
    MEMBER_COLUMNS,
    sorted.map((member) => memberRow(member, labels)),
    options,
  );
}

/** The line and the free slots of each room by locality, and its ticket counter. */
export function renderLocalities(rooms: readonly RoomStatus[], labels: NodeLabels, options: TableOptions): string {
  const rows = rooms.flatMap(({ name, localities }) =>
    localities.map((each, at): (Cell | string)[] => [
      at === 0 ? name : "",
      each.locality,
      number(each.nodes),
      number(each.free),
      number(each.waiting),
      number(each.admitted_this_minute),
      each.ticket_counter === null ? { text: "none", style: "red" } : labels.of(each.ticket_counter),
    ]),
  );
  return tableOrBlocks(LOCALITY_COLUMNS, rows, options);
}

/** One warning for each node whose shares are idle: how much of which rooms, and until when. */
export function idleShares(status: NodeStatus, labels: NodeLabels): string[] {
  const { rooms } = status;
  const idle = rooms.flatMap((room) =>
    idleOf(room.shares)
      .filter(ownsSomething)
      .map((share) => ({ room, share })),
  );
  const byAccount = Map.groupBy(idle, ({ share }) => share.account);
  return [...byAccount].map(([account, parts]) => {
    const named = parts.slice(0, ROOMS_NAMED_MAX);
    const more = parts.length - named.length;
    // Mostly all end together.
    const told = [...Map.groupBy(named, ({ share }) => endOf(share, status))].map(
      ([end, together]) => `${together.map(({ room, share }) => idlePart(room, share)).join("; ")}, until ${end}`,
    );
    const [{ share } = { share: undefined }] = parts;
    const names = (share?.accounts ?? [account]).map(labels.of);
    return `${fateOf(names, share)}: ${told.join("; ")}${more > 0 ? `; and ${more} more ${more === 1 ? "room" : "rooms"}` : ""}`;
  });
}

/** The owner of the share, and why no node uses it. */
function fateOf(nodes: readonly string[], share: ShareStatus | undefined): string {
  const named = nodes.slice(0, NODES_NAMED_MAX).join(", ");
  const more = nodes.length > NODES_NAMED_MAX ? ` and ${nodes.length - NODES_NAMED_MAX} more` : "";
  const isOne = nodes.length === 1;
  const who = `${isOne ? "node" : "nodes"} ${named}${more}`;
  const since = share?.idle_since_ms === undefined ? "" : ` at ${timeOfDay(share.idle_since_ms)}`;
  const [was, it, its] = isOne ? ["was", "it", "its"] : ["were", "they", "their"];
  switch (share?.idle_reason) {
    case "removed":
      return `${who} ${was} removed${since}, but sessions that ${it} admitted may go on; idle of ${its} share`;
    case "held":
      return `${who} may have lost admissions, and admits nobody on ${its} share until all earlier sessions are over; idle`;
    case "silent":
      return `${who} does not answer, its share is idle`;
    default:
      return `${who} ${share?.state === "lost" ? "does not answer" : "is gone"}, its share is idle`;
  }
}

function ownsSomething({ active_slots: active, arrivals_slots: arrivals }: ShareStatus): boolean {
  return active + arrivals > 0;
}

function idlePart(room: RoomStatus, share: ShareStatus): string {
  const part = Math.round((100 * share.active_slots) / room.total_active_users);
  return (
    `${room.name}, ${number(share.active_slots)} of ${number(room.total_active_users)} inside (${part} %) and ` +
    `${number(share.arrivals_slots)} of ${number(room.new_users_per_minute)} a minute`
  );
}

function endOf({ state, idle_until_ms: endMs, removal_ms: atMs }: ShareStatus, status: NodeStatus): string {
  if (endMs === null) return state === "held" ? "the other members have answered" : "the node is back or removed";
  const end = `${timeOfDay(endMs)} (${left(endMs, status)})`;
  if (atMs === undefined) return end;
  return `the node is back or removed at ${timeOfDay(atMs)} (in ${left(atMs, status)}); after that only the slots that it may hold stay idle, until ${end} at the latest`;
}

function left(untilMs: number, { now_ms: nowMs }: NodeStatus): string {
  return span(Math.max(0, untilMs - nowMs) / 1_000);
}

function memberRow(member: MemberStatus, labels: NodeLabels): (Cell | string)[] {
  const { node, self, addresses, locality, state, round_trip_ms: roundTrip, clock_offset_ms: offset, lease } = member;
  const left = member.lease_seconds_left;
  const style = STATE_STYLES[state];
  return [
    labels.of(node) + (self ? " (here)" : ""),
    addresses?.[0] === undefined ? UNKNOWN : toText(addresses[0]),
    locality,
    style === undefined ? state : { text: STATE_WORDS[state] ?? state, style },
    roundTrip === null ? UNKNOWN : `${roundTrip < 10 ? roundTrip.toFixed(1) : number(roundTrip)} ms`,
    offset === null ? UNKNOWN : clockCell(offset),
    lease === null ? UNKNOWN : leaseCell(lease, left),
  ];
}

function clockCell(offsetMs: number): Cell | string {
  const rounded = Math.round(offsetMs);
  const text = rounded === 0 ? "0 ms" : `${rounded > 0 ? "+" : "-"}${number(Math.abs(rounded))} ms`;
  return Math.abs(offsetMs) > APART_MS_MAX ? { text, style: "red" } : text;
}

function leaseCell(lease: "held" | "none", secondsLeft: number | null): Cell | string {
  const text = secondsLeft === null ? lease : `${lease}, ${span(secondsLeft)}`;
  return lease === "held" ? text : { text, style: "red" };
}
