/**
 * The shapes of the messages between the rooms of two nodes, by kind: what does not fit is not looked at any further.
 */

import { z } from "zod";
import type { Minute } from "../../../mesh/core/ids.ts";
import {
  accountId,
  ceilings,
  listOf,
  locality,
  minute,
  numbersOf,
  roomId,
  rowData,
  whole,
  wholesOf,
} from "../../../mesh/core/wire/shapes.ts";
import { CHECK_IN_MODES, type CheckedData, type CheckInData } from "./check-ins.ts";
import { type Answer, ASKED_HOW, type Asked } from "./desk.ts";
import { IDLE_REASONS } from "./room-mesh.ts";

/** Visitors or sessions in one message; senders keep to less. */
const ITEMS_MAX = 1_000;
/** Seconds between two polls: a refresh interval is ten minutes at most. */
const PAUSE_MAX = 600;
/** Polled keys in one message. */
const KEYS_MAX = 4_000;
/** Ranges of a line's summary; line.ts makes at most 512. */
const RANGES_MAX = 1_024;
/** Visitors in one line: far above any `queue_max`. */
const LINE_MAX = 10_000_000;
/** Minutes of a rate, and of a line. */
const MINUTES_MAX = 64;

/** Session ids are 22 characters; room for those of another release. */
const sessionId = z.string().min(1).max(64);
/** Queue keys are µs, and 0 for a visitor without one. Until the year 2112 they are below 2^52, and a later one can be made. */
const KEY_MAX = 2 ** 52;
const key = whole.max(KEY_MAX);
const both = z.object({ active: whole, arrivals: whole });
/** Balances may be negative while not all gifts are known. */
const units = z.object({ active: z.int(), arrivals: z.int() });
const call = whole;

const asked = z.tuple([sessionId, key, z.enum(ASKED_HOW)]) as unknown as z.ZodType<Asked>;
const seconds = z.number().min(0);
const wait = z.object({ seconds, earliestSeconds: seconds, latestSeconds: seconds });
const answer = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("go") }),
  z.object({ kind: z.literal("waiting"), key, position: whole, wait: wait.nullable().optional() }),
  z.object({ kind: z.literal("full") }),
  z.object({ kind: z.literal("rejected") }),
  z.object({ kind: z.literal("inside"), home: accountId }),
]) as unknown as z.ZodType<Answer>;
const session = z.tuple([sessionId, accountId, minute, z.enum(CHECK_IN_MODES)]) as unknown as z.ZodType<CheckInData>;
const checked = z.union([
  minute,
  z.enum(["revoked", "not-mine", "later", "used"]),
]) as unknown as z.ZodType<CheckedData>;
/** Places in line are made for all that are counted: no more than there are keys, and than a line may hold. */
const ranges = numbersOf<readonly [low: number, high: number, count: number]>(3, RANGES_MAX, KEY_MAX).refine((ranges) =>
  ranges.every(([low, high, count]) => low <= high && count <= high - low + 1),
);
const line = z
  .object({ horizon: key, lastKey: key, ranges })
  .refine(({ ranges }) => ranges.reduce((sum, [, , count]) => sum + count, 0) <= LINE_MAX);

export const ROOM_SHAPES = {
  ask: z.object({ kind: z.literal("ask"), room: roomId, call, asked: listOf(asked, ITEMS_MAX), free: both, units }),
  told: z.object({ kind: z.literal("told"), call, answers: listOf(answer, ITEMS_MAX), row: rowData.optional() }),
  recall: z.object({ kind: z.literal("recall"), room: roomId, call, slots: both, units, joined: minute }),
  lent: z.object({ kind: z.literal("lent"), call, row: rowData.optional(), free: both }),
  "check-in": z.object({ kind: z.literal("check-in"), room: roomId, call, sessions: listOf(session, ITEMS_MAX) }),
  checked: z.object({ kind: z.literal("checked"), call, checked: listOf(checked, ITEMS_MAX) }),
  gift: z.object({ kind: z.literal("gift"), room: roomId, row: rowData }),
  line: z.object({
    kind: z.literal("line"),
    room: roomId,
    line,
    letIn: listOf(z.number().min(0), MINUTES_MAX),
    isParting: z.boolean(),
  }),
  polls: z.object({
    kind: z.literal("polls"),
    room: roomId,
    keys: wholesOf(KEYS_MAX, KEY_MAX),
    /** Seconds until each is to ask again. */
    pauses: wholesOf(KEYS_MAX, PAUSE_MAX).optional(),
  }),
  /** The origin ended a session: to be refused from now on. */
  revoke: z.object({ kind: z.literal("revoke"), room: roomId, call, id: sessionId }),
  noted: z.object({ kind: z.literal("noted"), call }),
  /** To the home of that session: all members refuse it, so its slot can be free. */
  release: z.object({ kind: z.literal("release"), room: roomId, id: sessionId, home: accountId }),
} as const;

