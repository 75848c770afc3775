/**
 * The journal of a room, or of the mesh: the present value of each subject, and the notices of the last day.
 *
 * It lies in a register, so all nodes have it and it survives them. A node that finds a subject's value other than the
 * journal's adds a notice. So a restarted node reports nothing twice, and a change that nobody could write down is
 * found by the next look. The id follows from the subject and the number of the change, and is the same at every node.
 *
 * Journals merge: by subject the later change wins, and notices add up. Two nodes that reported the same change at the
 * same time made one notice; the earlier one is kept.
 */

import { z } from "zod";
import type { NodeId } from "../../../mesh/core/ids.ts";
import type { Register } from "../../../mesh/core/replica/registers.ts";
import { nodeId, unixMs, whole } from "../../../mesh/core/wire/shapes.ts";
import { sha256Hex } from "../../sha256.ts";
import { isNoticeType, type Notice, type NoticeData, type NoticeType } from "./notice.ts";

export interface SubjectState {
  readonly value: string;
  /**
   * How many changes there were; it starts at the minute of the first one, so that a forgotten count does not come
   * back.
   */
  readonly count: number;
  readonly atMs: number;
}

export interface Journal {
  readonly states: ReadonlyMap<string, SubjectState>;
  /** The oldest first. */
  readonly notices: readonly Notice[];
}

export const EMPTY_JOURNAL: Journal = { states: new Map(), notices: [] };

/**
 * Notices of one room, or of the mesh. At some 300 bytes each, a journal is sent to all nodes with each change of it.
 */
export const NOTICES_MAX = 100;

/** A webhook tries for a day; an hour more, so that it ends before its notice does. */
export const KEPT_MS = 25 * 60 * 60_000;

/** Subjects of one journal: a room's own, its origins, events, or all nodes of a mesh. */
const SUBJECTS_MAX = 1_000;

/** Of a journal as JSON: a register holds little more. URLs and reasons of origins may be long. */
const JOURNAL_BYTES_MAX = 200 * 1024;

/** Longest text in the data of a notice: a reason may hold the text of an error. */
const TEXT_MAX = 500;

/** So many subjects and notices fit, whatever texts they have. */
const FITTING = 20;

const MINUTE_MS = 60_000;

/** A change of a subject. Without a type nothing is said about it. */
export interface Change {
  readonly subject: string;
  readonly value: string;
  readonly type: NoticeType | undefined;
  readonly atMs: number;
  readonly data: NoticeData;
}

export interface Reporter {
  readonly mesh: string;
  readonly node: NodeId;
  /** The key of the journal. */
  readonly key: string;
  /** The room's name; undefined for the mesh. */
  readonly room: string | undefined;
}

/** The journal with a change. */
export function noted(journal: Journal, change: Change, { mesh, node, key, room }: Reporter): Journal {
  const { subject, value, type, atMs, data } = change;
  const before = journal.states.get(subject)?.count;
  const count = before === undefined ? Math.floor(atMs / MINUTE_MS) : before + 1;
  const states = new Map([...journal.states, [subject, { value, count, atMs }]]);
  if (type === undefined) return { ...journal, states };
  const id = `ntc_${sha256Hex(JSON.stringify([mesh, key, subject, count])).slice(0, 24)}`;
  const short = Object.entries(data).map(([name, each]) => [
    name,
    typeof each === "string" ? each.slice(0, TEXT_MAX) : each,
  ]);
  const notice: Notice = { id, type, atMs, node, room, subject, count, data: Object.fromEntries(short) };
  return { states, notices: [...journal.notices, notice].sort(byAge) };
}

/** What two nodes know together: commutative, associative and idempotent, as far as bounds allow. */
export function merged(one: Journal, other: Journal): Journal {
  const states = new Map(one.states);
  for (const [subject, state] of other.states) {
    const known = states.get(subject);
    states.set(subject, known === undefined ? state : laterOf(known, state));
  }
  const notices = new Map(one.notices.map((notice) => [notice.id, notice]));
  for (const notice of other.notices) {
    const known = notices.get(notice.id);
    notices.set(notice.id, known === undefined ? notice : firstOf(known, notice));
  }
  return { states, notices: [...notices.values()].sort(byAge) };
}

