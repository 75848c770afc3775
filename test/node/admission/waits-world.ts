/**
 * One room at one node with visitors who wait, browse and leave, on a virtual clock: what they are told about their
 * waits, and how long they really wait. No mesh, so that many minutes pass in a second.
 */

import { seededRandom } from "../../../cmd/crowd/random.ts";
import type { Minute } from "../../../mesh/core/ids.ts";
import { MINUTE_MS } from "../../../mesh/core/minute.ts";
import { Admission, type Place } from "../../../node/admission/admission.ts";
import { Pace } from "../../../node/admission/pace/pace.ts";
import type { Room } from "../../../node/config/room.ts";
import { M } from "./one-room.ts";
import { roomWith } from "./room-with.ts";
import { type WaitCounts, WaitCoverage } from "./wait-coverage.ts";
import { arrive as join, poll } from "./without-mesh.ts";

export interface Waits {
  readonly room: Partial<Room>;
  readonly minutes: number;
  /** New visitors per minute, so many minutes after the start. */
  readonly rate: (minute: number) => number;
  /** Minutes that visitors stay, on average. */
  readonly stayMinutes: number;
  /** Visitors per minute who join and never ask again. */
  readonly silent?: (minute: number) => number;
  /** What the operator changes, and when. */
  readonly change?: { readonly minute: number; readonly room: Partial<Room> };
  readonly seed: number;
}

interface Person {
  readonly id: string;
  readonly key: number;
  readonly staysMs: number;
  untilMs: number;
  lastGood: number;
}

const TICK_MS = 500;
const STEP_MS = 100;

export interface Seen {
  readonly counts: WaitCounts;
  /** The most by which the ends of a range differed. */
  widest: number;
  /** What visitors were told when they joined, and how long they waited, in seconds. */
  readonly firsts: { readonly toldSeconds: number | undefined; readonly trueSeconds: number }[];
}

export function waitsIn({ room: change, minutes, rate, stayMinutes, silent = () => 0, seed, ...rest }: Waits): Seen {
  const config = { room: roomWith(change) };
  const random = seededRandom(seed);
  const counts = { in: new Map<number, number>(), out: new Map<number, number>() };
  const at = (of: Map<number, number>, minute: Minute): number => of.get(minute) ?? 0;
  const startMs = M * MINUTE_MS;
  const pace = new Pace(config, { startMs, activeMs: startMs, nowMs: startMs, minuteMs: MINUTE_MS });
  const admission: Admission = new Admission(config, {
    brake: pace,
    account: {
      active: (limit) => limit,
      arrivals: (limit) => limit,
      pot: () => 0,
      ceiling: () => Number.POSITIVE_INFINITY,
      count: (kind, minute) => {
        if (kind !== "seen") counts[kind].set(minute, at(counts[kind], minute) + 1);
      },
    },
    minuteMs: MINUTE_MS,
    nowMs: M * MINUTE_MS,
    restored: undefined,
    view: {
      entered: (minute) => at(counts.in, minute),
      moved: (minute) => at(counts.out, minute),
      free: (nowMs) => {
        const arrivals = admission.arrivalsLimit(nowMs) - admission.admittedInMinute(nowMs);
        return { active: config.room.totalActiveUsers - admission.inside(nowMs), arrivals };
      },
      due: () => (slots) => Math.floor(slots),
      mayAdmit: () => true,
    },
  });
  const coverage = new WaitCoverage<Person>();
  const seen: Seen = { counts: coverage.counts, widest: 0, firsts: [] };
  const joined = new Map<Person, { readonly atMs: number; readonly toldSeconds: number | undefined }>();
  const due = new Map<number, (() => void)[]>();
  let nowMs = M * MINUTE_MS;
  const after = (ms: number, act: () => void): void => {
    due.getOrInsertComputed(Math.ceil((nowMs + ms) / STEP_MS), () => []).push(act);
  };
  const comesIn = (person: Person, lastGood: number): void => {
    coverage.enters(person, nowMs);
    const before = joined.get(person);
    if (before) seen.firsts.push({ toldSeconds: before.toldSeconds, trueSeconds: (nowMs - before.atMs) / 1_000 });
    joined.delete(person);
    person.lastGood = lastGood;
    person.untilMs = nowMs + person.staysMs;
    browse(person);
  };
  const browse = (person: Person): void =>
    after((0.1 + 0.3 * random()) * MINUTE_MS, () => {
      if (nowMs > person.untilMs) return;
      const checked = admission.sessions.checkIn(person.id, person.lastGood as Minute, nowMs);
      if (checked.kind === "acknowledged") person.lastGood = checked.lastGood;
      browse(person);
    });
  const waits = (person: Person, place: Place): void => {
    const { wait } = place;
    const shown = wait?.isKnown
      ? { ...wait, lowSeconds: wait.earliestSeconds, highSeconds: wait.latestSeconds }
      : undefined;
    coverage.shows(person, shown, nowMs);
    if (shown) seen.widest = Math.max(seen.widest, shown.highSeconds / shown.lowSeconds);
    const pauseMs = admission.pauseMs(place, nowMs);
    after(pauseMs % 1_000 === 0 ? pauseMs * (0.9 + 0.2 * random()) : pauseMs, () => {
      const told = poll(admission, person, nowMs);
      if (told.kind === "waiting") waits(person, told.place);
      else if (told.kind === "admitted") comesIn(person, told.lastGood);
    });
  };
  const arrive = (id: string, asksAgain: boolean): void => {
    const told = join(admission, id, nowMs);
    const key = told.kind === "waiting" ? told.place.key : 0;
    const staysMs = asksAgain ? -Math.log(1 - random()) * stayMinutes * MINUTE_MS : 0;
    const person: Person = { id, key, staysMs, untilMs: 0, lastGood: 0 };
    if (told.kind === "admitted") comesIn(person, told.lastGood);
    if (told.kind !== "waiting" || !asksAgain) return;
    joined.set(person, { atMs: nowMs, toldSeconds: told.place.wait?.isKnown ? told.place.wait.seconds : undefined });
    waits(person, told.place);
  };
  let people = 0;
  for (let step = 0; step < (minutes * MINUTE_MS) / STEP_MS; step++) {
    nowMs = M * MINUTE_MS + step * STEP_MS;
    const minute = (step * STEP_MS) / MINUTE_MS;
    if (rest.change !== undefined && minute === rest.change.minute) {
      const before = config.room;
      config.room = { ...before, ...rest.change.room };
      pace.roomChanged(before, { isCold: before.queueAll, wasLong: false, atMs: nowMs });
      admission.roomChanged();
    }
    if ((step * STEP_MS) % TICK_MS === 0) {
      admission.tick(nowMs);
      const [inside, admitted] = [admission.inside(nowMs), admission.admittedInMinute(nowMs)];
      pace.tick({ inside, admitted, seen: admitted, isLine: admission.waiting > 0 }, nowMs);
      // As the node that keeps a line tells the others.
      admission.outlook(nowMs);
      admission.call(admission.free(nowMs), nowMs);
    }
    const coming = (perMinute: number): number => {
      const mean = (perMinute * STEP_MS) / MINUTE_MS;
      return Math.floor(mean + random());
    };
    for (let count = coming(rate(minute)); count > 0; count--) arrive(`v${++people}`, true);
    for (let count = coming(silent(minute)); count > 0; count--) arrive(`s${++people}`, false);
    for (const act of due.get(nowMs / STEP_MS) ?? []) act();
    due.delete(nowMs / STEP_MS);
  }
  return seen;
}
