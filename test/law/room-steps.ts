/**
 * What can happen to a room in the laws, as plain data so that a failing schedule can be shrunk and kept; and what its
 * visitors hold.
 */

import type { Minute } from "../../mesh/core/ids.ts";
import type { Room } from "../../node/config/room.ts";

export type Change = Partial<
  Pick<
    Room,
    | "totalActiveUsers"
    | "newUsersPerMinute"
    | "sessionDuration"
    | "disableSessionRenewal"
    | "queueingMethod"
    | "queueAll"
  >
>;

/** How far a turn of the event loop gets before the process is killed. */
export type CrashPoint = "decided" | "committed" | "told";

export type Step =
  | { readonly kind: "arrive"; readonly times: number }
  /** A visitor asks with the newest cookie, or with an old one; `lost`: the answer does not reach the visitor. */
  | { readonly kind: "ask"; readonly visitor: number; readonly cookiesBack: number; readonly lost: boolean }
  /** All visitors ask, in the order of `from` on, as waiting pages do at every interval. */
  | { readonly kind: "round"; readonly from: number }
  | { readonly kind: "revoke"; readonly visitor: number }
  | { readonly kind: "pass"; readonly ms: number }
  /** To the edge of a minute (the next but `minutes`), and `afterMs` further. */
  | { readonly kind: "edge"; readonly minutes: number; readonly afterMs: number }
  /** The clock is set, or the process is stopped for a while: the node can't tell one from the other. */
  | { readonly kind: "clock"; readonly ms: number }
  | { readonly kind: "configure"; readonly change: Change }
  | { readonly kind: "turn"; readonly disk: "works" | "refuses" }
  | { readonly kind: "crash"; readonly at: CrashPoint; readonly downMs: number };

export interface InsideCookie {
  readonly kind: "inside";
  readonly id: string;
  readonly lastCheckInTime: number;
  readonly lastGood: Minute;
}

interface WaitingCookie {
  readonly kind: "waiting";
  readonly id: string;
  readonly key: number;
  readonly lastCheckInTime: number;
}

export type Cookie = InsideCookie | WaitingCookie;

export interface Visitor {
  readonly cookies: Cookie[];
  /** Positions told since the last restart. */
  positions: number[];
  polledMs: number;
  /** Has asked since the process was started. */
  isHeard: boolean;
  /** Has a place in the saved line; else a crash makes the line forget it until its visitor asks. */
  isSaved: boolean;
}
