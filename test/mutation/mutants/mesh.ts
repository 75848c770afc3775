/** Bugs planted in `mesh/`: the rest of the mesh: ledger, replica, wire and frames. */

import { HARSH, law, type Mutant } from "../mutant.ts";

export const MESH_MUTANTS: readonly Mutant[] = [
  // The disk.
  {
    name: "a room is changed although the disk refuses it",
    file: "mesh/core/replica/registers.ts",
    find: "    before(written.map(([key, { signed }]) => [key, signed]));\n",
    replace: "",
    by: law("node/operator/admin-api"),
  },
  {
    name: "messages leave a step before their writes",
    file: "mesh/core/wire/outbox.ts",
    find: "const batch = { writes: this.#writes, isVote: this.#isVote, sent: this.#sent };",
    replace:
      "const self = this as any; const batch = { writes: self.late ?? new Map(), isVote: this.#isVote, sent: this.#sent }; self.late = this.#writes;",
    by: law("mesh/core/wire/outbox"),
  },
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
  {
    name: "writes given back win over newer ones",
    file: "mesh/core/wire/outbox.ts",
    find: "this.#writes = new Map([...writes, ...this.#writes]);",
    replace: "this.#writes = new Map([...this.#writes, ...writes]);",
    by: law("mesh/core/wire/outbox"),
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
  {
    name: "frames are told again after a handler has thrown",
    file: "mesh/frames.ts",
    find: "      this.#keep(rest);\n",
    replace: "",
    by: law("mesh/frames"),
  },
  {
    name: "a pot without arrivals is taken for one without anything",
    file: "mesh/core/ledger/ledger.ts",
    find: "      RESOURCES.every((resource) =>\n",
    replace: "      RESOURCES.some((resource) =>\n",
    by: law("node/peer/peer"),
  },

  // Callbacks that throw.
  {
    name: "a callback that throws costs the others the answer",
    file: "mesh/core/wire/tell-all.ts",
    find: "      errors.push(error);\n    }\n    index += 1;\n",
    replace: "      throw error;\n    }\n    index += 1;\n",
    by: law("node/admission/mesh/ticket-client"),
  },
  {
    name: "the founder owns nothing when it has given away what all know of",
    file: "mesh/core/ledger/ledger.ts",
    find: "    if (accounts.includes(this.founder)) return false;\n",
    replace: "",
    by: law("mesh/core/ledger/ledger"),
  },
  // Nodes of two wire versions.
  {
    name: "a hello is judged by its own range alone",
    file: "mesh/core/wire/hello.ts",
    find: " || !isWithin(ours.wire, theirs.understands))",
    replace: ")",
    by: law("mesh/judge-hello"),
  },
  {
    name: "a message of an unknown kind costs the whole frame",
    file: "mesh/core/wire/codec.ts",
    find: "          ignored += 1;\n          continue;",
    replace: '          return fault("kind", kind);',
    by: law("mesh/core/wire/codec"),
  },
  {
    name: "the disk forgets the counts that a part leaves out",
    file: "mesh/core/replica/own-rows.ts",
    find: '    if (section === "counts") this.#leftOut.note({ account, room, counts: leftOutOf(counts, minutes) });\n',
    replace: "",
    by: law("node/peer/peer"),
  },
  {
    name: "a start does not read the counts that a part left out",
    file: "mesh/core/replica/replica.ts",
    find: "    for (const counts of leftOut) this.#own.restoreLeftOut(counts);\n",
    replace: "",
    by: law("mesh/core/replica/replica"),
  },
  {
    name: "counts that a part left out wait for the next count, when their minutes have come",
    file: "mesh/core/replica/own-rows.ts",
    find: '    for (const { account, room } of this.#leftOut.due(minutes)) this.mark("counts", account, room);\n',
    replace: "",
    by: law("mesh/core/replica/replica"),
  },
  {
    name: "counts of a clock that was ahead are published",
    file: "mesh/core/replica/replica.ts",
    find: "    const last = minutePlus(minute, MINUTES_AHEAD_MAX);\n",
    replace: "    const last = minutePlus(minute, 1_000_000);\n",
    by: law("mesh/core/replica/replica"),
  },
  {
    name: "an order that is stamped again undoes what was decided after it",
    file: "mesh/core/replica/registers.ts",
    find: "Math.min(nowMs, register.stamp.wallMs - aheadMs)",
    replace: "nowMs",
    by: law("sim/orders"),
  },
  {
    name: "what follows an order that is stamped again is still stamped ahead",
    file: "mesh/core/replica/registers.ts",
    find: "    this.#clock = new HybridClock(this.#options.self);\n    for",
    replace: "    for",
    by: law("sim/orders"),
  },
  {
    name: "a register of a newer release is refused",
    file: "mesh/core/replica/registers.ts",
    find: "    const kind = kindOf(key);\n",
    replace: '    const kind = kindOf(key);\n    if (kind === "later") return "badRegister";\n',
    by: law("mesh/core/replica/registers"),
  },
  {
    name: "what a newer release has added to a register makes it a bad one",
    file: "mesh/core/replica/registers.ts",
    find: "  .rest(z.unknown());",
    replace: "  .rest(z.never());",
    by: law("mesh/core/replica/registers"),
  },
  {
    name: "an answer of any kind answers a question",
    file: "mesh/core/wire/calls.ts",
    find: " || open.answerKind !== answer.kind",
    replace: "",
    by: law("mesh/core/wire/calls"),
  },
  // What lies on the disk.
  {
    name: "an entry of the disk is cast, not checked",
    file: "mesh/core/wire/entry.ts",
    find: "    if (!read.success) {",
    replace: '    if (!read.success && key === "") {',
    by: law("node/stored-entries"),
  },
  // Draws.
  {
    name: "the disk keeps counts of a clock that was far ahead",
    file: "mesh/core/replica/own-rows.ts",
    find: "counts: leftOutOf(counts, minutes) });",
    replace: "counts: outside(counts, minutes) });",
    by: law("mesh/core/replica/replica"),
  },
  {
    name: "a writer does not learn which part of its own is kept in place of a newer one",
    file: "mesh/core/replica/replica-inbox.ts",
    find: "kept !== undefined && isFromWriter",
    replace: "kept !== undefined && !isFromWriter",
    by: law("mesh/core/replica/replica"),
  },
  {
    name: "a key that was on the disk counts as new",
    file: "mesh/node-key.ts",
    find: '"EEXIST") return false;',
    replace: '"EEXIST") return true;',
    by: law("mesh/node-key"),
  },
];
