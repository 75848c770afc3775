/**
 * The results of `lost-node`: a table with a row per case, the aims, and a page with the usable slots over time.
 *
 * Every figure comes from the worst seed. An aim that is not reached yet is shown beside the present limit.
 */

import { atLeast, atMost, type Check, checksParts, checksTable } from "../../cmd/checks.ts";
import { type Plot, plotPage } from "../../cmd/plot-page.ts";
import { notedTable, span, type TableOptions, type TableParts } from "../../cmd/print.ts";
import { BACK_S, LOST_CASES, LOST_ROOM, type LostCase, type LostResult } from "./lost-node.ts";

/**
 * Seconds after the loss from which on the others should have what the lost node did not hold: a lease, and the
 * removal.
 */
const TAKEN_OVER_S = 35;
/** Seconds in which visitors in line take a slot: each polls every 20 s, and the first one called may be unlucky. */
const TAKEN_S = 60;
/**
 * Slots that may lie in fractions at several nodes, until these come together at one: while a line is let in that takes
 * some seconds.
 */
const IN_FRACTIONS = 1;
/** In percent of the room: this much must remain when a process is only restarted. */
const ALIVE = 95;

interface Aim {
  readonly name: string;
  readonly of: (one: LostCase) => boolean;
  readonly bound: typeof atLeast;
  readonly aim: number;
  readonly unit: string;
  /** The present limit: the aim itself once that is reached. */
  readonly limit: number;
  /** The figure of one run. */
  readonly figure: (result: LostResult, one: LostCase) => number;
}

const AIMS: readonly Aim[] = [
  {
    name: `lost for good, a third full: usable from ${TAKEN_OVER_S} s on`,
    of: ({ loss, fill }) => loss === "gone" && fill === "third",
    bound: atLeast,
    aim: 93,
    unit: "%",
    limit: 93,
    figure: ({ usable }) => percent(Math.min(...usable.slice(TAKEN_OVER_S))),
  },
  {
    name: `lost for good, fuller: idle from ${TAKEN_OVER_S} s on, visitors who are not back left out`,
    of: ({ loss, fill }) => loss === "gone" && fill !== "third",
    bound: atMost,
    aim: 0,
    unit: "slots",
    limit: 20,
    figure: ({ usable, away }) =>
      Math.max(...usable.map((slots, second) => (second < TAKEN_OVER_S ? 0 : LOST_ROOM - slots - (away[second] ?? 0)))),
  },
  {
    name: "lost for good: all usable after",
    of: ({ loss }) => loss === "gone",
    bound: atMost,
    aim: 420,
    unit: "s",
    limit: 440,
    figure: ({ usable }) => wholeAt(usable),
  },
  {
    name: "back, or a cut healed, after two minutes: all usable so long after that",
    of: ({ loss }) => loss === "back" || loss === "cut",
    bound: atMost,
    aim: 10,
    unit: "s",
    limit: 10,
    figure: ({ usable }, { loss }) => Math.max(0, wholeAt(usable) - BACK_S[loss]),
  },
  {
    name: `killed and started within the lease: below ${ALIVE} % for`,
    of: ({ loss }) => loss === "restart",
    bound: atMost,
    aim: 3,
    unit: "s",
    limit: 3,
    figure: ({ usable }) => usable.filter((slots) => percent(slots) < ALIVE).length,
  },
  {
    // A crowd that waits for slots reveals one that counts as usable although no visitor can have it.
    name: `in a rush: usable for ${TAKEN_S} s, and taken by nobody`,
    of: ({ crowd }) => crowd === "rush",
    bound: atMost,
    aim: 0,
    unit: "slots",
    limit: 0,
    figure: ({ usable, inside }) =>
      Math.max(...inside.map((taken, second) => (second < TAKEN_S ? 0 : leastOf(usable, second) - taken))),
  },
];

function leastOf(usable: readonly number[], second: number): number {
  return Math.min(...usable.slice(second - TAKEN_S, second + 1));
}

/** The checks over all results. */
export function lostVerdict(results: readonly LostResult[]): Check[] {
  const broken = results.filter((result) => result.broken !== null);
  const [first] = broken;
  const note = first?.broken ?? "";
  return [
    atMost({
      promise: "mesh",
      name: "runs that broke a promise",
      value: broken.length,
      limit: 0,
      ...(first && { note: `${first.name}: ${note}` }),
    }),
    ...AIMS.flatMap((aim) => checkOf(aim, results)),
  ];
}

