/**
 * What two nodes tell each other first, and whether they may speak at all.
 *
 * The mesh key has been proved by then. What must agree besides: the mesh, the version of the wire, the length of minutes and the lease.
 * Anything else is refused on both sides, with the same words. Island times may differ: see longest-island.ts.
 */

import type { NodeId } from "../ids.ts";

/** The version of everything that travels between nodes. A node speaks to nodes of the same version only. */
export const WIRE_VERSION = 4;

export interface Hello {
  readonly wire: number;
  readonly mesh: string;
  readonly minuteMs: number;
  readonly leaseMs: number;
  readonly islandMs: number;
  readonly node: NodeId;
  /** Unix ms of the process's start, above those of earlier ones: of two processes with one identity the older stops. */
  readonly incarnation: number;
  readonly locality: string;
  /** Version of the program, for people. */
  readonly version: string;
  /** Addresses under which the node can be dialled. */
  readonly addresses: readonly string[];
}

/** Why `theirs` and `ours` cannot be one mesh, with what repairs it; undefined if they can. */
export function helloProblem(ours: Hello, theirs: Hello): string | undefined {
  if (theirs.wire !== ours.wire)
    return `wire version ${theirs.wire} (anteroom ${theirs.version}) does not speak with ours, ${ours.wire} (anteroom ${ours.version}): run the same release on all nodes`;
  if (theirs.mesh !== ours.mesh)
    return `mesh ${theirs.mesh} is not ours, ${ours.mesh}: meshes never merge; copy mesh.key from a node of the mesh to join`;
  if (theirs.minuteMs !== ours.minuteMs)
    return `minutes of ${theirs.minuteMs} ms do not fit ours of ${ours.minuteMs} ms: give all nodes the same --minute-ms`;
  if (theirs.leaseMs !== ours.leaseMs)
    return `a lease of ${theirs.leaseMs} ms does not fit ours of ${ours.leaseMs} ms: give all nodes the same --lease`;
  return undefined;
}
