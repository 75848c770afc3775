/** Bugs planted in `mesh/`: the rest of the mesh: ledger, replica, wire and frames. */

import { HARSH, law, type Mutant } from "../mutant.ts";

export const MESH_MUTANTS: readonly Mutant[] = [
  // The disk.
  {
    name: "a gift received is not put on disk",
    file: "mesh/core/replica/replica.ts",
    find: "      this.#putCell(account, gift);\n",
    replace: "      if (isOwn) this.#putCell(account, gift);\n",
    by: HARSH,
  },
  {
    name: "a gift stays beside the opening that it is part of",
    file: "mesh/core/ledger/row.ts",
    find: "            given[resource].delete(to);\n",
    replace: "",
    by: law("law/folding"),
  },
  {
    name: "an account that ends is folded twice",
    file: "mesh/core/ledger/openings.ts",
    find: "for (const { giver, to, room, resource, totals } of ending) {",
    replace: "for (const { giver, to, room, resource, totals } of [...ending, ...ending]) {",
    by: law("law/folding"),
  },
  {
    name: "the opening of one account is lost",
    file: "mesh/core/ledger/openings.ts",
    find: "      openings.map(([account, rooms]) =>",
    replace: "      openings.slice(1).map(([account, rooms]) =>",
    by: law("law/folding"),
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
    name: "a node gives what its sessions hold",
    file: "mesh/core/ledger/shares.ts",
    find: "Math.max(0, units - unitsForSlots(limit, used));",
    replace: "Math.max(0, units);",
    by: HARSH,
  },
];
