/**
 * What all visitors of a run have seen, as counts and histograms of bounded size.
 *
 * It knows nothing that a visitor does not know: no status of a node, no log of the site. Times are monotonic ms.
 */

import { Overtakes } from "../crowd/overtakes.ts";
import { Latencies } from "./latencies.ts";

/** A person has noticed by then that nothing comes. Halved, the last moment of a run is full of errors. */
const OVERDUE_MS = 2_000;

/** What a request was for: a page while the visitor is not inside, a poll of the waiting page, or the site itself. */
export type AskedFor = "waiting page" | "poll" | "site";

export const ASKED: readonly AskedFor[] = ["waiting page", "poll", "site"];

export class Tally {
  arrived = 0;
  /** Visitors who came in at least once. */
  admitted = 0;
  /** Visitors who had to wait. */
  joined = 0;
  /** Visitors who lost patience in line, and those who left after errors only. */
  abandoned = 0;
  lostToErrors = 0;
  /** Visitors who left the site by themselves after their stay. */
  left = 0;
  /** Visitors in line, and on the site, when the run ended. */
  stillWaiting = 0;
  stillInside = 0;
  /** Times that a visitor inside was sent back into the line, with a cookie that was still good. */
  sentBack = 0;
  /** Visitors who waited on while one who had come later was already in. */
  readonly overtakes = new Overtakes<object>();
  /** Visitors who were asked for a proof of work, which is not made here. */
  proofAsked = 0;
  /** Visitors who were sent to another host, and did not follow. */
  sentElsewhere = 0;
  inside = 0;
  waiting = 0;
  insidePeak = 0;
  waitingPeak = 0;
  requests = 0;
  failed = 0;
  /** Requests in flight when the run ended, and for how long the oldest was due. */
  unansweredCount = 0;
  unansweredMs = 0;
  /** By what the visitor saw, such as `status 503`. */
  readonly errors = new Map<string, number>();
  /** From arrival to the site's first page, of those who had to wait. */
  readonly waits = new Latencies();
  readonly times: Readonly<Record<AskedFor, Latencies>> = timesOfAll();
  /** The same since the last look. */
  readonly recent: Readonly<Record<AskedFor, Latencies>> = timesOfAll();

  enters(): void {
    this.inside += 1;
    this.insidePeak = Math.max(this.insidePeak, this.inside);
  }

  joins(): void {
    this.waiting += 1;
    this.waitingPeak = Math.max(this.waitingPeak, this.waiting);
  }

  /** A request has ended, `ms` after it was due. */
  answered(asked: AskedFor, ms: number): void {
    this.requests += 1;
    this.times[asked].add(ms);
    this.recent[asked].add(ms);
  }

  /** The run ended before the answer came: for one that was due long ago, that is an error. */
  unanswered(asked: AskedFor, ms: number): void {
    if (ms >= OVERDUE_MS) {
      this.answered(asked, ms);
      this.error("no answer by the end");
    }
    this.unansweredCount += 1;
    this.unansweredMs = Math.max(this.unansweredMs, ms);
  }

  error(kind: string): void {
    this.failed += 1;
    this.errors.set(kind, (this.errors.get(kind) ?? 0) + 1);
  }

  /** Part of all requests that ended with an error. */
  get errorRate(): number {
    return this.requests === 0 ? 0 : this.failed / this.requests;
  }
}

function timesOfAll(): Record<AskedFor, Latencies> {
  return { "waiting page": new Latencies(), poll: new Latencies(), site: new Latencies() };
}
