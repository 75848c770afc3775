/** Bugs planted in the simulator and its judges. */

import { law, type Mutant } from "../mutant.ts";

export const SIM_MUTANTS: readonly Mutant[] = [
  // The judges.
  {
    name: "the judge counts a session whose end was stored later than its gate answered",
    file: "test/sim/sim-room.ts",
    find: "node.hasStoredEnd(this.id, session)",
    replace: 'node.hasStoredEnd(this.id, session) && node.refuses(this.id, "")',
    by: law("simulator/revoked"),
  },
];
