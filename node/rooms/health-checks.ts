/**
 * Schedules health checks: probes each target of each room when it is due, and reports changes.
 *
 * A room with `health_check` has its targets probed all the time; any other at the start, until it has answered once,
 * and while one is down, so that it comes up again without a visitor having to try. Each node probes by itself, since
 * what one node reaches another may not. Rooms that would ask an origin the same share the answer.
 */

import type { Log } from "../log.ts";
import type { Target } from "../origin/target.ts";
import { Recent } from "../recent.ts";
import type { LiveRoom } from "./live-room.ts";
import { type Probe, questionFor } from "./origin-probe.ts";

export interface HealthChecksOptions {
  readonly rooms: () => readonly LiveRoom[];
  readonly probe: Probe;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly clock: () => number;
  readonly log: Log;
}

/**
 * Pause between probes while a target is down: its visitors wait for it. Shorter pauses would burden a site that is
 * starting.
 */
const DOWN_INTERVAL_MS = 2_000;

/** How long a target without a health check may take to answer: as long as a connection may take. */
const DOWN_TIMEOUT_MS = 5_000;

/** First probes are spread over this time, so that the nodes of a mesh do not probe in step. */
const SPREAD_MS = 1_000;

/**
 * For so long an answer is also that of other rooms that would ask the same. Halved, an origin that starts is asked twice
 * as often.
 */
const SHARED_MS = 1_000;

/** Answers that are shared: beyond that, an origin is asked again. */
const SHARED_MAX = 2_000;

interface Asking {
  dueMs: number;
  isOpen: boolean;
  /** Whether it has ever answered well. */
  hasAnswered: boolean;
  /** The state that was logged last. */
  wasUp: boolean;
}

export class HealthChecks {
  readonly #options: HealthChecksOptions;
  readonly #asking = new WeakMap<Target, Asking>();
  /** By question. */
  readonly #shared = new Recent<string, { readonly askedMs: number; readonly answer: ReturnType<Probe> }>({
    forMs: SHARED_MS,
    max: SHARED_MAX,
  });

  constructor(options: HealthChecksOptions) {
    this.#options = options;
  }

  /** Sends the probes that are due; call it several times a second. */
  tick(): void {
    const nowMs = this.#options.clock();
    for (const live of this.#options.rooms()) {
      for (const target of live.origin.all) this.#look(live, target, nowMs);
      live.observer.reachable(live.origin.isReachable(nowMs));
    }
  }

  #look(live: LiveRoom, target: Target, nowMs: number): void {
    const asking = this.#asking.get(target) ?? {
      dueMs: nowMs + this.#options.random() * SPREAD_MS,
      isOpen: false,
      hasAnswered: false,
      wasUp: true,
    };
    this.#asking.set(target, asking);
    this.#tell(live, target, asking);
    const { healthCheck } = live.room;
    const { isUp } = target.health;
    if (asking.isOpen || nowMs < asking.dueMs || (healthCheck === undefined && isUp && asking.hasAnswered)) return;
    const intervalMs = (healthCheck?.intervalSeconds ?? Number.POSITIVE_INFINITY) * 1_000;
    const isSure = isUp && (asking.hasAnswered || healthCheck !== undefined);
    asking.dueMs = nowMs + (isSure ? intervalMs : Math.min(intervalMs, DOWN_INTERVAL_MS));
    asking.isOpen = true;
    void this.#ask(live, target, nowMs).then((problem) => {
      asking.isOpen = false;
      asking.hasAnswered ||= problem === undefined;
      target.health.probed(problem, this.#options.clock());
      this.#tell(live, target, asking);
    });
  }

  #ask({ room }: LiveRoom, { url, address: { isOutside } }: Target, nowMs: number): ReturnType<Probe> {
    const timeoutMs = room.healthCheck === undefined ? DOWN_TIMEOUT_MS : room.healthCheck.timeoutSeconds * 1_000;
    const question = questionFor(room, url, { timeoutMs, isOutside });
    const key = JSON.stringify(question);
    const shared = this.#shared.get(key);
    if (shared !== undefined && Math.abs(nowMs - shared.askedMs) < SHARED_MS) return shared.answer;
    const answer = this.#options.probe(question);
    this.#shared.set(key, { askedMs: nowMs, answer }, nowMs);
    return answer;
  }

  /** Once per change, also for changes that visitors' requests revealed. */
  #tell({ room }: LiveRoom, { url, health }: Target, asking: Asking): void {
    if (health.isUp === asking.wasUp) return;
    asking.wasUp = health.isUp;
    if (health.isUp) this.#options.log.info({ room: room.name, origin: url }, "origin is up again");
    else this.#options.log.warn({ room: room.name, origin: url, reason: health.reason }, "origin is down");
  }
}
