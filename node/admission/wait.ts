/**
 * How long visitors in line will wait: a forecast for each place, and the quartiles of the true wait around it.
 *
 * The forecast says how many slots there will have been by when (wait-forecast.ts), and which part of them is for this
 * line; visitors who leave the line bring those behind them forward. The quartiles follow from how wrong such forecasts
 * were (wait-record.ts). Gates that do not keep the line use the outlook of the one that does.
 */

import type { Minute } from "../../mesh/core/ids.ts";
import { GRACE_MS, scaledMs } from "../../mesh/core/minute.ts";
import { Outages } from "./outages.ts";
import { forecast, type Prospect, type Step, sessionsAhead } from "./wait-forecast.ts";
import { type Errors, type Forecast, quartilesOfWait, WaitRecord } from "./wait-record.ts";

/** Seconds until the visitor is admitted: the 50th, the 25th and the 75th percentile. */
export interface Wait {
  readonly seconds: number;
  readonly earliestSeconds: number;
  readonly latestSeconds: number;
}

/** All that waits are computed from: valid at the moment when it is made, and for a few seconds. */
export interface Outlook {
  /** Up to this position visitors come in within so many minutes, in order. */
  readonly steps: readonly (readonly [position: number, minutes: number])[];
  /** Whether admissions between two steps are spread evenly. */
  readonly isEven: boolean;
  readonly errors: Errors;
}

/** What a room is known to be like as a whole, where several nodes have visitors in it. */
export interface RoomView {
  /** Sessions that were seen in a minute, and those of them that were seen later, too. */
  entered(minute: Minute): number;
  moved(minute: Minute): number;
  /** Slots free on all nodes. */
  free(nowMs: number): Prospect["free"];
  /** How many of so many slots are for visitors of this node's line, as things are now. */
  due(nowMs: number): (slots: number) => number;
  /** Whether this node may admit anybody. */
  mayAdmit(): boolean;
}

/** What an outlook is made from, besides the view of the room. */
export interface Situation extends Pick<Prospect, "perMinute" | "isEven" | "sessionMinutes"> {
  /** Slots for sessions in the room. */
  readonly slots: number;
  /** Visitors in line who are expected to show up. */
  readonly waiting: number;
  /** The position up to which so many of them stand. */
  readonly reach: (visitors: number) => number;
}

/** Steps of an outlook: the next minutes each have one; later ones are further apart. */
const STEPS_EXACT = 6;
const STEPS_GROWTH = 1.3;

/** Weight of the part of visitors that left the line before, per minute: about the last three minutes count. */
const LEFT_MEMORY = 0.7;

/** Part of a minute after which nodes have heard of slots that came free. */
const LATE_MINUTES = 0.04;

/**
 * A range is so much wider on both sides before it is rounded to whole seconds. A visitor who polls when a slot comes
 * free waits as long as forecast, but for a part of a second. At 0 a third of such waits lie in their range, at 0.25
 * two thirds.
 */
const ROUNDING_SECONDS = 0.1;

/** How old an outlook of one's own, or of another node, may be. */
const OWN_MS = 500;
const HEARD_MS = 3_000;

export class WaitEstimate {
  readonly #minuteMs: number;
  readonly record: WaitRecord;
  readonly outages: Outages;
  #own: { readonly outlook: Outlook; readonly atMs: number } | undefined;
  #heard: { readonly outlook: Outlook; readonly atMs: number } | undefined;
  /** Visitors who left, and minutes that visitors spent in line, of late. */
  #left = 0;
  #waited = 0;
  #countedMs: number | undefined;

  constructor(minuteMs: number) {
    this.#minuteMs = minuteMs;
    this.record = new WaitRecord(minuteMs);
    this.outages = new Outages(minuteMs);
  }

  /** Uses the outlook of the node that keeps the line. */
  follow(outlook: Outlook, nowMs: number): void {
    this.#heard = { outlook, atMs: nowMs };
    this.record.assume(outlook.errors);
  }

  /** The room was changed: what was known of its waits holds no more. */
  reset(): void {
    this.#own = undefined;
    this.#heard = undefined;
    this.record.forget();
  }

