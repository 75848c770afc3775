/**
 * The messages between the rooms of two nodes, by kind: a message that does not fit its shape is dropped.
 *
 * The types of messages follow from their shapes, and so do the types of their contents.
 */

import { z } from "zod";
import type { NodeId } from "../../../mesh/core/ids.ts";
import type { AnswerTo, Asked as AskedOf, Calls, OfKind, QuestionKind } from "../../../mesh/core/wire/calls.ts";
import {
  accountId,
  ceilings,
  listOf,
  locality,
  minute,
  named,
  numbersOf,
  roomId,
  rowData,
  unchanging,
  unixMs,
  whole,
  wholesOf,
} from "../../../mesh/core/wire/shapes.ts";
import { LANE_MAX } from "../../config/lane-fields.ts";
import { sizeOf } from "./line-places.ts";
import { draws } from "./stored-room.ts";

/** Visitors or sessions in one message; senders stay below. */
const ITEMS_MAX = 1_000;
/** Steps of an outlook on waits: wait.ts makes some 30. */
const STEPS_MAX = 256;
/** Positions and minutes of waits. */
const WAIT_MAX = 1e12;
/** Seconds between two polls: a refresh interval is ten minutes at most. */
const PAUSE_MAX = 600;
/** Polled keys in one message. */
const KEYS_MAX = 4_000;
/** Ranges of a line's summary; line.ts makes at most 512. */
const RANGES_MAX = 1_024;
/** Visitors in one line: far above any `queue_max`. */
const LINE_MAX = 10_000_000;
/** Ranges of a line in a gauge: line-places.ts makes at most 64. */
const PLACES_MAX = 128;

/** The number on a visitor's page, and how long it is looked for: 2.5 refresh intervals, 25 minutes at most. */
const NUMBER_CHARS_MAX = 16;
const LOOK_MS_MAX = 3_600_000;

/** Far above the longest session, which bounds it anyway. */
export const EXTEND_MINUTES_MAX = 1_000;

/** Session ids are 22 characters; room for those of another release. */
const sessionId = z.string().min(1).max(64);
/**
 * Queue keys are µs, and 0 for a visitor without one. Until the year 2112 they are below 2^52, and a later one can be
 * made.
 */
const KEY_MAX = 2 ** 52;
const key = whole.max(KEY_MAX);

const both = z.object({ active: whole, arrivals: whole });
/** Balances may be negative while not all gifts are known. */
const units = z.object({ active: z.int(), arrivals: z.int() });
const call = whole;

/**
 * `as-new`: no node knows the visitor where it was sent. `place`: it was sent in and never found the slot: it gets a place
 * in line.
 */
const asked = unchanging(z.tuple([sessionId, key, z.enum(["first", "as-new", "place"])]));
export type Asked = z.output<typeof asked>;

const seconds = z.number().min(0);
const wait = z.object({ seconds, earliestSeconds: seconds, latestSeconds: seconds, isKnown: z.boolean() });
const answer = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("go") }),
  /** `wait`: null where it is unknown. */
  z.object({ kind: z.literal("waiting"), key, position: whole, wait: wait.nullable() }),
  z.object({ kind: z.literal("full") }),
  z.object({ kind: z.literal("rejected") }),
  /** Already admitted, at this account. */
  z.object({ kind: z.literal("inside"), home: accountId }),
]);
/** The answer to a gate about one visitor. */
export type Answer = Readonly<z.output<typeof answer>>;

/**
 * As what a node is asked: the session's home, the stand-in that may adopt it, or where a visitor without a cookie for
 * it may have been admitted: then only a session that it knows by its id counts.
 */
const checkInMode = z.enum(["home", "adopt", "known"]);
export type CheckInMode = z.output<typeof checkInMode>;

const session = unchanging(z.tuple([sessionId, accountId, minute, checkInMode]));
/** A session that checks in: its id, its home, and the last good minute of its cookie. */
export type CheckInData = z.output<typeof session>;

const checked = z.union([
  minute,
  unchanging(z.tuple([minute, accountId])),
  z.enum(["revoked", "not-mine", "later", "used"]),
]);
/**
 * The last good minute acknowledged, with the new home of a session that came with the name of a former member; or why
 * there is none.
 */
export type CheckedData = z.output<typeof checked>;

/** Names a pass without its key. */
const passName = z.string().min(1).max(64);
const claim = unchanging(z.tuple([passName, sessionId, whole, whole, z.boolean()]));
/**
 * A pass, the visitor who uses it, since when and until when unless that is renewed, in Unix ms, and whether the
 * visitor is new.
 */
export type ClaimData = z.output<typeof claim>;