function checkOf({ name, of, bound, aim, limit, unit, figure }: Aim, results: readonly LostResult[]): Check[] {
  const figures = results.flatMap((result) => {
    const one = caseOf(result);
    return result.broken === null && of(one) ? { value: figure(result, one), name: result.name } : [];
  });
  const isLeast = bound === atLeast;
  const worst = figures.reduce<(typeof figures)[number] | undefined>(
    (most, each) => (most === undefined || (isLeast ? each.value < most.value : each.value > most.value) ? each : most),
    undefined,
  );
  if (worst === undefined) return [];
  const { value, name: note } = worst;
  return [bound({ promise: "never early", name, value, limit, aim, unit, note })];
}

/** The table and the checks for a terminal. */
export function lostText(results: readonly LostResult[], options: TableOptions): string {
  return `${notedTable(tableOf(results), NOTES, options)}\n\n${checksTable(lostVerdict(results), options)}`;
}

const NOTES = [
  `A room of ${LOST_ROOM}, of the worst seed of each case, in percent. Usable: visitors inside hold it, or new ones can get it.`,
  "Held, free: slots of the lost node just before. Case: what becomes of the node, nodes x localities, how full the room was,",
  "and whether nobody comes after, two rooms full of visitors do, or a line stands, as arrivals are what is short.",
];

function tableOf(results: readonly LostResult[]): TableParts {
  const right = "right" as const;
  const columns = [
    { title: "CASE" },
    { title: "HELD", align: right },
    { title: "FREE", align: right },
    { title: "LOWEST", align: right },
    { title: `AT ${TAKEN_OVER_S} S`, align: right },
    { title: "2 MIN", align: right },
    { title: "5 MIN", align: right },
    { title: "ALL AFTER", align: right },
  ];
  const rows = worstOf(results).map((result) => {
    const { name, held, free, usable } = result;
    const at = (second: number): string => shown(usable[Math.min(second, usable.length - 1)] ?? 0);
    const whole = wholeAt(usable);
    return [
      name,
      `${held}`,
      `${free}`,
      shown(Math.min(...usable)),
      at(TAKEN_OVER_S),
      at(120),
      at(300),
      Number.isFinite(whole) ? span(whole) : { text: "never", style: "red" as const },
    ];
  });
  return { columns, rows };
}

/** Of each case the seed with fewest usable slots over its time. */
function worstOf(results: readonly LostResult[]): LostResult[] {
  const worst = new Map<string, LostResult>();
  for (const result of results.filter(({ broken }) => broken === null)) {
    const before = worst.get(result.name);
    if (before === undefined || idleOf(result) > idleOf(before)) worst.set(result.name, result);
  }
  return [...worst.values()];
}

function idleOf({ usable }: LostResult): number {
  return usable.reduce((sum, slots) => sum + LOST_ROOM - slots, 0);
}

/**
 * The second after the loss from which on all slots are usable; infinite if they never are. One that lies in fractions
 * is not missed.
 */
function wholeAt(usable: readonly number[]): number {
  const last = usable.findLastIndex((slots) => slots < LOST_ROOM - IN_FRACTIONS);
  return last === usable.length - 1 ? Number.POSITIVE_INFINITY : last + 1;
}

function caseOf({ name }: LostResult): LostCase {
  const found = LOST_CASES.find((one) => one.name === name);
  if (found === undefined) throw new RangeError(`Cannot judge ${name} as there is no such case`);
  return found;
}

/** The results as a page: a plot for each loss and size. */
export function lostPage(results: readonly LostResult[]): string {
  const groups = Map.groupBy(worstOf(results), (result) => `${caseOf(result).loss} ${caseOf(result).size}`);
  return plotPage({
    title: "What the loss of a node costs",
    lead: `The node with the most free slots of a room of ${LOST_ROOM} is lost. Usable slots from then on, of the worst seed of each case.`,
    facts: [],
    plots: [...groups].map(([title, some]) => plotOf(title, some)),
    table: checksParts(lostVerdict(results)),
    notes: NOTES,
  });
}

function plotOf(title: string, results: readonly LostResult[]): Plot {
  const seconds = Math.max(...results.map(({ usable }) => usable.length));
  const at = Array.from({ length: seconds }, (_, second) => second);
  return {
    ...{ title: `Usable slots: ${title}`, unit: "slots", at, isOfDay: false },
    lines: [
      { name: "room", values: at.map(() => LOST_ROOM), isLimit: true },
      ...results.map((result) => ({
        name: `${caseOf(result).fill} ${caseOf(result).crowd}`,
        values: at.map((second) => result.usable[second] ?? null),
        isLimit: false,
      })),
    ],
  };
}

function percent(slots: number): number {
  return (100 * slots) / LOST_ROOM;
}

function shown(slots: number): string {
  return percent(slots).toFixed(1);
}
