/**
 * How wrong the forecasts of waits have been: the quartiles of the true wait, given a forecast.
 *
 * Some of the waits that visitors are told are noted, and compared with the true ones when their visitors come in
 * (conformal prediction). An error counts in units of what chance alone makes of a forecast: a slot ends its session
 * when its visitor leaves, so a wait behind few places varies more than one behind many, and the shortest waits by the
 * pause between two polls. Errors are kept apart by the length of the forecast: they move the range of a short one, and
 * make that of a long one wider. Where few have been seen, assumed ones count as well.
 */

/** When a visitor will come in, as far as it can be computed. */
export interface Forecast {
  readonly minutes: number;
  /** Places until then: those before the visitor without a free slot. */
  readonly places: number;
  /** Minutes of it in which nobody is admitted, as far as outages can be foreseen. */
  readonly outage: number;
}

/** The 25th, the 50th and the 75th percentile. */
export type Quartiles = readonly [low: number, middle: number, high: number];

/** Quartiles of the error by length of the forecast, as in `CENTRES`. */
export type Errors = readonly Quartiles[];

/** Forecasts in minutes whose errors are kept apart. More learn more slowly, fewer mix what differs. */
const CENTRES = [0, 0.15, 0.4, 0.8, 1.5, 4, 12, 40];

/** Minutes at which the scale turns from a difference to a ratio. */
const SCALE_MINUTES = 0.5;

/**
 * What chance makes of a forecast: a part of it, about a pause between polls, and by each place in front so many times
 * what a session does that ends by itself, since visitors leave in groups and older ones come back.
 */
const CHANCE = { part: 0.15, minutes: 0.03, perPlace: 1.4 };

/**
 * By so much of itself an outage varies: half of those that last for a minute more last for 20 seconds to 3 minutes.
 */
const OUTAGE_CHANCE = 1.6;

/**
 * Compared waits that are remembered per length. Twice as many, a line that moves otherwise than before is learned
 * late.
 */
const COMPARED_MAX = 40;
/**
 * A visitor's wait of the same length is noted again after such a part of it, and of a minute: sooner, it is the same
 * wait.
 */
const AGAIN_PART = 0.3;
/** Until so many were compared, assumed errors count as well, and the last ones of the next shorter length. */
const ENOUGH = 16;
/** Waits that are noted at once, per length: as many as can be compared before the next ones are. */
const NOTED_MAX = 1_000;

/**
 * One wait in 0.3 s is noted, of real minutes. Three times as often, all that a long line remembers is from a few
 * seconds of one minute; three times less often, most polls before an edge are left out.
 */
const EVERY_MINUTES = 1 / 200;

/** Errors that are assumed at first. Little can make a short wait shorter, and much can make it longer. */
const ASSUMED = { short: [-1, -0.3, 0, 0, 2, 3, 5], long: [-1.5, -0.9, -0.45, 0, 0.45, 0.9, 1.5] };

/** Errors of a normal distribution, their upper quartile, and how far half of them are from 0 at most. */
const NORMAL = { errors: [-1.4, -0.8, -0.4, 0, 0.4, 0.8, 1.4], quartile: 0.6, around: 0.8 };

/** The largest error, either way: other nodes refuse a larger one, and all that comes with it. */
export const ERROR_MAX = 20;

/**
 * A forecast beyond so many minutes is long, and its own median. Its errors are known so late that what made them, such
 * as a start, is over: a range that moved by them would be wrong the other way. It only gets as wide as they are large.
 */
const LONG_MINUTES = 2;

/** No wait is told as more than this power of e of its forecast. */
const WORSE_MAX = 4;

interface Noted {
  readonly atMs: number;
  readonly minutes: number;
  readonly length: number;
  /** The error that chance alone makes likely. */
  readonly unit: number;
}

interface Visitor {
  readonly noted: Noted[];
  /** Whether the visitor was heard again after a wait was noted. */
  isHeard: boolean;
}