  /** Of `waiting` visitors, so many have left the line without having come in. */
  countLeft(left: number, waiting: number, nowMs: number): void {
    const minutes = Math.min(1, Math.max(0, nowMs - (this.#countedMs ?? nowMs)) / this.#minuteMs);
    this.#countedMs = nowMs;
    this.#left = this.#left * LEFT_MEMORY ** minutes + left;
    this.#waited = this.#waited * LEFT_MEMORY ** minutes + waiting * minutes;
  }

  /** The outlook of a node that keeps the line. `situation` is called when a new one is due. */
  outlook(situation: () => Situation, view: RoomView, nowMs: number): Outlook {
    const ageMs = nowMs - (this.#own?.atMs ?? Number.NEGATIVE_INFINITY);
    if (this.#own === undefined || ageMs < 0 || ageMs >= OWN_MS || this.#hasTurned(this.#own.atMs, nowMs))
      this.#own = { outlook: this.#make(situation(), view, nowMs), atMs: nowMs };
    return this.#own.outlook;
  }

  /** The outlook that was heard of, if it still counts. */
  heard(nowMs: number): { readonly outlook: Outlook; readonly atMs: number } | undefined {
    const ageMs = nowMs - (this.#heard?.atMs ?? Number.NEGATIVE_INFINITY);
    return Math.abs(ageMs) <= HEARD_MS ? this.#heard : undefined;
  }

  /** When the visitor at `position` (1 = next) will come in. */
  forecast(position: number, outlook: Outlook, nowMs: number): Forecast {
    const madeMs = (this.#own?.outlook === outlook ? this.#own : this.#heard)?.atMs ?? nowMs;
    const minutes = Math.max(0, minutesTo(position, outlook) - Math.max(0, nowMs - madeMs) / this.#minuteMs);
    const [free = 0] = outlook.steps[0] ?? [];
    const outage = this.outages.within(minutes, nowMs);
    return { minutes: minutes + outage, places: Math.max(0, position - free), outage };
  }

  /** The wait after a forecast. */
  wait(forecast: Forecast, { errors }: Outlook): Wait {
    const seconds = (wait: number, more = 0): number => Math.max(1, Math.round((wait * this.#minuteMs) / 1_000 + more));
    const [low, middle, high] = quartilesOfWait(forecast, errors);
    return {
      seconds: seconds(middle),
      earliestSeconds: seconds(low, -ROUNDING_SECONDS),
      latestSeconds: seconds(high, ROUNDING_SECONDS),
    };
  }

  #hasTurned(beforeMs: number, nowMs: number): boolean {
    return Math.floor(beforeMs / this.#minuteMs) !== Math.floor(nowMs / this.#minuteMs);
  }

  #make({ slots: all, waiting, reach, ...situation }: Situation, view: RoomView, nowMs: number): Outlook {
    const minute = Math.floor(nowMs / this.#minuteMs);
    const before = (ago: number): Minute => (minute - ago) as Minute;
    const free = view.free(nowMs);
    const { sessionMinutes, isEven } = situation;
    const toEdge = 1 - (nowMs % this.#minuteMs) / this.#minuteMs;
    const seen = sessionsAhead(
      { entered: (ago) => view.entered(before(ago)), moved: (ago) => view.moved(before(ago)) },
      { held: Math.max(0, all - free.active), sessionMinutes, passed: 1 - toEdge },
    );
    const grace = scaledMs(GRACE_MS, this.#minuteMs) / this.#minuteMs;
    // Of other lines' visitors, those before the last one here come first.
    const dueOf = view.due(nowMs);
    const most = mostDue(waiting + 1, dueOf);
    // Once its slots must be free, what has ended is not waited for.
    const ended = 1 - toEdge < grace + LATE_MINUTES ? seen.ended : 0;
    const steps = thinned(forecast({ ...situation, ...seen, ended, free, toEdge, grace }, most));
    const leaving = this.#waited < 1 ? 0 : this.#left / this.#waited;
    let position = 0;
    let dueBefore = 0;
    const places = steps.map(({ slots, minutes }) => {
      const due = dueOf(slots);
      const moved = Math.max(0, due - dueBefore);
      // Those who are still there after a while are the patient ones: fewer of them leave than of all.
      position += moved * (1 + leaving * minutes);
      dueBefore = Math.max(due, dueBefore);
      return [reach(position), minutes] as const;
    });
    return { steps: places, isEven, errors: this.record.errors(nowMs) };
  }
}

/** How many slots of the room it takes until `here` of them are for this line. */
function mostDue(here: number, due: (slots: number) => number): number {
  let most = here;
  while (most < 1e9 && due(most) < here) most *= 2;
  return most;
}

function thinned(steps: readonly Step[]): Step[] {
  let next = 0;
  return steps.filter((_, index) => {
    if (index < next && index < steps.length - 1) return false;
    next = index < STEPS_EXACT ? index + 1 : Math.ceil(index * STEPS_GROWTH);
    return true;
  });
}

function minutesTo(position: number, { steps, isEven }: Outlook): number {
  const after = steps.findIndex(([places]) => places >= position);
  const [last, beforeLast] = [steps.at(-1), steps.at(-2)];
  if (after < 0) {
    if (last === undefined) return 0;
    // Beyond the end of the line: as fast as the last steps.
    const [places = 0, minutes = 0] = beforeLast ?? [];
    const perMinute = (last[0] - places) / Math.max(last[1] - minutes, 1e-3);
    return last[1] + (position - last[0]) / Math.max(perMinute, 0.1);
  }
  const [places = 0, minutes = 0] = steps[after] ?? [];
  const [placesBefore = 0, minutesBefore = 0] = steps[after - 1] ?? [];
  if (after === 0 || (!isEven && minutes - minutesBefore <= 1.2)) return minutes;
  return (
    minutesBefore + ((minutes - minutesBefore) * (position - placesBefore)) / Math.max(places - placesBefore, 1e-9)
  );
}
