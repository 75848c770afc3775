/**
 * A plan of faults, drawn from a seed before the run: so it can be shown, repeated, and shortened to the faults that
 * make a run fail.
 *
 * Single faults come all the time; scenes, in which one follows from another, begin every now and then
 * (fault-scenes.ts). Clocks stay within what the rules tolerate, but for the steps, which the rules must notice.
 */

import { seededRandom } from "../../cmd/crowd/random.ts";
import { APART_MS_MAX } from "../../mesh/core/members/clock-offset.ts";
import { GRACE_MS, scaledMs } from "../../mesh/core/minute.ts";
import type { Fault, FaultKind, FaultPlan } from "./fault-kinds.ts";
import { drawScene, IN_EVERY_PLAN, type SceneName, scenesOf } from "./fault-scenes.ts";
import { drawFront } from "./front-faults.ts";

export interface PlanOptions {
  readonly seed: number;
  readonly nodes: number;
  readonly durationMs: number;
  readonly minuteMs: number;
  /** How often something happens, on average. */
  readonly everyMs: number;
  /** Whether disks may be lost or rolled back. */
  readonly disks: boolean;
  /**
   * Also draws scenes, operators' orders about this many rooms, and what goes wrong at the front of nodes
   * (front-faults.ts).
   */
  readonly scenes?: { readonly rooms: number; readonly leaseMs: number };
}

/**
 * Widest skew of a wall clock, as a part of the grace in which slots are still held: two clocks must be apart by less
 * than that.
 */
const SKEW_OF_GRACE = 0.4;
/**
 * The same in ms, where the grace is long: a node that is 2 s off the median of the others holds back, and two may be
 * off to both sides.
 */
const SKEW_MAX_MS = 900;
/**
 * Nearest and furthest step of a wall clock, in ms. The nearest is one that must be noticed, beside clocks that are off
 * themselves. Nearer ones may be believed. Where minutes are real the grace covers them; in short ones it is scaled
 * down, and they would break the promise.
 */
const STEP_MS = [APART_MS_MAX + 500, 100_000] as const;
/**
 * From a scene's last fault to what begins the next, in ms, at least and at most: one in three begins during the last
 * one.
 */
const NEXT_SCENE_MS = [-4_000, 8_000] as const;
/**
 * Before most scenes the links are healed and all nodes started: few would find the mesh in the state that they need.
 */
const CALM_PART = 0.8;
const CALM_MS = 4_000;
/**
 * Where there are scenes, single faults come at this multiple of the usual pause: at half of it they end most scenes.
 */
const SCENE_PAUSE = 2.5;
/** A node with something to tell crashes after it more often than before. */
const CRASH_TIMES = ["now", "before-commit", "before-send", "after-send", "after-send", "in order"] as const;
/** Fastest and slowest steady clock. */
const RATE_OFF = 0.004;

export const NO_FAULTS: FaultPlan = { clocks: [], faults: [] };

/** The plan of harsh faults of a seed. */
export function drawPlan({ seed, scenes, ...options }: PlanOptions): FaultPlan {
  const { nodes, durationMs, minuteMs, everyMs, disks } = options;
  const random = seededRandom(seed);
  const draw = new Draw(random, { nodes, everyMs, disks });
  const skewMaxMs = Math.min(SKEW_MAX_MS, SKEW_OF_GRACE * scaledMs(GRACE_MS, minuteMs));
  const clocks = Array.from({ length: nodes }, () => ({
    skewMs: (random() * 2 - 1) * skewMaxMs,
    rate: 1 + (random() * 2 - 1) * RATE_OFF,
  }));
  const faults: Fault[] = [];
  const pauseMs = 2 * everyMs * (scenes === undefined ? 1 : SCENE_PAUSE);
  for (let atMs = random() * pauseMs; atMs < durationMs; atMs += random() * pauseMs) {
    const fault = draw.next();
    if (fault !== undefined) faults.push({ ...fault, atMs: Math.round(atMs) });
  }
  if (scenes === undefined) return { clocks, faults };
  faults.push(...drawScenes({ ...scenes, random, nodes, minuteMs, durationMs, disks }));
  faults.push(...drawFront({ ...scenes, seed, nodes, durationMs }));
  return { clocks, faults: faults.sort((one, other) => one.atMs - other.atMs) };
}

type ScenesOptions = Pick<PlanOptions, "nodes" | "minuteMs" | "durationMs" | "disks"> &
  NonNullable<PlanOptions["scenes"]> & { readonly random: () => number };

