/**
 * Deliberate bugs that only whole worlds, laws and models can catch: one changed place of the product each. What the
 * unit test beside a line catches is not planted.
 *
 * A new one goes to the file of `mutants/` for the wing of the product that it is planted in.
 */

import type { Mutant } from "./mutant.ts";
import { ADMISSION_MUTANTS } from "./mutants/admission.ts";
import { ADMISSION_MESH_MUTANTS } from "./mutants/admission-mesh.ts";
import { GATE_MUTANTS } from "./mutants/gate.ts";
import { MEMBERS_MUTANTS } from "./mutants/members.ts";
import { MESH_MUTANTS } from "./mutants/mesh.ts";
import { NODE_MUTANTS } from "./mutants/node.ts";
import { PEER_MUTANTS } from "./mutants/peer.ts";
import { SIM_MUTANTS } from "./mutants/sim.ts";
import { STORAGE_MUTANTS } from "./mutants/storage.ts";

/** The folder of each wing, and the bugs planted in it. Of two folders that fit a file the first one counts. */
export const WINGS: readonly (readonly [folder: string, mutants: readonly Mutant[]])[] = [
  ["mesh/core/members/", MEMBERS_MUTANTS],
  ["mesh/", MESH_MUTANTS],
  ["node/admission/mesh/", ADMISSION_MESH_MUTANTS],
  ["node/admission/", ADMISSION_MUTANTS],
  ["node/gate/", GATE_MUTANTS],
  ["node/peer/", PEER_MUTANTS],
  ["node/storage/", STORAGE_MUTANTS],
  ["node/", NODE_MUTANTS],
  ["test/sim/", SIM_MUTANTS],
];

export const MUTANTS: readonly Mutant[] = WINGS.flatMap(([, mutants]) => mutants);

/** The mutant of a name; undefined without a name. */
export function mutantOf(name: string | undefined): Mutant | undefined {
  if (name === undefined) return undefined;
  const mutant = MUTANTS.find((each) => each.name === name);
  if (mutant === undefined)
    throw new Error(`Cannot plant a mutant as its name must be in test/mutation/mutants: current value is ${name}`);
  return mutant;
}
