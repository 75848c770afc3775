/** Bugs planted in the simulator and its judges. */

import { law, type Mutant } from "../mutant.ts";

export const SIM_MUTANTS: readonly Mutant[] = [
  // The judges.
  {
    name: "a judge of lost nodes counts the slots of a pot as usable",
    file: "test/sim/lost-node.ts",
    find: "room.gauge(peer.roomMs).active;",
    replace:
      'room.gauge(peer.roomMs).active + Math.floor((peer.members.pot(node.now).reduce((sum, { accounts }) => sum + peer.replica.netUnits(accounts, { room: ROOM, resource: "active", minute: room.admission.minuteAt(peer.roomMs) }), 0) * LOST_ROOM) / 2 ** 30);',
    by: law("simulator/lost-node"),
  },
  {
    name: "a judge of use takes what nodes hold for what visitors hold",
    file: "test/sim/slot-use.ts",
    find: "Math.min(active, judge.inside(minute) + this.#ended(minute))",
    replace:
      'Math.min(active, this.#world.nodes.reduce((sum, { peer }) => sum + (peer?.rooms.get(this.#room.id)?.admission.inside(peer.roomMs) ?? 0) + slotsOf(active, peer?.members.pot(peer.now).reduce((units, { accounts }) => units + peer.replica.netUnits(accounts, { room: this.#room.id, resource: "active", minute }), 0) ?? 0), 0))',
    by: law("simulator/slot-use"),
  },
  {
    name: "the judges miss an answer of a visitor whom another gate let pass meanwhile",
    file: "test/sim/asking.ts",
    find: "else if (asking.passes) outcome",
    replace: "else if (asking.visitor.passes) outcome",
    by: law("simulator/asking"),
  },
  {
    name: "the judge counts a session whose end was stored later than its gate answered",
    file: "test/sim/sim-room.ts",
    find: "node.hasStoredEnd(this.id, session)",
    replace: 'node.hasStoredEnd(this.id, session) && node.refuses(this.id, "")',
    by: law("simulator/revoked"),
  },
  {
    name: "the judge ends a session before the minute is over in which a gate served it",
    file: "test/sim/room-judge.ts",
    find: "Math.max(before, servedIn) as Minute",
    replace: "before",
    by: law("simulator/room-judge"),
  },
  {
    name: "the judge of states misses a row that has lost what it had",
    file: "test/sim/state-watch.ts",
    find: "if ((now.get(account)?.[at]?.get(to) ?? 0) < value) return",
    replace: "if ((now.get(account)?.[at]?.get(to) ?? value) < value) return",
    by: law("simulator/state-watch"),
  },
  {
    name: "the judge of states looks at the slots for sessions alone",
    file: "test/sim/state-watch.ts",
    find: "            for (const resource of RESOURCES) {",
    replace: '            for (const resource of RESOURCES.filter((each) => each === "active")) {',
    by: law("simulator/state-watch"),
  },
  {
    name: "the judge of states forgets what it saw at the look before",
    file: "test/sim/state-watch.ts",
    find: "      this.#known.set(peer, { view, given: now });\n",
    replace: "",
    by: law("simulator/state-watch"),
  },
  {
    name: "the judge of states compares writers by views of others",
    file: "test/sim/state-watch.ts",
    find: "!other?.members.isMember() || other.members.view?.number !== peer.members.view?.number) continue;",
    replace: "!other?.members.isMember()) continue;",
    by: law("simulator/state-watch"),
  },
];