interface Length {
  /** Errors of compared waits, in a ring. */
  readonly compared: number[];
  next: number;
  noted: number;
  notedMs: number;
}

export class WaitRecord {
  readonly #minuteMs: number;
  /** By queue key. */
  readonly #noted = new Map<number, Visitor>();
  readonly #lengths = CENTRES.map((): Length => ({ compared: [], next: 0, noted: 0, notedMs: 0 }));
  #assumed: Errors | undefined;
  /** By length: the quartiles while no wait is longer than forecast; none after a change. */
  readonly #inTime: Quartiles[] = [];

  constructor(minuteMs: number) {
    this.#minuteMs = minuteMs;
  }

  /** Quartiles of the error by length of the forecast. Waits that are longer than forecast count before they end. */
  errors(nowMs: number): Errors {
    const late = CENTRES.map((): number[] => []);
    // Those who join and never ask again wait for nothing.
    for (const { noted, isHeard } of this.#noted.values())
      for (const one of isHeard ? noted : []) {
        const error = this.#errorOf(one, nowMs);
        if (error > 0) late[one.length]?.push(error);
      }
    return late.map((errors, length) => {
      if (errors.length > 0) return this.#quartiles(length, errors);
      this.#inTime[length] ??= this.#quartiles(length, []);
      return this.#inTime[length];
    });
  }

  #quartiles(length: number, late: readonly number[]): Quartiles {
    const compared = this.#lengths[length]?.compared ?? [];
    const missing = Math.max(0, ENOUGH - compared.length);
    const near = this.#lengths[length - 1]?.compared.slice(-missing) ?? [];
    const heard = this.#assumed?.[length];
    const first = isLong(length) ? ASSUMED.long : ASSUMED.short;
    const assumed = heard === undefined ? [...first, ...near] : spread(heard, length);
    const known = [...(missing > 0 ? assumed : []), ...compared, ...late];
    return isLong(length) ? around(known) : quartilesOf(known);
  }

  /** Another node has seen these errors: what is compared here comes on top. */
  assume(errors: Errors): void {
    this.#assumed = errors;
    this.#inTime.length = 0;
  }

  /** The visitor with this queue key is told the wait of a forecast. */
  note(key: number, forecast: Forecast, nowMs: number): void {
    const { minutes } = forecast;
    const known = this.#noted.get(key);
    if (known !== undefined) known.isHeard = true;
    const length = lengthOf(minutes);
    const last = known?.noted.findLast((one) => one.length === length);
    const againMs = AGAIN_PART * Math.max(1, minutes) * this.#minuteMs;
    if (last !== undefined && Math.abs(nowMs - last.atMs) < againMs) return;
    const of = this.#lengths[length];
    const isSoon = of !== undefined && Math.abs(nowMs - of.notedMs) < EVERY_MINUTES * this.#minuteMs;
    if (of !== undefined && of.noted >= NOTED_MAX && !isSoon) this.#dropOldest();
    if (of === undefined || of.noted >= NOTED_MAX || isSoon) return;
    of.notedMs = nowMs;
    of.noted += 1;
    const { noted } = this.#noted.getOrInsertComputed(key, () => ({ noted: [], isHeard: false }));
    noted.push({ atMs: nowMs, minutes, length, unit: unitOf(forecast) });
  }

  /** The visitor comes in. */
  admitted(key: number, nowMs: number): void {
    for (const noted of this.#take(key)) {
      const of = this.#lengths[noted.length];
      if (of === undefined) continue;
      of.compared[of.next] = this.#errorOf(noted, nowMs);
      this.#inTime.length = 0;
      of.next = (of.next + 1) % COMPARED_MAX;
    }
  }

  /** The visitor has left the line. */
  gone(key: number): void {
    this.#take(key);
  }

