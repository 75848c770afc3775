/** Bugs planted in `node/storage/`: the disk. */

import { HARSH, type Mutant } from "../mutant.ts";

export const STORAGE_MUTANTS: readonly Mutant[] = [
  // The front of a node, in simulated worlds.
  {
    name: "visitors hear of a commit that the disk refused",
    file: "node/storage/group-commit.ts",
    find: "this.#guarded(() => notify(isOnDisk));",
    replace: "this.#guarded(() => notify(true));",
    by: HARSH,
  },
  {
    name: "a vote is not forced to the disk by the store",
    file: "node/storage/store.ts",
    find: 'if (!isVote || this.#durability === "fsync") {',
    replace: 'if (isVote || this.#durability === "fsync") {',
    by: HARSH,
  },
  {
    name: "what the disk refused is lost",
    file: "node/storage/group-commit.ts",
    find: "      source.retry(ready);\n",
    replace: "",
    by: HARSH,
  },
  {
    name: "messages leave before the commit",
    file: "node/storage/group-commit.ts",
    find: "    try {\n      commit(ready);",
    replace: "    send(ready);\n    try {\n      commit(ready);",
    by: HARSH,
  },
  {
    name: "one visitor's fault leaves all others of a commit without an answer",
    file: "node/storage/group-commit.ts",
    find: "this.#guarded(() => notify(isOnDisk));",
    replace: "notify(isOnDisk);",
    by: HARSH,
  },
  {
    name: "the store keeps what was removed",
    file: "node/storage/store.ts",
    find: "if (value === undefined) remove.run(key);",
    replace: "if (value === undefined) continue;",
    by: HARSH,
  },
  {
    name: "the store reads a part of its entries",
    file: "node/storage/store.ts",
    find: "SELECT key, value FROM entry",
    replace: "SELECT key, value FROM entry LIMIT 40",
    by: HARSH,
  },
];