/** Places in line are made for all that are counted: no more than there are keys, and than a line may hold. */
const ranges = named(
  numbersOf<readonly [low: number, high: number, count: number]>(3, RANGES_MAX, KEY_MAX).refine((ranges) =>
    ranges.every(([low, high, count]) => low <= high && count <= high - low + 1),
  ),
  `list of at most ${RANGES_MAX.toLocaleString("en-US")}: [low key, high key, count]`,
);
const line = z
  .object({ horizon: key, lastKey: key, ranges, draws: draws.optional() })
  .refine(({ ranges }) => sizeOf(ranges) <= LINE_MAX);

/**
 * `find` only looks; `admit` puts a visitor who waits at the front; `put-back` gives the place of an earlier moment;
 * `remove` takes place or session away.
 */
export const LOOK_ACTIONS = ["find", "admit", "put-back", "remove"] as const;
const lookAction = z.enum(LOOK_ACTIONS);
export type LookAction = z.output<typeof lookAction>;

/** Where a visitor was when the gate answered. */
const sight = z.object({
  /** `unproved`: not in line yet. */
  state: z.enum(["waiting", "inside", "unproved"]),
  /** When the visitor joined or came in, in Unix ms, to the minute. */
  sinceMs: whole,
  /** 0 while it is not known. */
  position: whole.optional(),
  /** Left out where it is unknown. */
  waitSeconds: seconds.optional(),
  /** The end of the session, unless it is extended. */
  untilMs: whole.optional(),
  /** Whether the action was carried out: `find` has none. */
  isDone: z.boolean(),
});
export type Sight = Readonly<z.output<typeof sight>>;

const upTo = z.number().min(0).max(WAIT_MAX);
/** What the ticket counter computes waits from. */
const outlook = z.object({
  steps: listOf(unchanging(z.tuple([upTo, upTo, z.boolean()])), STEPS_MAX),
  isEven: z.boolean(),
});

/** Contacts in one message. */
export const CONTACTS_SENT_MAX = 500;
/** Room for a push subscription of 1,000 bytes, sealed. Doubled, so many of them would not fit into a frame. */
const SEALED_MAX = 1_400;

/** A visitor, the queue key, lane and locality of the place, the sealed contact, and when it was left. */
const contact = unchanging(
  z.tuple([sessionId, key, whole.max(LANE_MAX), locality, z.string().max(SEALED_MAX), unixMs]),
);
export type ContactData = z.output<typeof contact>;

export const ROOM_SHAPES = {
  ask: z.object({
    kind: z.literal("ask"),
    room: roomId,
    call,
    asked: listOf(asked, ITEMS_MAX),
    /** Of each visitor, in the same order; all are without a lane if left out. */
    lanes: wholesOf(ITEMS_MAX, LANE_MAX).optional(),
    free: both,
    units,
  }),
  told: z.object({ kind: z.literal("told"), call, answers: listOf(answer, ITEMS_MAX), row: rowData.optional() }),
  recall: z.object({ kind: z.literal("recall"), room: roomId, call, slots: both, units, joined: minute }),
  lent: z.object({ kind: z.literal("lent"), call, row: rowData.optional(), free: both }),
  "check-in": z.object({ kind: z.literal("check-in"), room: roomId, call, sessions: listOf(session, ITEMS_MAX) }),
  checked: z.object({ kind: z.literal("checked"), call, checked: listOf(checked, ITEMS_MAX) }),
  /** The origin gives a session of that home a new term of so many minutes, at most a whole session. */
  extend: z.object({
    kind: z.literal("extend"),
    room: roomId,
    call,
    id: sessionId,
    home: accountId,
    lastGood: minute,
    minutes: whole.max(EXTEND_MINUTES_MAX),
  }),
  claim: z.object({ kind: z.literal("claim"), room: roomId, call, claims: listOf(claim, ITEMS_MAX) }),
  claimed: z.object({ kind: z.literal("claimed"), call, granted: listOf(z.boolean(), ITEMS_MAX) }),
  gift: z.object({ kind: z.literal("gift"), room: roomId, row: rowData }),
  line: z.object({
    kind: z.literal("line"),
    room: roomId,
    line,
    /** Left out for an empty line. */
    outlook: outlook.optional(),
    isParting: z.boolean(),
  }),
  polls: z.object({
    kind: z.literal("polls"),
    room: roomId,
    keys: wholesOf(KEYS_MAX, KEY_MAX),
    /** Seconds until each is to ask again. */
    pauses: wholesOf(KEYS_MAX, PAUSE_MAX).optional(),
    /** Of each visitor; all are without a lane if left out. */
    lanes: wholesOf(KEYS_MAX, LANE_MAX).optional(),
  }),
  /** Visitors of that line gave up their places, or stand in another locality's now, which could not reach it. */
  left: z.object({
    kind: z.literal("left"),
    room: roomId,
    call,
    moved: wholesOf(KEYS_MAX, KEY_MAX),
    gaveUp: wholesOf(KEYS_MAX, KEY_MAX),
  }),
  /** The origin ended a session: refuse it from now on. */
  revoke: z.object({ kind: z.literal("revoke"), room: roomId, call, id: sessionId, lastGood: minute }),
  noted: z.object({ kind: z.literal("noted"), call }),
  /** The gate at which the visitor with this number asks next says so. */
  look: z.object({
    kind: z.literal("look"),
    room: roomId,
    call,
    number: z.string().min(1).max(NUMBER_CHARS_MAX),
    action: lookAction,
    /** With `put-back`: the moment whose place the visitor gets, in Unix ms. */
    placeMs: whole.optional(),
    forMs: whole.max(LOOK_MS_MAX),
  }),
  sighted: z.object({ kind: z.literal("sighted"), call, sight }),
  /** Contacts that the receiver is to keep beside the sender, and visitors whose contacts it is to delete. */
  contacts: z.object({
    kind: z.literal("contacts"),
    room: roomId,
    call,
    kept: listOf(contact, CONTACTS_SENT_MAX),
    deleted: listOf(sessionId, CONTACTS_SENT_MAX),
  }),
  /** To the home of that session: all members refuse it, so its slot can be free. */
  release: z.object({ kind: z.literal("release"), room: roomId, id: sessionId, home: accountId }),
} as const;

