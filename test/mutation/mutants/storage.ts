/** Bugs planted in `node/storage/`: the disk. */

import { HARSH, law, type Mutant } from "../mutant.ts";

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
  // The disk.
  {
    name: "a room is changed although the data directory is gone",
    file: "node/storage/disk-watch.ts",
    find: "    if (this.#isGone) throw new NotStored(",
    replace: "    if (this.#isGone && this.#isRefusing) throw new NotStored(",
    by: law("node/storage/damaged-store"),
  },
  {
    name: "those who wait for a batch that cannot be made are forgotten",
    file: "node/storage/group-commit.ts",
    find: "    const isOnDisk = this.#commit();\n    for (const notify of waiting)",
    replace: "    const isOnDisk = this.#commit();\n    if (isOnDisk) for (const notify of waiting)",
    by: law("node/storage/group-commit"),
  },
  {
    name: "an entry that cannot be read is left out",
    file: "node/storage/store.ts",
    find: "        if (values?.length !== 1) throw",
    replace: "        if (values?.length !== 1) return [key, undefined]; if (values === undefined) throw",
    by: law("node/storage/store"),
  },
  // The origin.
  {
    name: "a removed log of the store is not noticed",
    file: "node/storage/store.ts",
    find: "return filesOf(this.#path).every(",
    replace: "return filesOf(this.#path).slice(0, 1).every(",
    by: law("node/storage/store"),
  },
  {
    name: "a visitor who comes while a batch is sent is told that it is on disk",
    file: "node/storage/group-commit.ts",
    find: "    this.#waiting = [];\n    const isOnDisk = this.#commit();",
    replace: "    const isOnDisk = this.#commit();\n    this.#waiting = [];",
    by: law("node/storage/group-commit"),
  },
  {
    name: "after a vote SQLite forces nothing to the disk any more",
    file: "node/storage/store.ts",
    find: 'this.#database.run("PRAGMA synchronous = NORMAL");',
    replace: 'this.#database.run("PRAGMA synchronous = OFF");',
    by: law("node/storage/store"),
  },
  // The history of rooms.
  {
    name: "history: records after a gap are taken",
    file: "node/storage/history-store.ts",
    find: "if (isBeyond && piece.from > piece.first) return;",
    replace: "",
    by: law("node/storage/history-store"),
  },
  {
    name: "history: a known record is written over",
    file: "node/storage/history-store.ts",
    find: "const next = Math.max(known.next, piece.from);",
    replace: "const next = piece.from;",
    by: law("node/storage/history-store"),
  },
  {
    name: "history: a damaged file stops the node",
    file: "node/storage/history-file.ts",
    find: "return startedAgain(place, messageOf(error));",
    replace: "throw error;",
    by: law("node/storage/history-store"),
  },
];
