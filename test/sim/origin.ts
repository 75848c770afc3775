/**
 * What pacing by the origin is worth: the same visitors in front of an origin with a knee, with and without pacing, and
 * in front of that origin as it dies, slows down, comes back and flaps.
 *
 * The yardstick is the best fixed limit, which an operator would have to know beforehand; with pacing the room's own
 * limits are far too high. Goodput is what the origin answers in time.
 */

import { allHold, atLeast, atMost, type Check } from "../../cmd/checks.ts";
import { plotPage } from "../../cmd/plot-page.ts";
import { type Cell, notedTable, type TableOptions, type TableParts } from "../../cmd/print.ts";
import { BURST_MIN } from "../../node/admission/pace/pace.ts";
import { rampLevel } from "../../node/config/ramp.ts";
import type { Room } from "../../node/config/room.ts";
import type { OriginModel } from "./origin-model.ts";
import { run } from "./run.ts";
import { DEFAULT_TIMES, type Scenario } from "./scenario.ts";
import { PATIENT } from "./visitor.ts";

const PER_SECOND = 20;
/**
 * A visitor inside asks four times a minute and stays for three: that many new visitors a minute keep the origin busy.
 */
const CAPACITY = 100;
const DEMANDS = [0.5, 1, 2, 3];
/**
 * Limits on visitors inside, those who have left for less than a session's length included. At the knee there are about
 * 450.
 */
const FIXED = [250, 300, 350, 400];
const MINUTES = 30;
/** Goodput counts from here on: until then the ramp rises. */
const WARM_MINUTES = 12;
const OFF: Partial<Room> = { throttle: { k: 0, latency: 0 } };
const RAMP = { start: CAPACITY / 2, percent: 50, minutes: 5 };
/** Part of the best fixed limit's goodput to be reached without knowing it. */
const AIM = 0.95;

const BASE: Omit<Scenario, "rate"> = {
  name: "origin",
  summary: "an origin with a knee",
  localities: ["sjc", "sjc", "lon"],
  ...DEFAULT_TIMES,
  minutes: MINUTES,
  room: { totalActiveUsers: 10_000, newUsersPerMinute: 10_000, sessionDuration: 2, refreshIntervalSeconds: 30 },
  stayMinutes: 3,
  crowd: [2, 4, 7, 12, 20].map((patienceMinutes) => ({ ...PATIENT, patienceMinutes })),
  origin: { perSecond: PER_SECOND, serviceMs: 60 },
};

/** What happens to the origin in the second part, by the minute. */
const TROUBLE = [
  { from: 10, to: 12, text: "down", act: (origin: OriginModel) => Object.assign(origin, { isDown: true }) },
  { from: 20, to: 23, text: "ten times slower", act: (origin: OriginModel) => Object.assign(origin, { slowness: 10 }) },
  {
    from: 32,
    to: 35,
    text: "up and down every ten seconds",
    act: (origin: OriginModel, minute: number) => Object.assign(origin, { isDown: Math.floor(minute * 6) % 2 === 0 }),
  },
];
const TROUBLE_MINUTES = 42;

/** Goodput in requests per second at one demand, in times of the capacity. */
export interface Goodput {
  readonly demand: number;
  readonly off: number;
  readonly on: number;
  /** With the limit that turned out best, and which it was. */
  readonly best_fixed: number;
  readonly best_limit: number;
}

export interface OriginComparison {
  readonly ok: boolean;
  readonly checks: readonly Check[];
  readonly verdict: readonly Goodput[];
  readonly text: (options: TableOptions) => string;
  readonly page: () => string;
}

/** Runs everything; `onRun` is called after each run. */
export function compareOrigin(seed: number, onRun: () => void): OriginComparison {
  const verdict = DEMANDS.map((demand): Goodput => {
    const goodputOf = (room: Partial<Room>): number => {
      const goodput = runOf(demand, room, seed);
      onRun();
      return goodput;
    };
    const fixed = FIXED.map((totalActiveUsers) => [goodputOf({ ...OFF, totalActiveUsers }), totalActiveUsers] as const);
    const [best, limit] = fixed.reduce((one, other) => (other[0] > one[0] ? other : one));
    return { demand, off: goodputOf(OFF), on: goodputOf({ ramp: RAMP }), best_fixed: best, best_limit: limit };
  });
  const trouble = troubled(seed);
  onRun();
  const checks = checksOf(verdict, trouble);
  return {
    ok: allHold(checks),
    checks,
    verdict,
    text: (options) => textOf(verdict, options),
    page: () => pageOf(verdict, trouble),
  };
}

/** How many runs `compareOrigin` makes. */
export const ORIGIN_RUNS = DEMANDS.length * (FIXED.length + 2) + 1;

function runOf(demand: number, room: Partial<Room>, seed: number): number {
  const { origin, startMs } = run({
    scenario: { ...BASE, room: { ...BASE.room, ...room }, rate: rateOf(demand) },
    seed,
  });
  const [from, to] = [WARM_MINUTES, MINUTES].map((minute) => Math.floor(startMs / 1_000) + minute * 60);
  return sum(origin?.good ?? [], from ?? 0, to ?? 0) / ((MINUTES - WARM_MINUTES) * 60);
}

function rateOf(demand: number): Scenario["rate"] {
  return (_, locality) => demand * CAPACITY * (locality === "sjc" ? 0.6 : 0.4);
}

interface Troubled {
  /** By minute: who came in, what the ramp allowed at most, requests answered a second. */
  readonly entered: readonly number[];
  readonly allowed: readonly number[];
  readonly good: readonly number[];
  readonly waiting: readonly number[];
  readonly thrownOut: number;
}

