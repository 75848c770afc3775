/**
 * The rights to change a state that an arbiter has given: at most one node has the right to change one state.
 *
 * A state is known by the latest stamp of its registers, which is another after each write, also where a change takes
 * back the one before. A later state ends the right to an earlier one.
 */

import type { NodeId } from "../../mesh/core/ids.ts";
import { compareStamps, type Stamp } from "../../mesh/core/replica/hybrid-clock.ts";
import type { RegisterKey } from "../../mesh/core/replica/register-keys.ts";

/**
 * How long a right keeps others out. The arbiter knows the change by then: it comes within a second or two. Longer, and
 * a node that was lost with a right keeps the others out.
 */
export const RIGHT_MS = 10_000;

/** Ten changes of each room of a mesh in that time; beyond it the oldest are forgotten. */
export const RIGHTS_MAX = 10_000;

export interface State {
  readonly subject: RegisterKey;
  readonly stamp: Stamp;
}

interface Given {
  readonly node: NodeId;
  readonly stamp: Stamp;
  /** How many changes of that node have it. */
  readonly times: number;
  readonly untilMs: number;
}

export class RightsGiven {
  /** The oldest first. */
  readonly #given = new Map<RegisterKey, Given>();

  /** Whether `node` gets the right to change a state. `known`: the stamp of the state that the arbiter knows. */
  give(node: NodeId, { subject, stamp }: State, known: Stamp, nowMs: number): boolean {
    if (compareStamps(stamp, known) < 0) return false;
    this.#forgetOld(nowMs);
    const given = this.#given.get(subject);
    const later = given === undefined ? 1 : compareStamps(stamp, given.stamp);
    if (later < 0 || (later === 0 && given?.node !== node)) return false;
    const times = later === 0 ? (given?.times ?? 0) + 1 : 1;
    this.#given.delete(subject);
    this.#given.set(subject, { node, stamp, times, untilMs: nowMs + RIGHT_MS });
    return true;
  }

  /** A node that had the right has changed nothing. */
  takeBack(node: NodeId, { subject, stamp }: State): void {
    const given = this.#given.get(subject);
    if (given?.node !== node || compareStamps(stamp, given.stamp) !== 0) return;
    if (given.times > 1) this.#given.set(subject, { ...given, times: given.times - 1 });
    else this.#given.delete(subject);
  }

  #forgetOld(nowMs: number): void {
    for (const [subject, { untilMs }] of this.#given) {
      if (untilMs > nowMs && this.#given.size < RIGHTS_MAX) return;
      this.#given.delete(subject);
    }
  }
}
