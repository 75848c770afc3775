/**
 * Events in a simulated world, as data: in the network, at hosts, at clocks, and orders of an operator.
 *
 * Nodes and rooms are numbers of places in the world: the node that starts after a lost disk is in the same place.
 */

import type { NetworkFaults } from "./network.ts";

/** `in order`: a service manager stops it, and it settles before it ends. */
export type CrashTime = "now" | "before-commit" | "before-send" | "after-send" | "in order";

/**
 * Strikes the heir of a node that is gone, while it keeps that one's share apart: the next such node from `node` on, if
 * there is one.
 */
interface MayBeHeir {
  readonly node: number;
  readonly isHeir?: boolean;
}

/** The event; `forMs` until it is repaired. */
export type FaultKind =
  | ({ readonly what: "network" } & NetworkFaults)
  | { readonly what: "cut"; readonly node: number; readonly others: readonly number[]; readonly isOneWay: boolean }
  /** Its cable is unplugged: that outlasts `heal links`. */
  | { readonly what: "cut off"; readonly node: number; readonly forMs: number }
  | { readonly what: "split"; readonly groups: readonly (readonly number[])[] }
  | { readonly what: "clog"; readonly node: number; readonly delayMs: number; readonly forMs: number }
  | { readonly what: "heal links" }
  | ({
      readonly what: "crash";
      readonly at: CrashTime;
      readonly forMs: number;
    } & MayBeHeir)
  | { readonly what: "restart all"; readonly apartMs: number }
  | { readonly what: "pause"; readonly node: number; readonly forMs: number }
  | { readonly what: "start all" }
  | { readonly what: "step clock"; readonly node: number; readonly byMs: number; readonly forMs: number }
  /** Restarts while its clock is wrong; the clock is corrected later. */
  | ({ readonly what: "start by a wrong clock"; readonly byMs: number; readonly forMs: number } & MayBeHeir)
  /** Drifts away in small steps, stays there, and comes back in as many. */
  | {
      readonly what: "drift clock";
      readonly node: number;
      readonly stepMs: number;
      readonly steps: number;
      readonly everyMs: number;
      readonly forMs: number;
    }
  | { readonly what: "back up disk" | "roll back disk" | "lose disk"; readonly node: number }
  /** The host loses its power, and its disk the last commits. */
  | { readonly what: "lose power"; readonly node: number; readonly lostMs: number }
  | ({ readonly what: "leave" } & MayBeHeir)
  /** The host is lost for good, and the operator orders so at another node; a new one starts there after a while. */
  | { readonly what: "forget"; readonly node: number; readonly by: number; readonly forMs: number }
  /** The operator mistakes a node that answers for a lost one. */
  | { readonly what: "forget by mistake"; readonly node: number; readonly by: number }
  | { readonly what: "change room"; readonly node: number; readonly room: number; readonly sessionDuration: number }
  | { readonly what: "delete room" | "make room"; readonly node: number; readonly room: number }
  /** Its disk takes nothing more. */
  | { readonly what: "full disk"; readonly node: number; readonly forMs: number }
  /** Origins take up to so long for an answer, and fail in so many cases, of 1. */
  | { readonly what: "bad origin"; readonly slowMs: number; readonly failing: number; readonly forMs: number }
  /**
   * The next commit that a visitor waits for throws: where it is made, where it is sent, or where others wait for it.
   */
  | { readonly what: "throw at a commit"; readonly node: number; readonly place: "take" | "send" | "answer" }
  /** The operator has a room admit nobody, and later lets it go on, there or elsewhere. */
  | { readonly what: "hold room"; readonly node: number; readonly room: number; readonly forMs: number }
  | { readonly what: "rename room"; readonly node: number; readonly room: number; readonly number: number }
  /** The origin ends sessions whose visitors ask there. */
  | { readonly what: "revoke"; readonly node: number; readonly room: number; readonly sessions: number };

export type Fault = FaultKind & { readonly atMs: number };

export interface FaultPlan {
  /** By place: how far a node's wall clock is off, in ms, and how fast its clocks run. */
  readonly clocks: readonly { readonly skewMs: number; readonly rate: number }[];
  readonly faults: readonly Fault[];
}
