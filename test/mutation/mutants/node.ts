/** Bugs planted in `node/`: the rest of a node: its life, rooms, cookies, configuration, history, origins and rules. */

import { law, type Mutant } from "../mutant.ts";

export const NODE_MUTANTS: readonly Mutant[] = [
  // Time.
  {
    name: "a start leaves out ended sessions by the host's clock",
    file: "node/process/shell.ts",
    find: "stored.restored(id, peer.roomMs)",
    replace: "stored.restored(id, this.now.wallMs)",
    by: law("simulator/revoked"),
  },
  {
    name: "what is decided is stamped by the host's clock",
    file: "node/process/shell.ts",
    find: "return this.peer.stampMs;",
    replace: "return this.now.wallMs;",
    by: law("simulator/orders"),
  },
  // The disk.
  {
    name: "an order is answered before it is forced to the disk",
    file: "node/process/shell.ts",
    find: "disk.commit({ writes, isVote: true })",
    replace: "disk.commit({ writes, isVote: false })",
    by: law("simulator/orders"),
  },
];
