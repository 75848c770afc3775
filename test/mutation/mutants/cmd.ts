/** Bugs planted in `cmd/`: commands, the simulator, chaos and rehearsals. */

import { law, type Mutant } from "../mutant.ts";

export const CMD_MUTANTS: readonly Mutant[] = [
  // A rehearsal.
  {
    name: "a rehearsal's next visitor arrives when the one before has left",
    file: "cmd/rehearsal/run.ts",
    find: "    visits.add(visit);",
    replace: "    visits.add(visit);\n    await visit;",
    by: law("cmd/rehearsal/run"),
  },
  {
    name: "a connection of a rehearsal that is gone still counts as open",
    file: "cmd/rehearsal/site-client.ts",
    find: "    this.#site.sockets.gone(this);",
    replace: "",
    by: law("cmd/rehearsal/site-client"),
  },
  {
    name: "a rehearsal takes the call to enter for the site",
    file: "cmd/rehearsal/answer-kind.ts",
    find: 'if (hasScript && state === "turn")',
    replace: 'if (digits !== undefined && state === "turn")',
    by: law("cmd/rehearsal/answer-kind"),
  },
  {
    name: "a rehearsal forgets the requests that have no answer at its end",
    file: "cmd/rehearsal/visitor.ts",
    find: '      tally.unanswered(isPoll ? "poll" : this.#isInside ? "site" : "waiting page", this.#nowMs - dueMs);',
    replace: "",
    by: law("cmd/rehearsal/run"),
  },
  // Cloudflare's API.
  {
    name: "a rotation of keys is not about the state that was read",
    file: "cmd/origin-key.ts",
    find: "visitor_key_generation: generation + 1 }, conditions);",
    replace: "visitor_key_generation: generation + 1 });",
    by: law("cmd/origin-key"),
  },
  // What operators read.
  {
    name: "ops: a secret after its flag stays in ps",
    file: "cmd/hidden-arguments.ts",
    find: "isNext = !isNext && SECRET_FLAGS.includes(word);",
    replace: "isNext = false;",
    by: law("cmd/hidden-arguments"),
  },
  // The judges.
  {
    name: "the slot of a session that was adopted counts as one that no node can know of",
    file: "cmd/sim/idle-apart.ts",
    find: "const ended = Math.min(slots, at.ended);",
    replace: "const ended = Math.min(slots, at.ended + at.adopted);",
    by: law("sim/slot-use"),
  },
  {
    name: "a judge of lost nodes counts the slots of a pot as usable",
    file: "cmd/sim/lost-node.ts",
    find: "room.gauge(peer.roomMs).active;",
    replace:
      'room.gauge(peer.roomMs).active + Math.floor((peer.members.pot(node.now).reduce((sum, { accounts }) => sum + peer.replica.netUnits(accounts, { room: ROOM, resource: "active", minute: room.admission.minuteAt(peer.roomMs) }), 0) * LOST_ROOM) / 2 ** 30);',
    by: law("sim/lost-node"),
  },
  {
    name: "a judge of use takes what nodes hold for what visitors hold",
    file: "cmd/sim/slot-use.ts",
    find: "Math.min(active, judge.inside(minute) + this.#ended(minute))",
    replace:
      'Math.min(active, this.#world.nodes.reduce((sum, { peer }) => sum + (peer?.rooms.get(this.#room.id)?.admission.inside(peer.roomMs) ?? 0) + slotsOf(active, peer?.members.pot(peer.now).reduce((units, { accounts }) => units + peer.replica.netUnits(accounts, { room: this.#room.id, resource: "active", minute }), 0) ?? 0), 0))',
    by: law("sim/slot-use"),
  },
  {
    name: "the judges miss an answer of a visitor whom another gate let pass meanwhile",
    file: "cmd/sim/asking.ts",
    find: "else if (asking.passes) outcome",
    replace: "else if (asking.visitor.passes) outcome",
    by: law("sim/asking"),
  },
  {
    name: "the judge counts a session whose end was stored later than its gate answered",
    file: "cmd/sim/sim-room.ts",
    find: "node.hasStoredEnd(this.id, session)",
    replace: 'node.hasStoredEnd(this.id, session) && node.refuses(this.id, "")',
    by: law("sim/revoked"),
  },
  {
    name: "the judge ends a session before the minute is over in which a gate served it",
    file: "cmd/sim/room-judge.ts",
    find: "Math.max(before, servedIn) as Minute",
    replace: "before",
    by: law("sim/room-judge"),
  },
  {
    name: "the judge of states misses a row that has lost what it had",
    file: "cmd/sim/state-watch.ts",
    find: "if ((now.get(account)?.[at]?.get(to) ?? 0) < value) return",
    replace: "if ((now.get(account)?.[at]?.get(to) ?? value) < value) return",
    by: law("sim/state-watch"),
  },
  {
    name: "the judge of states looks at the slots for sessions alone",
    file: "cmd/sim/state-watch.ts",
    find: "            for (const resource of RESOURCES) {",
    replace: '            for (const resource of RESOURCES.filter((each) => each === "active")) {',
    by: law("sim/state-watch"),
  },
  {
    name: "the judge of states forgets what it saw at the look before",
    file: "cmd/sim/state-watch.ts",
    find: "      this.#known.set(peer, now);\n",
    replace: "",
    by: law("sim/state-watch"),
  },
  {
    name: "the judge of states compares writers by views of others",
    file: "cmd/sim/state-watch.ts",
    find: "!other?.members.isMember() || other.members.view?.number !== peer.members.view?.number) continue;",
    replace: "!other?.members.isMember()) continue;",
    by: law("sim/state-watch"),
  },
  {
    name: "a run of chaos or a demo that stands still counts as well used",
    file: "cmd/crowd/idle.ts",
    find: "Math.max(inside, Math.min(limit, inside + Math.min(waiting, mayCome)))",
    replace: "inside + Math.max(0, Math.min(free, waiting))",
    by: law("cmd/crowd/idle"),
  },
  {
    name: "a busy machine is an excuse for a limit that was exceeded",
    file: "cmd/chaos/verdict.ts",
    find: 'isStarved && !ok && promise !== "never over"',
    replace: "isStarved && !ok",
    by: law("cmd/chaos/verdict"),
  },
  {
    name: "a starved run is judged as any",
    file: "cmd/crowd/starved.ts",
    find: "is_starved: isStarved,",
    replace: "is_starved: false,",
    by: law("cmd/crowd/starved"),
  },
  {
    name: "a row without a key makes a pass that is good for everybody",
    file: "cmd/pass.ts",
    find: 'row.key === "" && row.staff !== "true"',
    replace: 'row.key === undefined && row.staff !== "true"',
    by: law("cmd/pass"),
  },
];
