/**
 * What happened in each room at this node, minute by minute: it looks about once a second, and hands over its
 * counts when a minute is over.
 *
 * It compares counters that exist anyway with their values at the last look, so requests pay nothing for it. A minute
 * begins and ends with a look: what falls between two looks counts in the earlier minute.
 */

import type { Minute, RoomId } from "../../mesh/core/ids.ts";
import { minuteOf } from "../../mesh/core/minute.ts";
import {
  countsOf,
  type End,
  HELD_REASONS,
  type HeldReason,
  isIdle,
  type MinuteRecord,
  SUMS,
  type Sums,
} from "../history/minute-record.ts";
import type { LiveRoom } from "./live-room.ts";
import type { Outcome } from "./room-counts.ts";

/** Between two looks. Halved, averages are no better for people, and looking costs twice as much. */
const LOOK_MS = 1_000;

/** Looks of a minute, however short minutes are. */
const LOOKS_PER_MINUTE = 10;

/** A process that was stopped held nobody back: of a longer pause between two looks, so much counts. */
const PAUSE_MS_MAX = 3_000;

/** Requests that passed without a session, by rule, address, staff pass or as a crawler. */
const BYPASSED: readonly Outcome[] = ["bypassed", "crawler"];

/** Requests of visitors who got neither slot nor place. */
const REJECTED: readonly Outcome[] = [
  "rejected",
  "full",
  "crawler_refused",
  "blocked",
  "uninvited",
  "pass_refused",
  "address_limited",
  "shed",
];

export interface MinuteKeeperParts {
  readonly rooms: () => readonly LiveRoom[];
  readonly minuteMs: number;
  /** Whether this node may admit visitors of a room now. */
  readonly mayAct: (room: RoomId) => boolean;
  /** Where the minutes go. */
  readonly history: {
    begin(minute: Minute): void;
    close(until: Minute, records: readonly MinuteRecord[], end?: End): void;
  };
}

interface Open {
  /** What was counted when the minute began. */
  sums: Sums;
  samples: number;
  inside: number;
  waiting: number;
  limit: number;
  readonly heldMs: Map<HeldReason, number>;
}

export class MinuteKeeper {
  readonly #parts: MinuteKeeperParts;
  readonly #open = new Map<LiveRoom, Open>();
  #minute: Minute | undefined;
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor(parts: MinuteKeeperParts) {
    this.#parts = parts;
  }

  /** Call it at each tick, with the time of the rooms. */
  tick(roomMs: number, steadyMs: number): void {
    const { minuteMs, history } = this.#parts;
    const minute = minuteOf(roomMs, minuteMs);
    if (this.#minute === undefined || minute < this.#minute) {
      if (this.#minute !== undefined) this.#close((this.#minute + 1) as Minute, "stopped");
      this.#minute = minute;
      history.begin(minute);
    } else if (minute > this.#minute) {
      this.#close(minute);
      this.#minute = minute;
    }
    const sinceMs = steadyMs - this.#lookedMs;
    if (sinceMs < Math.min(LOOK_MS, minuteMs / LOOKS_PER_MINUTE)) return;
    this.#lookedMs = steadyMs;
    for (const live of this.#parts.rooms()) this.#look(live, { roomMs, sinceMs: Math.min(sinceMs, PAUSE_MS_MAX) });
  }

  /** The process ends in order: its last minute is over early. */
  end(): void {
    if (this.#minute !== undefined) this.#close((this.#minute + 1) as Minute, "stopped");
    this.#minute = undefined;
  }

  #look(live: LiveRoom, { roomMs, sinceMs }: { readonly roomMs: number; readonly sinceMs: number }): void {
    const { admission, room } = live;
    const open = this.#openOf(live);
    open.samples += 1;
    open.inside += admission.inside(roomMs) + admission.insidePots(roomMs);
    open.waiting += admission.waiting;
    open.limit = room.totalActiveUsers;
    const reason = admission.waiting === 0 ? undefined : this.#reasonOf(live);
    if (reason !== undefined) open.heldMs.set(reason, (open.heldMs.get(reason) ?? 0) + sinceMs);
  }

  /** Why visitors in line are not admitted although slots may be free; undefined if only the limits count. */
  #reasonOf({ id, room, order, meshRoom }: LiveRoom): HeldReason | undefined {
    if (room.queueAll) return room.event?.phase === "prequeue" && order === undefined ? "prequeue" : "hold";
    return this.#parts.mayAct(id) ? meshRoom.pace.holding?.reason : "lease";
  }

  #close(until: Minute, end?: End): void {
    const minute = this.#minute;
    if (minute === undefined) return;
    const rooms = new Set(this.#parts.rooms());
    const records = [...rooms].flatMap((live) => {
      const record = this.#recordOf(live, minute);
      return isIdle(record) ? [] : [record];
    });
    for (const live of this.#open.keys()) if (!rooms.has(live)) this.#open.delete(live);
    this.#parts.history.close(until, records, end);
  }

  /** What was counted, and begins the next minute. */
  #recordOf(live: LiveRoom, minute: Minute): MinuteRecord {
    const open = this.#openOf(live);
    const { samples, inside, waiting, limit, heldMs } = open;
    const sums = sumsOf(live);
    const news = Object.fromEntries(SUMS.map((name) => [name, sums[name] - open.sums[name]])) as Sums;
    const { waitClasses } = live.counts;
    const record: MinuteRecord = {
      room: live.id,
      name: live.room.name,
      minute,
      counts: countsOf({ samples, inside, waiting, limit, ...news }),
      waits: [...waitClasses].flat(),
      held: [...heldMs].flatMap(([reason, ms]) => [HELD_REASONS.indexOf(reason), Math.round(ms)]),
    };
    waitClasses.clear();
    this.#open.set(live, opened(sums));
    return record;
  }

  #openOf(live: LiveRoom): Open {
    return this.#open.getOrInsertComputed(live, () => opened(NOTHING));
  }
}

const NOTHING = Object.fromEntries(SUMS.map((name) => [name, 0])) as Sums;

function opened(sums: Sums): Open {
  return { sums, samples: 0, inside: 0, waiting: 0, limit: 0, heldMs: new Map() };
}

/** Since the start of the process. */
function sumsOf({ counts, admission }: LiveRoom): Sums {
  const { requests } = counts;
  const of = (outcomes: readonly Outcome[]): number => outcomes.reduce((sum, outcome) => sum + requests[outcome], 0);
  const { abandoned, noShows, returned } = admission.lineCounts;
  return {
    admitted: counts.admissions,
    joined: requests.joined + counts.provedJoins,
    abandoned,
    no_shows: noShows,
    returned,
    revoked: counts.revoked,
    bypassed: of(BYPASSED),
    rejected: of(REJECTED),
    completed: counts.completed,
  };
}
