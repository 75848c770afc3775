/** Bugs planted in `node/rooms/`: rooms, their changes and their files. */

import { HARSH, type Mutant } from "../mutant.ts";

export const ROOMS_MUTANTS: readonly Mutant[] = [
  // The gate, as visitors of simulated worlds meet it.
  {
    name: "a room of another node is not in force before a restart",
    file: "node/rooms/rooms.ts",
    find: "    });\n    this.#connect();\n    const rooms",
    replace: "    });\n    const rooms",
    by: HARSH,
  },
  // The front of a node, in simulated worlds.
  {
    name: "an order about a room does not count where it was given",
    file: "node/rooms/rooms.ts",
    find: "    if (register !== undefined) this.followOrder(id, register);\n",
    replace: "",
    by: HARSH,
  },
  {
    name: "an order about a room is forgotten at a restart",
    file: "node/rooms/rooms.ts",
    find: "      order: this.#orderOf(stored.id),\n",
    replace: "      order: undefined,\n",
    by: HARSH,
  },
  {
    name: "a deleted room forgets its sessions",
    file: "node/rooms/rooms.ts",
    find: "    this.#deleted.set(id, live);\n",
    replace: "",
    by: HARSH,
  },
];