/** What the rooms of two nodes say to each other. */
export type RoomMessage = z.output<(typeof ROOM_SHAPES)[keyof typeof ROOM_SHAPES]>;
export type RoomMessageOf<Kind extends RoomMessage["kind"]> = OfKind<RoomMessage, Kind>;

/** By kind of a question: the kind of its answer. */
export const ROOM_ANSWERS = {
  ask: "told",
  recall: "lent",
  "check-in": "checked",
  extend: "checked",
  claim: "claimed",
  left: "noted",
  revoke: "noted",
  look: "sighted",
  contacts: "noted",
} as const;
type RoomAnswerKind = (typeof ROOM_ANSWERS)[keyof typeof ROOM_ANSWERS];
export type RoomAnswer = RoomMessageOf<RoomAnswerKind>;
/** A message that is not an answer: a room receives it. */
export type RoomRequest = Exclude<RoomMessage, RoomAnswer>;

export type RoomCalls = Calls<RoomMessage, typeof ROOM_ANSWERS>;

/** Asks another node; `onAnswer` is called once, with the answer or, after `forMs` at most, with undefined. */
export type AskRoom = <Kind extends QuestionKind<typeof ROOM_ANSWERS>>(
  to: NodeId,
  question: AskedOf<RoomMessage, Kind>,
  forMs: number,
  onAnswer: (answer: AnswerTo<RoomMessage, typeof ROOM_ANSWERS, Kind> | undefined, nowMs: number) => void,
) => void;

/** Visitors waiting, by place. */
const places = numbersOf<readonly [low: number, high: number, count: number]>(3, PLACES_MAX, KEY_MAX);

/** One room's gauge in a message of gauges. */
const gauge = z.object({
  room: roomId,
  active: whole,
  arrivals: whole,
  mayAct: z.boolean(),
  places,
  inside: whole,
  admitted: whole,
  minute,
  rampStartMs: whole,
});

/**
 * Shares reported at once as idle: a node that inherits from more removals than this within a session's time reports
 * the first ones.
 */
export const IDLE_MAX = 16;
/** Accounts of one such share: a removal of more nodes at once reports the first ones. */
export const IDLE_ACCOUNTS_MAX = 64;

/** Rooms of one such share: a node that holds more reports the first ones. */
export const IDLE_ROOMS_MAX = 64;

/**
 * Why a share is idle: its node was silent and has been removed, so it may still run; it was removed by the operator's
 * order; or its own node uses nothing of it, because it may have lost what it admitted on it.
 */
export const IDLE_REASONS = ["removed", "held"] as const;

/**
 * A share that is idle at the reporting node: its owner, why, since when and until when, in Unix ms. Only for people.
 */
const idle = z.object({
  accounts: listOf(accountId, IDLE_ACCOUNTS_MAX),
  reason: z.enum(IDLE_REASONS),
  /** Left out where it is not known. */
  sinceMs: whole.optional(),
  untilMs: whole.optional(),
  /** All rooms if left out. */
  rooms: listOf(roomId, IDLE_ROOMS_MAX).optional(),
  /** The most slots of it that are idle; all if left out. The rest is in use. */
  ceilings: ceilings.optional(),
});
export type IdleShare = Readonly<z.output<typeof idle>>;
const idleShares = listOf(idle, IDLE_MAX).optional();

export const GAUGES_SHAPE = z.object({
  kind: z.literal("gauges"),
  lease: z.enum(["held", "none"]),
  rooms: listOf(gauge, ITEMS_MAX),
  /** Of the sender; nothing where it is heir of nothing. */
  idle: idleShares,
});

/** What rooms publish. */
export type GaugesMessage = z.output<typeof GAUGES_SHAPE>;
