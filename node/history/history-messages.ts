/** What nodes say to each other about the minutes that are over: see node/peer/history-sync.ts. */

import { z } from "zod";
import type { NodeId, RoomId } from "../../mesh/core/ids.ts";
import {
  listOf,
  locality,
  minute,
  nodeId,
  numbersOf,
  ROOMS_MAX,
  roomId,
  whole,
  wholesOf,
} from "../../mesh/core/wire/shapes.ts";
import { ENDS, type End, type Piece, type Source } from "./minute-record.ts";
import { WAIT_CLASS_MAX } from "./wait-classes.ts";

/** Runs of nodes that are kept: 1,000 nodes, each started four times in 30 days, or one that starts again all day. */
export const SOURCES_MAX = 4_096;

/** Records in one message: some 30 kB, up to 400 kB where every visitor waited for another time. */
export const RECORDS_AT_ONCE = 300;

/** Characters of a room's name: see node/config. */
const NAME_CHARS_MAX = 256;

/** Numbers in a record; a later release may have more. */
const COUNTS_MAX = 64;

const record = z.tuple([
  /** Which room, in `rooms`. */
  whole.max(ROOMS_MAX),
  minute,
  wholesOf(COUNTS_MAX),
  wholesOf(2 * (WAIT_CLASS_MAX + 1)),
  wholesOf(COUNTS_MAX),
]);

const piece = z.object({
  node: nodeId,
  run: whole,
  locality,
  since: minute,
  first: whole,
  next: whole,
  until: minute,
  /** How it ended: a number in `ENDS`. */
  end: whole,
  /** The number of the first one of `records`. */
  from: whole,
  rooms: listOf(z.tuple([roomId, z.string().max(NAME_CHARS_MAX)]), RECORDS_AT_ONCE),
  records: listOf(record, RECORDS_AT_ONCE),
});
type PieceData = z.output<typeof piece>;

export const HISTORY_SHAPES = {
  history: z.object({
    kind: z.literal("history"),
    pieces: listOf(piece, SOURCES_MAX),
    /** Whether the sender has more that the other lacks. */
    more: z.boolean().optional(),
  }),
  "history-wanted": z.object({
    kind: z.literal("history-wanted"),
    /** By node: run, next number, until which minute, and how it ended. */
    known: listOf(z.tuple([nodeId, numbersOf<Digest>(4, SOURCES_MAX)]), SOURCES_MAX),
  }),
};
export type HistoryMessage = z.output<(typeof HISTORY_SHAPES)[keyof typeof HISTORY_SHAPES]>;
type Known = Extract<HistoryMessage, { kind: "history-wanted" }>["known"];
type Digest = readonly [run: number, next: number, until: number, end: number];

/** How much of each source a node has. */
export function knownOf(sources: Iterable<Source>): Known {
  return [...Map.groupBy(sources, ({ node }) => node)].map(([node, runs]) => [
    node,
    runs.map(({ run, next, until, end }) => [run, next, until, ENDS.indexOf(end)] as const),
  ]);
}

/** How much another node has of a source, as it says; undefined if it does not know the source. */
export function knownIn(known: Known): (node: NodeId, run: number) => Digest | undefined {
  const byNode = new Map(known.map(([node, runs]) => [node, new Map(runs.map((each) => [each[0], each]))]));
  return (node, run) => byNode.get(node)?.get(run);
}

/** A piece as it travels: each room's name once. */
export function packedPiece({ records, end, ...piece }: Piece): PieceData {
  const rooms: [RoomId, string][] = [];
  const places = new Map<string, number>();
  const placeOf = (room: RoomId, name: string): number =>
    places.getOrInsertComputed(`${room} ${name}`, () => rooms.push([room, name]) - 1);
  const packed = records.map(({ room, name, minute: at, counts, waits, held }): PieceData["records"][number] => [
    placeOf(room, name),
    at,
    counts,
    waits,
    held,
  ]);
  return { ...piece, end: ENDS.indexOf(end), rooms, records: packed };
}

/** Undefined for one that contradicts itself. */
export function unpackedPiece({ rooms, records, end, ...piece }: PieceData): Piece | undefined {
  const { first, from, next, since, until } = piece;
  if (first < 1 || from < first || from + records.length > next || since > until) return undefined;
  let last = since;
  const unpacked = records.map(([at, minuteOf, counts, waits, held]) => {
    const [room, name] = rooms[at] ?? [];
    if (room === undefined || name === undefined || minuteOf < last || minuteOf > until) return undefined;
    last = minuteOf;
    return { room, name, minute: minuteOf, counts, waits, held };
  });
  if (unpacked.some((each) => each === undefined)) return undefined;
  const whole = unpacked.filter((each) => each !== undefined);
  // How a later release says that a run ended: it is over.
  return { ...piece, end: (ENDS[end] ?? "crashed") as End, records: whole };
}