/** Without notices that are too old or too many, and subjects that are over: `isOver` of a subject and its value. */
export function pruned(journal: Journal, nowMs: number, isOver: (subject: string, value: string) => boolean): Journal {
  const young = journal.notices.filter(({ atMs }) => nowMs - atMs < KEPT_MS);
  const states = [...journal.states].filter(
    ([subject, { value, atMs }]) => nowMs - atMs < KEPT_MS || !isOver(subject, value),
  );
  const newest = states.length <= SUBJECTS_MAX ? states : states.sort(([, a], [, b]) => b.atMs - a.atMs);
  const left = { states: new Map(newest.slice(0, SUBJECTS_MAX)), notices: young.slice(-NOTICES_MAX) };
  return left.notices.length + left.states.size > FITTING ? fitting(left) : left;
}

/** By age; at the same time by id, so that all nodes have one order. */
export function byAge(one: Notice, other: Notice): number {
  return one.atMs - other.atMs || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);
}

function laterOf(one: SubjectState, other: SubjectState): SubjectState {
  if (one.count !== other.count) return one.count > other.count ? one : other;
  if (one.atMs !== other.atMs) return one.atMs < other.atMs ? one : other;
  return one.value <= other.value ? one : other;
}

function firstOf(one: Notice, other: Notice): Notice {
  if (one.atMs !== other.atMs) return one.atMs < other.atMs ? one : other;
  // The same node says it once only.
  return textOf(one) <= textOf(other) ? one : other;
}

function textOf({ node, type, room, data }: Notice): string {
  return JSON.stringify([node, type, room, data]);
}

const stored = z.object({
  states: z.array(z.tuple([z.string().max(2_100), z.string().max(200), whole, unixMs])).max(SUBJECTS_MAX),
  notices: z
    .array(
      z.object({
        id: z.string().regex(/^ntc_[0-9a-f]{24}$/),
        // A type of a newer release: it is passed on with the register, and said by nodes of that release.
        type: z.string().max(100),
        at: unixMs,
        node: nodeId,
        room: z.string().max(200).optional(),
        subject: z.string().max(2_100),
        count: whole,
        data: z.record(z.string().max(100), z.union([z.string().max(3_000), z.number(), z.boolean(), z.null()])),
      }),
    )
    .max(NOTICES_MAX),
});

/** The journal in a register; an empty one if there is none that can be read. */
export function journalIn(register: Register | undefined): Journal {
  const read = stored.safeParse(parsed(register?.document));
  if (!read.success) return EMPTY_JOURNAL;
  const notices = read.data.notices.flatMap(({ type, at: atMs, room, ...rest }): Notice[] =>
    isNoticeType(type) ? [{ ...rest, type, atMs, room }] : [],
  );
  const states = read.data.states.map(([subject, value, count, atMs]) => [subject, { value, count, atMs }] as const);
  return { states: new Map(states), notices: notices.sort(byAge) };
}

export function journalRegister(journal: Journal, nowMs: number): Omit<Register, "stamp"> {
  return { firstName: "", document: documentOf(journal), createdMs: nowMs };
}

function documentOf({ states, notices }: Journal): string {
  return JSON.stringify({
    states: [...states].map(([subject, { value, count, atMs }]) => [subject, value, count, atMs]),
    notices: notices.map(({ atMs, ...rest }) => ({ ...rest, at: atMs })),
  });
}

/** The newest half of the notices, and again, until the journal fits; after that of the subjects. */
function fitting(journal: Journal): Journal {
  let { states, notices } = journal;
  while (Buffer.byteLength(documentOf({ states, notices })) > JOURNAL_BYTES_MAX) {
    if (notices.length > 0) notices = notices.slice(Math.ceil(notices.length / 2));
    else states = new Map([...states].slice(Math.ceil(states.size / 2)));
  }
  return { states, notices };
}

export function isSameJournal(one: Journal, other: Journal): boolean {
  const isEqual = ([subject, { value, count }]: readonly [string, SubjectState]): boolean => {
    const state = other.states.get(subject);
    return state?.value === value && state.count === count;
  };
  const isSameNotice = ({ id, atMs, node }: Notice, at: number): boolean => {
    const notice = other.notices[at];
    return notice?.id === id && notice.atMs === atMs && notice.node === node;
  };
  const isAsLarge = one.states.size === other.states.size && one.notices.length === other.notices.length;
  return isAsLarge && [...one.states].every(isEqual) && one.notices.every(isSameNotice);
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    // From a member that writes what it should not: as if there were no journal.
    return undefined;
  }
}