/** Scenes one after the other, and beside them what every plan has. */
function drawScenes({ random, durationMs, disks, ...stage }: ScenesOptions): Fault[] {
  const drawn: Fault[] = [];
  const play = (name: SceneName, fromMs: number): number => {
    const faults = drawScene(name, { ...stage, random });
    for (const { afterMs, ...fault } of faults) drawn.push({ ...fault, atMs: fromMs + afterMs });
    return Math.max(...faults.map((fault) => fromMs + fault.afterMs + ("forMs" in fault ? fault.forMs : 0)));
  };
  const names = scenesOf(random, { ...stage, disks });
  const [least, most] = NEXT_SCENE_MS;
  for (
    let atMs = random() * most;
    atMs < durationMs - most && names.length > 0;
    atMs += least + random() * (most - least)
  ) {
    const beginsMs = Math.max(0, Math.round(atMs));
    if (random() < CALM_PART) drawn.push({ what: "heal links", atMs: beginsMs }, { what: "start all", atMs: beginsMs });
    atMs = play(names.shift() as SceneName, beginsMs + CALM_MS);
  }
  for (const name of IN_EVERY_PLAN) play(name, Math.round(random() * durationMs));
  return drawn;
}

class Draw {
  readonly #random: () => number;
  readonly #options: Pick<PlanOptions, "nodes" | "everyMs" | "disks">;

  constructor(random: () => number, options: Pick<PlanOptions, "nodes" | "everyMs" | "disks">) {
    this.#random = random;
    this.#options = options;
  }

  /** Undefined for what this plan leaves out. */
  next(): FaultKind | undefined {
    const node = this.#below(this.#options.nodes);
    const draw = this.#random();
    if (draw < 0.02) return { what: "step clock", node, byMs: this.#step(), forMs: this.#upTo(8) };
    if (draw < 0.15) return this.#network();
    if (draw < 0.3) return this.#cut(node);
    if (draw < 0.33) return this.#split();
    if (draw < 0.36) return { what: "clog", node, delayMs: Math.round(this.#random() * 3_000), forMs: this.#upTo(4) };
    if (draw < 0.5) return { what: "heal links" };
    if (draw < 0.69) {
      return {
        what: "crash",
        node,
        at: CRASH_TIMES[this.#below(CRASH_TIMES.length)] ?? "now",
        // A service manager starts it again at once; a host takes longer.
        forMs: this.#random() < 0.5 ? this.#upTo(0.2) : this.#upTo(4),
      };
    }
    if (draw < 0.7) return { what: "restart all", apartMs: Math.round(this.#random() * 1_000) };
    if (draw < 0.8) return { what: "pause", node, forMs: this.#upTo(6) };
    if (draw < 0.86) return { what: "start all" };
    if (draw < 0.87) return { what: "leave", node };
    if (!this.#options.disks) return undefined;
    if (draw < 0.91) return { what: "back up disk", node };
    return { what: draw < 0.96 ? "roll back disk" : "lose disk", node };
  }

  #network(): FaultKind {
    return {
      what: "network",
      loss: this.#random() * this.#random() * 0.3,
      doubling: this.#random() * 0.2,
      jitterMs: this.#random() < 0.5 ? 5 : this.#random() * 400,
    };
  }

  #cut(node: number): FaultKind {
    const shape = this.#random();
    const others = this.#all().filter((other) => other !== node && (shape <= 0.6 || this.#random() < 0.5));
    return { what: "cut", node, others, isOneWay: shape < 0.3 };
  }

  #split(): FaultKind {
    const count = this.#random() < 0.7 ? 2 : 3;
    const groups: number[][] = Array.from({ length: count }, () => []);
    for (const node of this.#all()) groups[this.#below(count)]?.push(node);
    return { what: "split", groups };
  }

  #all(): number[] {
    return Array.from({ length: this.#options.nodes }, (_, node) => node);
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count);
  }

  #upTo(times: number): number {
    return Math.round(this.#random() * times * this.#options.everyMs);
  }

  #step(): number {
    const [least, most] = STEP_MS;
    return Math.round((this.#random() < 0.5 ? -1 : 1) * (least + this.#random() * (most - least)));
  }
}

/** A fault as an operator reads it. */
export function faultText({ atMs, ...fault }: Fault): string {
  const { what, ...rest } = fault;
  const details = Object.entries(rest).map(
    ([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`,
  );
  return [`${(atMs / 1_000).toFixed(1)} s`, what, ...details].join(" ");
}
