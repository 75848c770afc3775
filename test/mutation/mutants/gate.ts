/** Bugs planted in `node/gate/`: what the gate decides about a request, and its pages. */

import { DOORS, HARSH, type Mutant } from "../mutant.ts";

export const GATE_MUTANTS: readonly Mutant[] = [
  // Doors of rooms: passes, lanes, proofs, slots that wait for their visitors, receipts.
  {
    name: "an invite-only room admits visitors without a pass",
    file: "node/gate/request-step.ts",
    find: "const isNeeded = inviteOnly &&",
    replace: "const isNeeded = inviteOnly && kind.isPosted &&",
    by: DOORS,
  },
  {
    name: "a place is given before the proof of work",
    file: "node/gate/request-step.ts",
    find: 'if (owed === undefined) return { kind: "poll", cookie };',
    replace: 'if (owed === undefined || visit.kind.proof === undefined) return { kind: "poll", cookie };',
    by: DOORS,
  },
  // The gate, as visitors of simulated worlds meet it.
  {
    name: "a cookie is sealed before its session is on the disk",
    file: "node/gate/request-step.ts",
    find: "return admitted(visit, asked, decision);",
    replace: 'return { ...admitted(visit, asked, decision), kind: "seal" } as Step;',
    by: HARSH,
  },
  {
    name: "a gate serves a session that is refused at its check-in",
    file: "node/gate/request-step.ts",
    find: 'if (outcome.kind === "revoked") return { kind: "start over", badCookie: "revoked" };',
    replace: 'if (outcome.kind === "revoked") return end;',
    by: HARSH,
  },
  {
    name: "a gate extends a stay without a check-in",
    file: "node/gate/request-step.ts",
    find: 'return { kind: "check in", cookie, end };',
    replace:
      'return { kind: "seal", cookie: { ...cookie, lastCheckInTime: nowMs, lastGood: (cookie.lastGood + 1) as never }, end };',
    by: HARSH,
  },
  {
    name: "a request is let in although the room has no slot",
    file: "node/gate/request-step.ts",
    find: 'if (decision.kind === "waiting") {\n    const { key }',
    replace:
      'if (decision.kind === "waiting") return { kind: "pass through", outcome: "passed" };\n  if (decision.kind === "waiting") {\n    const { key }',
    by: HARSH,
  },
  // The front of a node, in simulated worlds.
  {
    name: "a cookie is sealed although the disk refused the session",
    file: "node/gate/request-step.ts",
    find: 'if (isOnDisk) return { kind: "seal", cookie, end };',
    replace: 'return { kind: "seal", cookie, end };',
    by: HARSH,
  },
  {
    name: "a slot stays with a visitor who was turned away, as the disk was full",
    file: "node/gate/ends.ts",
    find: "if (end.withdrawn !== undefined) live.meshRoom.withdraw(end.withdrawn);",
    replace: "",
    by: HARSH,
  },
  {
    name: "a stay is over a minute early at the gate",
    file: "node/gate/visitor-cookies.ts",
    find: "cookie.lastGood < live.admission.minuteAt(nowMs);",
    replace: "cookie.lastGood <= live.admission.minuteAt(nowMs);",
    by: HARSH,
  },
  {
    name: "a gate does not end a session at its origin's word",
    file: "node/gate/origin-orders.ts",
    find: "if (end !== undefined) return this.#end(live, session, end);",
    replace: "if (end?.reason !== undefined) return this.#end(live, session, end);",
    by: HARSH,
  },
  {
    name: "the page of a failed origin has no cookie",
    file: "node/gate/to-origin.ts",
    find: "      headers: withSetCookie([], ...cookies),\n      retryAfterSeconds: ORIGIN",
    replace: "      headers: [],\n      retryAfterSeconds: ORIGIN",
    by: HARSH,
  },
  {
    name: "of two cookies the place counts, not the stay",
    file: "node/gate/visitor-cookies.ts",
    find: 'return one.kind === "inside" ? one : other;',
    replace: 'return one.kind === "inside" ? other : one;',
    by: HARSH,
  },
];
