/**
 * The first message between two nodes, and whether they may speak at all.
 *
 * The mesh key has been proved by then. What else must agree: the mesh, the length of minutes and the lease, and each
 * side must understand the wire version that the other one speaks (`wire-range.ts`). Anything else is refused on both
 * sides, with the reason.
 */

import type { NodeId } from "../ids.ts";
import { isWithin, rangeText, type WireRange } from "./wire-range.ts";

export interface Hello {
  /** The wire version that the node speaks: that of its view. */
  readonly wire: number;
  /** The wire versions that it could speak. */
  readonly understands: WireRange;
  readonly mesh: string;
  readonly minuteMs: number;
  readonly leaseMs: number;
  readonly node: NodeId;
  /**
   * Unix ms of the process's start, above those of earlier ones: the older of two processes with one identity stops.
   */
  readonly incarnation: number;
  readonly locality: string;
  /** What its operator calls it, for people. */
  readonly name?: string;
  /** Version of the program, for people. */
  readonly version: string;
  /** Addresses under which the node can be dialled. */
  readonly addresses: readonly string[];
}

/** Why `theirs` and `ours` cannot form one mesh, with the repair; undefined if they can. */
export function helloProblem(ours: Hello, theirs: Hello): string | undefined {
  if (!isWithin(theirs.wire, ours.understands) || !isWithin(ours.wire, theirs.understands))
    return `${wireText(theirs)} does not speak with ours, ${wireText(ours).replace("wire version ", "")}: upgrade by one wire version at a time, all nodes each time (docs/install.md)`;
  if (theirs.mesh !== ours.mesh)
    return `mesh ${theirs.mesh} is not ours, ${ours.mesh}: meshes never merge; copy mesh.key from a node of the mesh to join`;
  if (theirs.minuteMs !== ours.minuteMs)
    return `minutes of ${theirs.minuteMs} ms do not fit ours of ${ours.minuteMs} ms: give all nodes the same --minute-ms`;
  if (theirs.leaseMs !== ours.leaseMs)
    return `a lease of ${theirs.leaseMs} ms does not fit ours of ${ours.leaseMs} ms: give all nodes the same --lease`;
  return undefined;
}

function wireText({ wire, version, understands }: Hello): string {
  return `wire version ${wire} (anteroom ${version}, which understands ${rangeText(understands)})`;
}
