/** Bugs planted in `node/peer/`: a node as a part of its mesh. */

import { CUT_OFF, HARSH, law, type Mutant, OLD_DISKS, TESTIMONY } from "../mutant.ts";

export const PEER_MUTANTS: readonly Mutant[] = [
  // Slots that come free with a minute.
  {
    name: "counters do not look when slots come free",
    file: "node/peer/peer.ts",
    find: "for (const room of this.rooms.values()) room.renew(roomMs);",
    replace: "for (const room of this.rooms.values()) if (roomMs < 0) room.renew(roomMs);",
    by: law("simulator/freed-slots"),
  },
  {
    name: "a start on a disk that refuses commits takes the others for silent",
    file: "node/peer/node-time.ts",
    find: "    this.#askedMs = this.#now.steadyMs;\n  }\n\n  /** An earlier run",
    replace: "  }\n\n  /** An earlier run",
    by: law("simulator/contradicted-clock"),
  },
  // Removed nodes that return.
  {
    name: "the table of a testimony is read before the node has stopped",
    file: "node/peer/testimonies.ts",
    find: "    this.#hasActed = true;\n",
    replace: "    this.#hasActed = true;\n    this.statement();\n",
    by: TESTIMONY,
  },
  // The disk.
  {
    name: "an old disk is not noticed",
    file: "node/peer/peer-parts.ts",
    find: "const outdated = (reason: string) => events.over(",
    replace: "const outdated = (reason: string) => ((..._: unknown[]) => {})(",
    by: OLD_DISKS,
  },
  // Time.
  {
    name: "what is decided is stamped ahead of most clocks",
    file: "node/peer/node-time.ts",
    find: "Math.min(this.newsMs, this.#now.wallMs + behindMs)",
    replace: "this.newsMs",
    by: law("simulator/orders"),
  },
  // Inheritance.
  {
    name: "a pot is settled when the lease is over",
    file: "node/peer/pot-clock.ts",
    find: "group.every((pot) => pot.passedMs > this.activeMs) ||",
    replace: "group.every((pot) => pot.passedMs > this.#times.leaseMs) ||",
    by: CUT_OFF,
  },
  {
    name: "a leaver's row is taken over without its table",
    file: "node/peer/peer-membership.ts",
    find: "    handed.takeOver(held, rooms, time.roomMs);\n",
    replace: "",
    by: HARSH,
  },
  {
    name: "a removed node keeps its identity",
    file: "node/peer/peer-membership.ts",
    find: 'else if (reason === "removed") over("new-identity", "this node was removed from the mesh");',
    replace: 'else if (reason === "removed") return;',
    by: { ...CUT_OFF, seeds: 4 },
  },
  // Nodes of two wire versions.
  {
    name: "what a wrong clock has stamped is never stamped again",
    file: "node/peer/peer.ts",
    find: "    if (mostMs !== undefined) this.replica.restamp(mostMs, now.wallMs - mostMs);\n",
    replace: "",
    by: law("simulator/orders"),
  },
  {
    name: "others' orders are judged by the clock of a node that started alone",
    file: "node/peer/node-time.ts",
    find: "return this.mostMs ?? this.newsMs;",
    replace: "return this.newsMs;",
    by: law("simulator/orders"),
  },
  // The history of rooms.
  {
    name: "history: nobody asks for what is missing",
    file: "node/peer/history-sync.ts",
    find: 'this.#parts.outbox.send(other, { kind: "history-wanted", known: knownOf(this.#parts.shelf.sources) });',
    replace: "",
    by: { kind: "seeds", scenario: "harsh-history", seeds: 8 },
  },
];
