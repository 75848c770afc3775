/**
 * Whether a target is up, as this node sees it: from probes of its health checks, and from the results of visitors'
 * requests.
 *
 * It takes several failures in a row to be down, because one is lost now and then, and two good answers to probes in a
 * row to be up again. Requests bring a target down only when they get no connection, or no answer in time: an error
 * page is an answer, and the health check and the rollout judge what it means. A target is up until proved otherwise,
 * so a start delays nobody.
 */

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

export class TargetHealth {
  isUp = true;
  /** Unix ms at which it came up or went down; at first, when it became known here. */
  sinceMs: number;
  /** Why it is down; empty while it is up. */
  reason = "";
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
      if (!this.isUp && this.#goodProbes >= PROBES_UP) this.#turn(true, "", nowMs);
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
    this.#failedProbes = 0;
    this.#goodProbes = 0;
    this.#failedRequests = 0;
  }
}
