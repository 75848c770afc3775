/**
 * One target of a room at this node: its address, its health, and how it has served in the last minute.
 */

import type { ForwardFailure, OriginTarget } from "../http/message.ts";
import type { Record } from "./rollout.ts";
import { unitOf } from "./unit-of.ts";

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
  /** As declared; set, like the next three, by the code that configures the room. */
  weight = 0;
  /** Its part of new sessions before the rollout that is under way, and after it. */
  before = 0;
  after = 0;
  /** It is declared no more, and its sessions move with the rollout. */
  isLeaving = false;
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

/**
 * Probes that fail in a row: HAProxy's default. Two would take a restart for an outage, six would double the time to
 * notice.
 */
const PROBES_DOWN = 3;

/**
 * Requests in a row without an answer. Many at once fail in one hiccup, so more than probes; at 20 a quiet site would
 * be noticed late.
 */
const REQUESTS_DOWN = 5;

/** Good probes in a row until it is up again: HAProxy's default. One may be luck with a process that is starting. */
const PROBES_UP = 2;

/**
 * Whether a target is up, as this node sees it: from probes of its health checks, and from the results of visitors'
 * requests.
 *
 * It takes several failures in a row to be down, because one is lost now and then, and two good answers to probes in a
 * row to be up again. Requests bring a target down only when they get no connection, or no answer in time: an error
 * page is an answer, and the health check and the rollout judge what it means. A target is up until proved otherwise,
 * so a start delays nobody.
 */
export class TargetHealth {
  isUp = true;
  /** Unix ms at which it came up or went down; at first, when it became known here. */
  sinceMs: number;
  /** Why it is down; empty while it is up. */
  reason = "";
  /** When it came up again after it was down, in Unix ms. */
  returnedMs: number | undefined;
  #failedProbes = 0;
  #goodProbes = 0;
  #failedRequests = 0;

  constructor(nowMs: number) {
    this.sinceMs = nowMs;
  }

  /** A probe was answered well, or `problem` says what was wrong. */
  probed(problem: string | undefined, nowMs: number): void {
    if (problem === undefined) {
      this.#failedProbes = 0;
      this.#goodProbes += 1;
      if (this.isUp || this.#goodProbes < PROBES_UP) return;
      this.#turn(true, "", nowMs);
      this.returnedMs = nowMs;
      return;
    }
    this.#goodProbes = 0;
    this.#failedProbes += 1;
    if (!this.isUp) this.reason = problem;
    else if (this.#failedProbes >= PROBES_DOWN) this.#turn(false, problem, nowMs);
  }

  /** A visitor's request got an answer, even an error. */
  answered(): void {
    this.#failedRequests = 0;
  }

  /** A visitor's request got none. */
  failed(problem: string, nowMs: number): void {
    this.#failedRequests += 1;
    if (this.isUp && this.#failedRequests >= REQUESTS_DOWN) this.#turn(false, problem, nowMs);
  }

  /** Forgets the past: up until proved otherwise, as at first. */
  forget(nowMs: number): void {
    this.#turn(true, "", nowMs);
  }

  #turn(isUp: boolean, reason: string, nowMs: number): void {
    this.isUp = isUp;
    this.reason = reason;
    this.sinceMs = nowMs;
    this.returnedMs = undefined;
    this.#failedProbes = 0;
    this.#goodProbes = 0;
    this.#failedRequests = 0;
  }
}

/** More parts slide more smoothly and cost more to add up. */
const PARTS = 12;

/**
 * How often something happened recently: a sliding window of equal parts.
 *
 * Adding is one array element, whatever the traffic. The sum covers the running part and those before it: between one
 * part less than the window and all of it. A clock that goes back empties it.
 */
export class WindowCount {
  readonly #partMs: number;
  readonly #parts = new Array<number>(PARTS).fill(0);
  /** Number of the running part since 1970. */
  #part = 0;

  constructor(windowMs: number) {
    this.#partMs = windowMs / PARTS;
  }

  add(nowMs: number): void {
    this.#slide(nowMs);
    const at = this.#part % PARTS;
    this.#parts[at] = (this.#parts[at] ?? 0) + 1;
  }

  sum(nowMs: number): number {
    this.#slide(nowMs);
    return this.#parts.reduce((sum, count) => sum + count, 0);
  }

  clear(): void {
    this.#parts.fill(0);
  }

  #slide(nowMs: number): void {
    const part = Math.floor(nowMs / this.#partMs);
    const steps = part - this.#part;
    if (steps === 0) return;
    if (steps < 0 || steps >= PARTS) this.clear();
    else for (let step = 1; step <= steps; step++) this.#parts[(this.#part + step) % PARTS] = 0;
    this.#part = part;
  }
}
