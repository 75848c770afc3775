/**
 * A visitor of the simulated world: comes, waits in line if need be, browses for a while, leaves.
 *
 * Carries what a browser carries, a cookie, and nothing else; which gate a request meets is the load balancer's affair.
 */

import type { AccountId, Minute } from "../../mesh/core/ids.ts";

export interface InsideCookie {
  readonly kind: "inside";
  readonly id: string;
  readonly home: AccountId;
  readonly lastGood: Minute;
  /** The minute in which it was last written. */
  readonly written: Minute;
}

export interface WaitingCookie {
  readonly kind: "waiting";
  readonly id: string;
  readonly key: number;
}

export type SimCookie = InsideCookie | WaitingCookie;

export interface Visitor {
  readonly number: number;
  readonly arrivedMs: number;
  /** Ms that the visitor stays inside, once in. */
  readonly staysMs: number;
  /** The locality whose gates the visitor meets. */
  readonly locality: string;
  cookie: SimCookie | undefined;
  admittedMs: number | undefined;
  positions: number[];
  /** Times that a stay was ended although the visitor went on browsing. */
  thrownOut: number;
}