/** Visitors waiting, by the minute they joined in. */
const waiting = numbersOf<readonly [joined: Minute, count: number]>(2, MINUTES_MAX);

/** One room's gauge in a message of gauges. */
const gauge = z.object({
  room: roomId,
  active: whole,
  arrivals: whole,
  mayAct: z.boolean(),
  waiting,
  inside: whole,
  admitted: whole,
  minute,
  rampStartMs: whole,
});

/** Shares told at once as idle: a node that inherits from more removals than this within a session's time tells of the first ones. */
export const IDLE_MAX = 16;
/** Accounts of one such share: a removal of more nodes at once tells of the first ones. */
export const IDLE_ACCOUNTS_MAX = 64;

/** Rooms of one such share: a node that holds more tells of the first ones. */
export const IDLE_ROOMS_MAX = 64;

const idle = z.object({
  accounts: listOf(accountId, IDLE_ACCOUNTS_MAX),
  reason: z.enum(IDLE_REASONS).optional(),
  sinceMs: whole.optional(),
  untilMs: whole.optional(),
  rooms: listOf(roomId, IDLE_ROOMS_MAX).optional(),
  ceilings: ceilings.optional(),
});
const idleShares = listOf(idle, IDLE_MAX).optional();

export const GAUGES_SHAPE = z.object({
  kind: z.literal("gauges"),
  lease: z.enum(["held", "island", "none"]),
  rooms: listOf(gauge, ITEMS_MAX),
  /** Of the sender; nothing where it is heir of nothing. */
  idle: idleShares,
});

/** Nodes of a locality whose free slots are told one by one: the richest. Who needs more than they have asks again. */
export const LENDERS_MAX = 16;
/** Nodes of a locality. */
const NODES_MAX = 1_000;
/** Localities of a mesh. */
const LOCALITIES_MAX = 1_000;

/** Place of a node among its locality's members, as the view lists them: its id is longer than all else that is said of it. */
const place = whole.max(NODES_MAX);

/** One room of a locality. */
const siteRoom = z.object({
  room: roomId,
  /** The ticket counter; the line and the sums below are told of as its own. */
  counter: place,
  /** Free slots of each resource by node. */
  free: numbersOf<readonly [place: number, active: number, arrivals: number]>(3, LENDERS_MAX),
  /** Nodes that hold back. */
  held: wholesOf(NODES_MAX, NODES_MAX),
  waiting,
  inside: whole,
  admitted: whole,
  minute,
  /** The latest of all nodes. */
  rampStartMs: whole,
  /** New visitors in the minute before `minute`. */
  seen: whole,
});

const site = z.object({
  locality,
  /** Number of the view by which places are counted. */
  view: whole,
  /** How long ago its speaker said it, in ms. */
  ageMs: whole,
  /** Members there that do not answer. */
  silent: wholesOf(NODES_MAX, NODES_MAX),
  rooms: listOf(siteRoom, ITEMS_MAX),
  /** Of all its nodes. */
  idle: idleShares,
});

/** What speakers tell of their localities, and pass on in their own. */
export const SITES_SHAPE = z.object({ kind: z.literal("sites"), sites: listOf(site, LOCALITIES_MAX) });

export type SiteData = z.output<typeof site>;
export type SiteRoomData = z.output<typeof siteRoom>;
