/**
 * Checks all nodes a few times a second: for the judge, for the load balancer, and to see when they are one mesh again.
 */

import type { NodeStatus } from "../../node/operator/status/status.ts";
import type { Driver } from "./driver.ts";
import type { Judge } from "./judge.ts";
import { areTogether } from "./mesh.ts";
import type { MeshNode } from "./node.ts";
import { type Shares, sharesTold } from "./shares.ts";

export interface WatchParts {
  readonly nodes: readonly MeshNode[];
  readonly judge: Judge;
  readonly driver: Driver;
}

/** Short against a minute, long against the cost of an answer. */
export const LOOK_MS = 300;

/** Until separate lines are one: what gates have heard of a line counts for this long. */
const SETTLE_MS = 2_000;

export class Watch {
  readonly #parts: WatchParts;
  readonly #timer: ReturnType<typeof setInterval>;
  #togetherSinceMs: number | undefined;
  #shares: Shares | undefined;

  constructor(parts: WatchParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => void this.#look(), LOOK_MS);
  }

  /** Since when all nodes are one mesh, by `performance.now()`; undefined while they are not. */
  get togetherSinceMs(): number | undefined {
    return this.#togetherSinceMs;
  }

  /** What all nodes report about the shares, if they agreed at the last check. */
  get shares(): Shares | undefined {
    return this.#shares;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    const { nodes, judge, driver } = this.#parts;
    await Promise.all(nodes.map((node) => node.look()));
    const running = nodes.filter(({ isRunning, isReady }) => isRunning && isReady);
    const fit = running.filter(({ number, latest }) => !driver.isInTrouble(number) && latest?.lease === "held");
    judge.look(statusesOf(fit), Date.now());
    this.#shares = running.length === nodes.length ? sharesTold(statusesOf(running)) : undefined;
    if (driver.isBusy || !areTogether(nodes)) this.#togetherSinceMs = undefined;
    else this.#togetherSinceMs ??= performance.now();
    judge.lines.calm(performance.now() - (this.#togetherSinceMs ?? Number.POSITIVE_INFINITY) >= SETTLE_MS);
  }
}

function statusesOf(nodes: readonly MeshNode[]): NodeStatus[] {
  return nodes.flatMap(({ latest }) => latest ?? []);
}
