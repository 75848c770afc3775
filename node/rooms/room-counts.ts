/**
 * Events at a room's gate since the start, counted for `/metrics` and the log: plain numbers, because the gate adds to
 * them at every request; the metrics page reads them on request.
 */

import { DECISION_SECONDS, DurationHistogram, ORIGIN_SECONDS, WAIT_SECONDS } from "../admission/duration-histogram.ts";
import { waitClassOf } from "../history/wait-classes.ts";
import { CommandCounts } from "./command-counts.ts";

/** How a request ended for its visitor. */
export const OUTCOMES = [
  "inside",
  "admitted",
  "joined",
  "polled",
  "full",
  "rejected",
  "turned_away",
  "sent_back",
  "cookieless",
  "left",
  "passed",
  "bypassed",
  "crawler",
  "crawler_refused",
  "blocked",
  "uninvited",
  "pass_refused",
  "address_limited",
  "unproved",
  "shed",
  "asked",
  "draw",
] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const BAD_COOKIES = ["malformed", "unknown-key", "forged", "wrong-room", "expired", "revoked", "used"] as const;
export type BadCookieCount = (typeof BAD_COOKIES)[number];
/** What became of passes: used for a place or a session, used by staff, or why they were refused. */
export const PASS_RESULTS = [
  "accepted",
  "staff",
  "malformed",
  "forged",
  "foreign",
  "other-room",
  "withdrawn",
  "expired",
  "early",
  "in-use",
] as const;
export type PassResult = (typeof PASS_RESULTS)[number];

/**
 * What came of proofs of work. `given`: visitors who were asked for one. `failed`: proofs that were refused.
 * `unsolved`: visitors who were admitted without the proof that was asked of them, because the room only counts.
 */
export const PROOFS = ["given", "solved", "failed", "unsolved"] as const;
export type ProofCount = (typeof PROOFS)[number];

/** Why the gate ended a long-lived exchange; `full`: it had no session, and requests without one do not pass now. */
export const CUT_REASONS = ["over", "revoked", "full"] as const;
export type CutReason = (typeof CUT_REASONS)[number];

/** Requests of one kind that were turned away, and the paths of the first ones. */
interface Lost {
  count: number;
  readonly paths: Set<string>;
}

export class RoomCounts {
  readonly requests: Record<Outcome, number> = zeros(OUTCOMES);
  readonly badCookies: Record<BadCookieCount, number> = zeros(BAD_COOKIES);
  readonly passes: Record<PassResult, number> = zeros(PASS_RESULTS);
  readonly proofs: Record<ProofCount, number> = zeros(PROOFS);
  /** What nobody repeats by hand (`gate/lost-calls.ts`): calls of other servers, and forms of other sites. */
  readonly lost: Readonly<Record<"calls" | "forms", Lost>> = {
    calls: { count: 0, paths: new Set() },
    forms: { count: 0, paths: new Set() },
  };
  /** From a request's head to the gate's decision, commit included. */
  readonly decisions = new DurationHistogram(DECISION_SECONDS);
  /** From a request that was sent to the head of its answer, or its failure; retries included. */
  readonly origin = new DurationHistogram(ORIGIN_SECONDS);
  /** From joining the line to admission. */
  readonly waits = new DurationHistogram(WAIT_SECONDS);
  /** Sessions that the origin ended by `revoke`, and by `complete`. */
  revoked = 0;
  completed = 0;
  readonly commands = new CommandCounts();
  /** Long-lived exchanges that the gate ended. */
  readonly cut: Record<CutReason, number> = zeros(CUT_REASONS);
  /** Sessions that began at this gate, each once. */
  admissions = 0;
  /** Visitors who joined the line by a proof of work: until then they stood outside it. */
  provedJoins = 0;
  /** Visitors admitted from the line since the history was last told, by the class of their wait (wait-classes.ts). */
  readonly waitClasses = new Map<number, number>();
  /** Requests sent to the origin a second time, and those not sent again because the budget was used up. */
  retries = 0;
  retriesRefused = 0;
}

/** Counts a visitor who was admitted after so many ms in line. */
export function countWait({ waits, waitClasses }: RoomCounts, ms: number): void {
  waits.observe(ms);
  const waitClass = waitClassOf(ms);
  waitClasses.set(waitClass, (waitClasses.get(waitClass) ?? 0) + 1);
}

function zeros<Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
}
