/**
 * One target of a room at this node: its address, its health, and how it has served in the last minute.
 */

import type { ForwardFailure, OriginTarget } from "../http/message.ts";
import type { Record } from "./rollout.ts";
import { TargetHealth } from "./target-health.ts";
import { unitOf } from "./unit-of.ts";
import { WindowCount } from "./window-count.ts";

/**
 * A hash of its URL identifies a target: four bytes in the cookie. Two of a handful collide once in 100 million rooms.
 */
const ID_DIGITS = 8;

export class Target {
  readonly id: string;
  readonly url: string;
  /** Set by the code that configures the room, too: it may ask the origin by another name. */
  address: OriginTarget;
  readonly health: TargetHealth;
  /** Set by the code that configures the room. */
  weight = 0;
  /** Requests sent since the start of the node, and those that failed. */
  requests = 0;
  failures = 0;
  readonly #requests: WindowCount;
  readonly #failures: WindowCount;
  readonly #sessions: WindowCount;

  constructor(place: { url: string; address: OriginTarget }, { nowMs, minuteMs }: { nowMs: number; minuteMs: number }) {
    this.id = idOf(place.url);
    this.url = place.url;
    this.address = place.address;
    this.health = new TargetHealth(nowMs);
    this.#requests = new WindowCount(minuteMs);
    this.#failures = new WindowCount(minuteMs);
    this.#sessions = new WindowCount(minuteMs);
  }

  /** A request is sent there. */
  sent(nowMs: number): void {
    this.requests += 1;
    this.#requests.add(nowMs);
  }

  /** It was answered; `isAccepted`: below 500. */
  answered(isAccepted: boolean, nowMs: number): void {
    this.health.answered();
    if (!isAccepted) this.#fault(nowMs);
  }

  /**
   * It got no answer. One that was broken off or answered with invalid HTTP says nothing about the target's health: a
   * visitor may have sent what makes an origin do that.
   */
  failed({ kind, detail }: ForwardFailure, nowMs: number): void {
    if (kind !== "bad-response") this.health.failed(detail, nowMs);
    this.#fault(nowMs);
  }

  /** A session of this target was admitted or checked in here. */
  seen(nowMs: number): void {
    this.#sessions.add(nowMs);
  }

  /** Of the last minute. */
  record(nowMs: number): Record {
    return { requests: this.#requests.sum(nowMs), failures: this.#failures.sum(nowMs) };
  }

  /** Sessions seen here in the last minute; each checks in once in it. */
  sessions(nowMs: number): number {
    return this.#sessions.sum(nowMs);
  }

  /** Forgets the last minute: a new rollout is judged only by its own requests. */
  forget(): void {
    this.#requests.clear();
    this.#failures.clear();
  }

  #fault(nowMs: number): void {
    this.failures += 1;
    this.#failures.add(nowMs);
  }
}

/** The short name of a target in cookies. */
export function idOf(url: string): string {
  return Math.floor(unitOf(`anteroom target ${url}`) * 2 ** 32)
    .toString(16)
    .padStart(ID_DIGITS, "0");
}
