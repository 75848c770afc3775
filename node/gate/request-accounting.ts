/**
 * One visitor's request on its way to a room's origin, as others need to know about it: sent, answered, failed, sent
 * again.
 *
 * It reports to the room's pacing (how far to hold back new visitors), to the target (is it up, does a rollout go
 * well), and to the budget of retries. A request whose visitor went away counts as neither answered nor failed. If the
 * visitor waited long for a head, it stays counted as sent, because an origin that hangs must show although no visitor
 * waits for its end.
 */

import type { ForwardFailure, OriginTarget } from "../http/message.ts";
import type { Target } from "../origin/target.ts";
import type { LiveRoom } from "../rooms/live-room.ts";

/**
 * A visitor who leaves earlier may just have clicked on; one who waited longer for a first byte has given up on the
 * site.
 */
const PATIENCE_MS = 5_000;

export interface RequestAccountingOptions {
  readonly live: LiveRoom;
  readonly target: Target;
  /** Picks another target, the same for the same session. */
  readonly key: string;
  readonly clock: () => number;
  /** Ms that never go back. */
  readonly steadyMs: () => number;
}

export class RequestAccounting {
  readonly #live: LiveRoom;
  readonly #key: string;
  readonly #clock: () => number;
  readonly #steadyMs: () => number;
  #target: Target;
  /** When it was sent (ms, monotonic); undefined while it is not on its way. */
  #sentMs: number | undefined;

  constructor({ live, target, key, clock, steadyMs }: RequestAccountingOptions) {
    this.#live = live;
    this.#target = target;
    this.#key = key;
    this.#clock = clock;
    this.#steadyMs = steadyMs;
    live.origin.budget.asked(clock());
    this.#send(target);
  }

  /** Where it went last. */
  get address(): OriginTarget {
    return this.#target.address;
  }

  answered(status: number): void {
    const tookMs = this.#end();
    if (tookMs === undefined) return;
    const isAccepted = status < 500;
    const nowMs = this.#clock();
    this.#live.observer.answered(isAccepted, tookMs, nowMs);
    this.#target.answered(isAccepted, nowMs);
  }

  failed(failure: ForwardFailure): void {
    if (this.#end() === undefined) return;
    const nowMs = this.#clock();
    this.#live.observer.failed(nowMs);
    this.#target.failed(failure, nowMs);
  }

  /** The origin broke off after the head of its answer, which counted as good if it was below 500. */
  brokenOff(status: number, failure: ForwardFailure): void {
    if (status >= 500) return;
    const nowMs = this.#clock();
    this.#live.observer.failed(nowMs);
    this.#target.failed(failure, nowMs);
  }

  /** The visitor is gone. */
  abandoned(): void {
    const waitedMs = this.#end();
    if (waitedMs !== undefined && waitedMs < PATIENCE_MS) this.#live.observer.withdrawn(this.#clock());
  }

  /** After a failure: where to send it again, within the budget. */
  retry(failure: ForwardFailure): OriginTarget | undefined {
    this.failed(failure);
    const { origin, counts } = this.#live;
    const nowMs = this.#clock();
    if (!origin.budget.take(nowMs)) {
      counts.retriesRefused += 1;
      return undefined;
    }
    counts.retries += 1;
    this.#send(origin.another(this.#target, this.#key, nowMs));
    return this.#target.address;
  }

  #send(target: Target): void {
    const nowMs = this.#clock();
    this.#target = target;
    this.#sentMs = this.#steadyMs();
    this.#live.observer.sent(nowMs);
    target.sent(nowMs);
  }

  #end(): number | undefined {
    if (this.#sentMs === undefined) return undefined;
    const tookMs = this.#steadyMs() - this.#sentMs;
    this.#sentMs = undefined;
    return tookMs;
  }
}