function troubled(seed: number): Troubled {
  /** When the ramp began, by the minute. */
  const starts = [0];
  let latestMs = 0;
  const result = run({
    seed,
    scenario: {
      ...BASE,
      minutes: TROUBLE_MINUTES,
      room: { ...BASE.room, ramp: RAMP },
      rate: rateOf(2),
      script: (world, minute) => {
        const { origin } = world;
        if (origin === undefined) return;
        Object.assign(origin, { isDown: false, slowness: 1 });
        for (const { from, to, act } of TROUBLE) if (minute >= from && minute < to) act(origin, minute);
        const begun = world.nodes.flatMap(({ peer }) =>
          [...(peer?.rooms.values() ?? [])].map(({ pace }) => pace.startMs),
        );
        const lastMs = Math.max(...begun);
        if (latestMs > 0 && lastMs > latestMs) starts.push(minute);
        latestMs = lastMs;
      },
    },
  });
  const { startMs } = result;
  const bySecond = (counts: readonly number[], minute: number): number => {
    const from = Math.floor(startMs / 1_000) + minute * 60;
    return sum(counts, from, from + 60);
  };
  const minutes = Array.from({ length: TROUBLE_MINUTES }, (_, minute) => minute);
  const { origin, oracle } = result;
  return {
    entered: minutes.map((minute) => bySecond(origin?.entered ?? [], minute)),
    good: minutes.map((minute) => bySecond(origin?.good ?? [], minute) / 60),
    allowed: minutes.map((minute) => {
      const before = starts.filter((start) => start <= minute).at(-1) ?? 0;
      const within = starts.some((start) => start > minute && start < minute + 1);
      // A minute in which the ramp starts again has some of the old level, and of the new one.
      return Math.max(rampLevel(RAMP, minute + 1 - before), within ? RAMP.start : 0);
    }),
    waiting: minutes.map((minute) => oracle.samples[minute * 60 + 5]?.waiting ?? 0),
    thrownOut: oracle.counts.thrownOut,
  };
}

function sum(counts: readonly number[], from: number, to: number): number {
  let all = 0;
  for (let second = from; second < to; second++) all += counts[second] ?? 0;
  return all;
}

function checksOf(verdict: readonly Goodput[], { entered, allowed, thrownOut }: Troubled): Check[] {
  const worst = Math.min(...verdict.map(({ on, best_fixed }) => on / best_fixed));
  const over = Math.max(...entered.map((count, minute) => count - (allowed[minute] ?? 0)));
  return [
    atLeast({
      name: "goodput with the rules, of the best fixed limit's",
      promise: "mesh",
      value: Math.round(worst * 1_000) / 10,
      limit: AIM * 100,
      unit: "%",
    }),
    atMost({
      name: "let in beyond the ramp, in the worst minute",
      promise: "mesh",
      value: Math.max(0, Math.ceil(over)),
      // Minutes that do not begin with the clock's may have as many more as may be saved up.
      limit: BURST_MIN,
    }),
    atMost({ name: "thrown out while the origin was ill", promise: "never lost", value: thrownOut, limit: 0 }),
  ];
}

function tableOf(verdict: readonly Goodput[]): TableParts {
  return {
    columns: [
      { title: "DEMAND", align: "right" },
      { title: "NO RULES", align: "right" },
      { title: "WITH THE RULES", align: "right" },
      { title: "BEST FIXED LIMIT", align: "right" },
      { title: "" },
    ],
    rows: verdict.map(({ demand, off, on, best_fixed, best_limit }): (Cell | string)[] => [
      `${demand} ×`,
      { text: percent(off), ...(off < AIM * best_fixed && { style: "red" as const }) },
      percent(on),
      percent(best_fixed),
      `${best_limit} inside`,
    ]),
  };
}

const NOTES = [
  `Goodput: requests answered in time, in percent of what the origin can answer, from minute ${WARM_MINUTES} on. Demand in times of that.`,
  `Limits of ${FIXED.join(", ")} inside were tried; with and without the rules the room's own is 10,000.`,
];

function textOf(verdict: readonly Goodput[], options: TableOptions): string {
  return notedTable(tableOf(verdict), NOTES, options);
}

function percent(perSecond: number): string {
  return `${((100 * perSecond) / PER_SECOND).toFixed(1)} %`;
}

function pageOf(verdict: readonly Goodput[], { entered, allowed, good, waiting }: Troubled): string {
  const at = entered.map((_, minute) => minute * 60);
  const plot = (title: string, unit: string, lines: readonly (readonly [string, readonly number[], boolean?])[]) => ({
    title,
    unit,
    at,
    isOfDay: false,
    lines: lines.map(([name, values, isLimit = false]) => ({ name, values, isLimit })),
  });
  const events = TROUBLE.map(({ from, to, text }) => `from minute ${from} to ${to} it is ${text}`).join(", ");
  return plotPage({
    title: "The origin sets the pace",
    facts: [],
    notes: NOTES,
    lead: `An origin that bears ${CAPACITY} new visitors a minute, and twice as many come: ${events}.`,
    plots: [
      plot("Let in per minute, against the ramp", "visitors", [
        ["ramp", allowed.map((level) => Math.min(level, 4 * CAPACITY)), true],
        ["let in", entered],
      ]),
      plot("Requests answered in time", "per second", [
        ["capacity", at.map(() => PER_SECOND), true],
        ["answered", good],
      ]),
      plot("Visitors waiting", "visitors", [["waiting", waiting]]),
    ],
    table: tableOf(verdict),
  });
}
