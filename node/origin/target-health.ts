/**
 * Whether a target is up, as this node has it: by the questions of its health checks, and by what became of visitors' requests.
 *
 * It takes several failures in a row to be down, since one is lost now and then, and two good answers to probes in a row to be up
 * again. Requests bring a target down only by getting no connection, or no answer in time: an error page is an answer, and what it
 * means is for the health check and for the rollout to judge. A target is up until the contrary is known, so a start holds nobody up.
 */

/** Probes that fail in a row: HAProxy's default. Two would take a restart for an outage, six would double the time to notice. */
const PROBES_DOWN = 3;

/** Requests in a row without an answer. Many at once fail by one hiccup, so more than probes; at 20 a quiet site would find out late. */
const REQUESTS_DOWN = 5;

/** Good probes in a row until it is up again: HAProxy's default. One may be luck of a process that is starting. */
const PROBES_UP = 2;

export class TargetHealth {
  isUp = true;
  /** Unix ms at which it came up or went down; when it became known here, at first. */
  sinceMs: number;
  /** Why it is down, in words; empty while it is up. */
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

  /** A visitor's request got an answer, be it an error. */
  answered(): void {
    this.#failedRequests = 0;
  }

  /** A visitor's request got none. */
  failed(problem: string, nowMs: number): void {
    this.#failedRequests += 1;
    if (this.isUp && this.#failedRequests >= REQUESTS_DOWN) this.#turn(false, problem, nowMs);
  }

  /** Forgets what was: up until the contrary is known, as at first. */
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
