/**
 * Faults as data, drawn from a seed before the run: so a plan can be shown, repeated, and shortened to what makes a run fail.
 *
 * Nodes are numbers of places in the world: the node that starts anew after a lost disk is in the same place. Clocks stay
 * within what the rules tolerate, but for the steps, which the rules must notice.
 */

import { GRACE_MS, scaledMs } from "../../mesh/core/minute.ts";
import { seededRandom } from "../../mesh/core/random.ts";
import type { NetworkFaults } from "./network.ts";

/** What happens; `forMs` until it is mended. */
export type FaultKind =
  | ({ readonly what: "network" } & NetworkFaults)
  | { readonly what: "cut"; readonly node: number; readonly others: readonly number[]; readonly isOneWay: boolean }
  | { readonly what: "split"; readonly groups: readonly (readonly number[])[] }
  | { readonly what: "clog"; readonly node: number; readonly delayMs: number; readonly forMs: number }
  | { readonly what: "heal links" }
  | { readonly what: "crash"; readonly node: number; readonly at: CrashTime; readonly forMs: number }
  | { readonly what: "restart all"; readonly apartMs: number }
  | { readonly what: "pause"; readonly node: number; readonly forMs: number }
  | { readonly what: "start all" }
  | { readonly what: "step clock"; readonly node: number; readonly byMs: number; readonly forMs: number }
  | { readonly what: "back up disk" | "roll back disk" | "lose disk" | "leave"; readonly node: number };

export type CrashTime = "now" | "before-commit" | "before-send" | "after-send";

export type Fault = FaultKind & { readonly atMs: number };

export interface FaultPlan {
  /** By place: how far a node's wall clock is off, in ms, and how fast its clocks run. */
  readonly clocks: readonly { readonly skewMs: number; readonly rate: number }[];
  readonly faults: readonly Fault[];
}

export interface PlanOptions {
  readonly seed: number;
  readonly nodes: number;
  readonly durationMs: number;
  readonly minuteMs: number;
  /** How often something happens, on average. */
  readonly everyMs: number;
  /** Whether disks may be lost or rolled back. */
  readonly disks: boolean;
}

/** Widest skew of a wall clock, as a part of the grace in which slots are still held: two clocks must be apart by less than that. */
const SKEW_OF_GRACE = 0.4;
/** The same in ms, where the grace is long: a node that is 2 s off the median of the others holds back, and two may be off to both sides. */
const SKEW_MAX_MS = 900;
/** Nearest and furthest step of a wall clock, in ms. The nearest is one that must be noticed. */
const STEP_MS = [2_500, 100_000] as const;
/** Fastest and slowest steady clock. */
const RATE_OFF = 0.004;

export const NO_FAULTS: FaultPlan = { clocks: [], faults: [] };

/** The plan of harsh faults of a seed. */
export function drawPlan({ seed, nodes, durationMs, minuteMs, everyMs, disks }: PlanOptions): FaultPlan {
  const random = seededRandom(seed);
  const draw = new Draw(random, { nodes, everyMs, disks });
  const skewMaxMs = Math.min(SKEW_MAX_MS, SKEW_OF_GRACE * scaledMs(GRACE_MS, minuteMs));
  const clocks = Array.from({ length: nodes }, () => ({
    skewMs: (random() * 2 - 1) * skewMaxMs,
    rate: 1 + (random() * 2 - 1) * RATE_OFF,
  }));
  const faults: Fault[] = [];
  for (let atMs = random() * 2 * everyMs; atMs < durationMs; atMs += random() * 2 * everyMs) {
    const fault = draw.next();
    if (fault !== undefined) faults.push({ ...fault, atMs: Math.round(atMs) });
  }
  return { clocks, faults };
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
      const at = this.#random();
      return {
        what: "crash",
        node,
        at: at < 0.2 ? "now" : at < 0.4 ? "before-commit" : at < 0.6 ? "before-send" : "after-send",
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