  /** The line is kept by another node from now on, or was by another one before: who is still in it is not known. */
  unhear(): void {
    for (const visitor of this.#noted.values()) visitor.isHeard = false;
  }

  /** What visitors were told does not hold any more: the room was changed. */
  forget(): void {
    for (const key of [...this.#noted.keys()]) this.#take(key);
  }

  /**
   * The oldest makes room if nothing was heard of its visitor: who has left a line that was kept elsewhere is not
   * known.
   */
  #dropOldest(): void {
    const [[key, { isHeard }] = [0, { isHeard: true }]] = this.#noted;
    if (!isHeard) this.#take(key);
  }

  #take(key: number): readonly Noted[] {
    const { noted = [] } = this.#noted.get(key) ?? {};
    this.#noted.delete(key);
    for (const { length } of noted) {
      const of = this.#lengths[length];
      if (of !== undefined) of.noted -= 1;
    }
    return noted;
  }

  #errorOf({ atMs, minutes, unit }: Noted, nowMs: number): number {
    const waited = Math.max(0, nowMs - atMs) / this.#minuteMs;
    const error = Math.log((waited + SCALE_MINUTES) / (minutes + SCALE_MINUTES)) / unit;
    return Math.max(-ERROR_MAX, Math.min(ERROR_MAX, error));
  }
}

/** The quartiles of the true wait in minutes, after a forecast. */
export function quartilesOfWait(forecast: Forecast, errors: Errors): Quartiles {
  const { minutes } = forecast;
  const after = CENTRES.findIndex((centre) => centre > minutes);
  const high = after < 0 ? CENTRES.length - 1 : after;
  const low = after < 0 ? high : high - 1;
  const [from = 0, to = 0] = [CENTRES[low], CENTRES[high]];
  const part = from === to ? 0 : (minutes - from) / (to - from);
  const unit = unitOf(forecast);
  const at = (which: 0 | 1 | 2): number => {
    const error = (1 - part) * (errors[low]?.[which] ?? 0) + part * (errors[high]?.[which] ?? 0);
    return Math.max(0, (minutes + SCALE_MINUTES) * Math.exp(Math.min(WORSE_MAX, error * unit)) - SCALE_MINUTES);
  };
  return [at(0), at(1), at(2)];
}

/** The error that chance alone makes likely, on the scale of errors. */
function unitOf({ minutes, places, outage }: Forecast): number {
  const ofPlaces = minutes * Math.hypot(CHANCE.part, CHANCE.perPlace / Math.sqrt(Math.max(1, places)));
  return Math.hypot(ofPlaces, CHANCE.minutes, OUTAGE_CHANCE * outage) / (minutes + SCALE_MINUTES);
}

/** The length whose centre is nearest, on a scale of ratios. */
function lengthOf(minutes: number): number {
  const index = CENTRES.findIndex((centre, at) => {
    const next = CENTRES[at + 1];
    return next === undefined || (minutes + SCALE_MINUTES) ** 2 < (centre + SCALE_MINUTES) * (next + SCALE_MINUTES);
  });
  return Math.max(0, index);
}

/**
 * Errors of which the same is told again: nodes tell each other, and what grew a little each time would have no end.
 */
function spread([low, middle, high]: Quartiles, length: number): number[] {
  const [below, above] = [middle - low, high - middle];
  const quartile = isLong(length) ? NORMAL.around : NORMAL.quartile;
  return NORMAL.errors.map((error) => {
    const spreads = middle + (error * (error < 0 ? below : above)) / quartile;
    return Math.max(-ERROR_MAX, Math.min(ERROR_MAX, spreads));
  });
}

function isLong(length: number): boolean {
  return (CENTRES[length] ?? 0) > LONG_MINUTES;
}

/** As far to both sides of no error as half of the errors are. */
function around(values: readonly number[]): Quartiles {
  const [, half] = quartilesOf(values.map(Math.abs));
  return [-half, 0, half];
}

function quartilesOf(values: readonly number[]): Quartiles {
  const sorted = Float64Array.from(values).sort();
  const at = (part: number): number => {
    const place = part * (sorted.length - 1);
    const [low = 0, high = low] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
    return low + (high - low) * (place - Math.floor(place));
  };
  return [at(0.25), at(0.5), at(0.75)];
}
