/** Bugs planted in `mesh/`: the rest of the mesh: ledger, replica, wire and frames. */

import { HARSH, law, type Mutant } from "../mutant.ts";

export const MESH_MUTANTS: readonly Mutant[] = [
  // The disk.
  {
    name: "a gift given is not put on disk",
    file: "mesh/core/replica/replica.ts",
    find: "    this.#putCell(this.self, gift);\n",
    replace: "",
    by: HARSH,
  },
  {
    name: "a gift received is not put on disk",
    file: "mesh/core/replica/replica.ts",
    find: "      this.#putCell(account, gift);\n",
    replace: "      if (isOwn) this.#putCell(account, gift);\n",
    by: HARSH,
  },
  // Shares.
  {
    name: "copies of a row are joined by adding",
    file: "mesh/core/ledger/ledger.ts",
    find: "if (!cell.raise(minute, total)) continue;",
    replace: "if (!cell.raise(minute, cell.at(minute) + total)) continue;",
    by: HARSH,
  },
  {
    name: "a gift is not deducted",
    file: "mesh/core/ledger/ledger.ts",
    find: "return { units: owned - given, from: minute, until };",
    replace: "return { units: owned, from: minute, until };",
    by: HARSH,
  },
  {
    name: "a kept balance survives a gift",
    file: "mesh/core/ledger/ledger.ts",
    find: "this.#forgetBalances(room, resource, [this.self, to]);",
    replace: "this.#forgetBalances(room, resource, [to]);",
    by: HARSH,
  },
  {
    name: "a gift of arrivals is used at once",
    file: "mesh/core/ledger/ledger.ts",
    find: 'const since = resource === "arrivals" ? minute : AT_ONCE;',
    replace: "const since = AT_ONCE;",
    by: law("law/never-over"),
  },
  {
    name: "a node gives what its sessions hold",
    file: "mesh/core/ledger/shares.ts",
    find: "unitsForSlots(limit, used + kept)",
    replace: "unitsForSlots(limit, kept)",
    by: HARSH,
  },
  {
    name: "slots are rounded up",
    file: "mesh/core/ledger/shares.ts",
    find: "Math.floor((limit * units) / UNITS + FORGIVEN)",
    replace: "Math.ceil((limit * units) / UNITS - FORGIVEN)",
    by: law("law/never-over"),
  },
  {
    name: "a writer is believed who is none by the view",
    file: "mesh/core/replica/replica-inbox.ts",
    find: '    if (rightful !== writer) return "notTheWriter";\n',
    replace: "",
    by: HARSH,
  },

  // Inheritance.

  // Nodes of two wire versions.
  {
    name: "an order that is stamped again undoes what was decided after it",
    file: "mesh/core/replica/registers.ts",
    find: "Math.min(nowMs, register.stamp.wallMs - aheadMs)",
    replace: "nowMs",
    by: law("simulator/orders"),
  },
  {
    name: "what follows an order that is stamped again is still stamped ahead",
    file: "mesh/core/replica/registers.ts",
    find: "    this.#clock = new HybridClock(this.#options.self);\n    for",
    replace: "    for",
    by: law("simulator/orders"),
  },
];
