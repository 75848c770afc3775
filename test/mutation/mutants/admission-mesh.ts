/** Bugs planted in `node/admission/mesh/`: a room as nodes keep it together. */

import { CUT_OFF, DOORS_CUT, HARSH, LATE_REVOKES, law, type Mutant } from "../mutant.ts";

export const ADMISSION_MESH_MUTANTS: readonly Mutant[] = [
  // Doors of rooms: passes, lanes, proofs, slots that wait for their visitors, receipts.
  {
    name: "of two visitors with one pass the later one keeps it",
    file: "node/admission/mesh/pass-claims.ts",
    find: "kept.atMs < atMs ||",
    replace: "kept.atMs > atMs ||",
    by: DOORS_CUT,
  },
  // The disk.
  {
    name: "an admission is not put on disk",
    file: "node/admission/mesh/entrance.ts",
    find: "    const { lastGood } = known ?? admission.sessions.admit(id, nowMs, trialSeconds);\n    admitted();",
    replace: "    const { lastGood } = known ?? admission.sessions.admit(id, nowMs, trialSeconds);",
    by: HARSH,
  },
  {
    name: "an heir extends sessions of a node that may still give their slots away",
    file: "node/admission/mesh/session-home.ts",
    find: " && roomNode.mayHoldLease(group)) return",
    replace: " && roomNode.mayHoldLease(group) && nowMs < 0) return",
    by: law("simulator/heirs"),
  },
  {
    name: "an extension is not put on disk",
    file: "node/admission/mesh/session-home.ts",
    find: '    if (checked.kind !== "acknowledged") return checked.kind;\n    this.#parts.writer.changed();',
    replace: '    if (checked.kind !== "acknowledged") return checked.kind;',
    by: HARSH,
  },
  // Sessions.
  {
    name: "a cookie is extended though its home is silent",
    file: "node/admission/mesh/check-ins.ts",
    find: 'if (session.lastGood - minute > half) onAnswer({ kind: "unchanged" }, nowMs);',
    replace:
      'if (session.lastGood - minute >= 0) onAnswer({ kind: "acknowledged", home: session.home, lastGood: (minute + this.#parts.sessionDuration()) as Minute }, nowMs);',
    by: HARSH,
  },
  {
    name: "sessions are extended without a lease",
    file: "node/admission/mesh/session-home.ts",
    find: ': roomNode.mayExtend())) return "later";',
    replace: ': true)) return "later";',
    by: CUT_OFF,
  },
  // Nobody waits for nothing, and in the order of the line.
  {
    name: "what cannot be used is not spread",
    file: "node/admission/mesh/placement.ts",
    find: "      return (free[resource] - pairs) * byNodes + usable;",
    replace: "      return place === own ? has(own) : usable;",
    by: law("simulator/richest"),
  },
  {
    name: "what cannot be used is not spread while somebody waits, nor what a pot gives back",
    file: "node/admission/mesh/drift.ts",
    find: "    const peers = this.#peers(nowMs);",
    replace: "    const peers = line.size > 0 ? [] : this.#peers(nowMs);",
    by: law("simulator/richest"),
  },
  // Sessions that the origin ends.
  {
    name: "the slot of a revoked session is free before all gates know",
    file: "node/admission/mesh/revocations.ts",
    find: "        if (asked.size === 0 && this.#known.get(id) === revocation) this.#tell(id, revocation, thenMs);\n      });",
    replace: "        this.#allKnow(id, revocation, thenMs);\n      });",
    by: law("simulator/revoked"),
  },
  {
    name: "the slot of a revoked session is free while a removed node may run on",
    file: "node/admission/mesh/revocations.ts",
    find: "if (home === undefined || roomNode.mayOthersRunOn) return;",
    replace: "if (home === undefined) return;",
    by: law("simulator/revoked"),
  },
  {
    name: "the last of the nodes frees a revoked session's slot while a removed one may run on",
    file: "node/admission/mesh/mesh-room.ts",
    find: "this.#roomNode.others.length === 0 && !this.#roomNode.mayOthersRunOn",
    replace: "this.#roomNode.others.length === 0",
    by: law("simulator/revoked"),
  },
  {
    name: "a node that joins is not told of sessions that ended at a gate that is gone",
    file: "node/admission/mesh/revocations.ts",
    find: "before.keys().some((node) => this.#inherits(node))",
    replace: "false",
    by: law("simulator/revoked"),
  },
  {
    name: "a gate that does not answer in time counts as told of a revoked session",
    file: "node/admission/mesh/revocations.ts",
    find: "        if (answer === undefined) return;\n",
    replace: "",
    by: LATE_REVOKES,
  },
  {
    name: "a gate asks the home of a revoked session, whatever it has heard",
    file: "node/admission/mesh/mesh-room.ts",
    find: "    if (this.admission.sessions.isRevoked(session.id)) {",
    replace: "    if (false) {",
    by: law("simulator/revoked"),
  },
];
