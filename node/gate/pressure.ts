/**
 * Load shedding: the pressure on this node, and what it gives up first. A pure rule from how late its timers come and
 * how much of its memory is in use.
 *
 * Extras go first (rooms' own templates, details of the status), then places for new visitors, last the answers to
 * those in line. Visitors with a session are served at every level, and `/healthz` answers at every level. A level
 * begins when three samples in a row call for it, because one long pause is a host that hiccuped and is over already.
 * It ends when all samples of some seconds were well below it, so that it does not flap.
 */

/** From none to the highest. */
export const LEVELS = { none: 0, plain: 1, closed: 2, bare: 3 } as const;
export type PressureLevel = (typeof LEVELS)[keyof typeof LEVELS];

interface Threshold {
  readonly level: PressureLevel;
  /** How late a timer comes. */
  readonly lagMs: number;
  /** Part of the memory that this process may use. */
  readonly memory: number;
  readonly words: string;
}

/**
 * The highest first. Visitors with a session notice half a second; at a second heartbeats come late and tickets time
 * out; at two seconds the mesh is about to give the node up as lost. Halved, each would shed load in bursts that pass
 * by themselves. Memory: the rest must suffice for the running requests of visitors with a session.
 */
const THRESHOLDS: readonly Threshold[] = [
  {
    level: LEVELS.bare,
    lagMs: 2_000,
    memory: 0.95,
    words: "only visitors with a session are served; those in line are asked to come back later",
  },
  { level: LEVELS.closed, lagMs: 1_000, memory: 0.9, words: "new visitors are asked to come back later" },
  {
    level: LEVELS.plain,
    lagMs: 500,
    memory: 0.8,
    words: "waiting pages are the built-in ones, and the status leaves out details",
  },
];

const LOOKS_UP = 3;

/** Two seconds of samples each 100 ms: longer than a burst's echo, shorter than a visitor's refresh. */
const LOOKS_DOWN = 20;

/** "Well below": at the threshold itself it would come and go. */
const FALL_FACTOR = 0.5;
const MEMORY_FALL = 0.05;

export interface PressureLook {
  readonly lagMs: number;
  /** 0 to 1. */
  readonly memory: number;
}

export class Pressure {
  level: PressureLevel = LEVELS.none;
  /** Unix ms at which the level began. */
  sinceMs: number;
  /** The last sample. */
  lagMs = 0;
  memory = 0;
  /** The levels that the last samples called for. */
  #asked: PressureLevel[] = [];
  #calm = 0;
  /** What was measured when the level began, as text. */
  #cause = "";

  constructor(nowMs: number) {
    this.sinceMs = nowMs;
  }

  /** Takes a sample; returns a text when the level has changed. */
  look(look: PressureLook, nowMs: number): string | undefined {
    this.lagMs = look.lagMs;
    this.memory = look.memory;
    this.#asked = [...this.#asked.slice(1 - LOOKS_UP), levelOf(look)];
    const lasting = this.#asked.length < LOOKS_UP ? LEVELS.none : (Math.min(...this.#asked) as PressureLevel);
    if (lasting > this.level) return this.#turn(lasting, nowMs);
    this.#calm = isWellBelow(look, this.level) ? this.#calm + 1 : 0;
    if (this.level === LEVELS.none || this.#calm < LOOKS_DOWN) return undefined;
    return this.#turn(lasting, nowMs);
  }

  /** What is given up at this level, and why; undefined when nothing is. */
  get words(): string | undefined {
    const reached = THRESHOLDS.find(({ level }) => level === this.level);
    if (reached === undefined) return undefined;
    return `this node is hard-pressed (${this.#cause}): ${reached.words}`;
  }

  #turn(level: PressureLevel, nowMs: number): string {
    this.level = level;
    this.#cause = `timers ${Math.round(this.lagMs)} ms late, ${Math.round(this.memory * 100)} % of memory taken`;
    this.sinceMs = nowMs;
    this.#calm = 0;
    return this.words ?? "this node is no longer under pressure: all visitors are served again";
  }
}

function levelOf({ lagMs, memory }: PressureLook): PressureLevel {
  return THRESHOLDS.find((threshold) => lagMs >= threshold.lagMs || memory >= threshold.memory)?.level ?? LEVELS.none;
}

function isWellBelow({ lagMs, memory }: PressureLook, level: PressureLevel): boolean {
  const reached = THRESHOLDS.find((threshold) => threshold.level === level);
  if (reached === undefined) return true;
  return lagMs < reached.lagMs * FALL_FACTOR && memory < reached.memory - MEMORY_FALL;
}
