/** Bugs planted in `node/rooms/`: rooms, their changes and their files. */

import { HARSH, law, type Mutant } from "../mutant.ts";

export const ROOMS_MUTANTS: readonly Mutant[] = [
  // Cloudflare's API.
  {
    name: "visitors of a room that cannot be read pass to the origin",
    file: "node/rooms/rooms.ts",
    find: "(this.#live.get(found) ?? UNREADABLE)",
    replace: "this.#live.get(found)",
    by: law("node/gate/gate-rooms"),
  },
  {
    name: "a room that is created again keeps the time of the deleted one",
    file: "node/rooms/live-room.ts",
    find: "    this.#declared = declared;\n    this.#createdMs = createdMs;\n",
    replace: "    this.#declared = declared;\n",
    by: law("node/rooms/rooms"),
  },
  {
    name: "the ids of events and rules are not stored with the room",
    file: "node/rooms/rooms.ts",
    find: "      ...beside,\n",
    replace: "",
    by: law("node/operator/cloudflare/rules"),
  },
  // The fast lane.
  {
    name: "the lane takes a path to a room that is written otherwise",
    file: "node/rooms/lane-table.ts",
    find: "written: PLAIN.test(written) ? written : undefined,",
    replace: "written: PLAIN.test(written) ? read : undefined,",
    by: law("node/rooms/lane-table"),
  },
  {
    name: "the lane forgets rooms of which it takes no path",
    file: "node/rooms/lane-table.ts",
    find: "PLAIN.test(read));",
    replace: "PLAIN.test(written));",
    by: law("node/rooms/lane-table"),
  },
  {
    name: "the pin does not change with the origins of rooms",
    file: "node/rooms/lane-table.ts",
    find: "declared.origin ?? null",
    replace: "typeof declared.origin",
    by: law("node/gate/gate-lane"),
  },
  // Doors of rooms: passes, lanes, proofs, slots that wait for their visitors, receipts.
  {
    name: "an origin makes as many time series as it writes reasons",
    file: "node/rooms/command-counts.ts",
    find: "if (this.#reasons.size >= REASONS_MAX) return OTHER;",
    replace: "",
    by: law("node/gate/gate-commands"),
  },
  // The gate, as visitors of simulated worlds meet it.
  {
    name: "a room of another node is not in force before a restart",
    file: "node/rooms/rooms.ts",
    find: "    this.#load(id, register);\n    this.#table = this.#tableOf();\n    const rooms",
    replace: "    this.#load(id, register);\n    const rooms",
    by: HARSH,
  },
  // The front of a node, in simulated worlds.
  {
    name: "an order about a room does not count where it was given",
    file: "node/rooms/rooms.ts",
    find: "    if (register !== undefined) this.followOrder(id, register);\n",
    replace: "",
    by: HARSH,
  },
  {
    name: "an order about a room is forgotten at a restart",
    file: "node/rooms/rooms.ts",
    find: "      order: this.#orderOf(stored.id),\n",
    replace: "      order: undefined,\n",
    by: HARSH,
  },
  {
    name: "a deleted room forgets its sessions",
    file: "node/rooms/rooms.ts",
    find: "    this.#deleted.set(id, live);\n",
    replace: "",
    by: HARSH,
  },
  // The origin.
  {
    name: "of two rooms that a path may be in the longer one is taken",
    file: "node/rooms/match.ts",
    find: "      if (found !== undefined && found !== value) return CONTESTED;\n",
    replace: "      if (found !== undefined) break;\n",
    by: law("node/gate/path-bypass"),
  },
  {
    name: "a rollout is completed a step early",
    file: "node/rooms/rollouts.ts",
    find: ">= 100",
    replace: ">= 86",
    by: law("node/rooms/rollouts"),
  },
  {
    name: "a rooms file ends a rollout",
    file: "node/rooms/declared-changes.ts",
    find: "...(goesOn && { rollout: live.declared.rollout })",
    replace: "",
    by: law("node/rooms/rollouts"),
  },
  // Rooms.
  {
    name: "a room too large for its register is not refused",
    file: "node/rooms/room-changes.ts",
    find: "documentSizeProblems(roomDocument(room),",
    replace: "documentSizeProblems({},",
    by: law("node/rooms/rooms"),
  },
  {
    name: "every start applies the rooms file",
    file: "node/rooms/declared-rooms.ts",
    find: '    if (verdict === "apply") {',
    replace: "    if (digest !== verdict) {",
    by: law("node/rooms/declared-rooms"),
  },
  {
    name: "a node goes back to its own file when others have applied a newer one",
    file: "node/rooms/applied-files.ts",
    find: "  if (own?.digest === digest) return",
    replace: "  if (own === undefined && files.length < 0) return",
    by: law("node/rooms/applied-files"),
  },
  {
    name: "a changed document lifts an order",
    file: "node/rooms/live-room.ts",
    find: "    const room = this.#compute();\n    this.#bypass",
    replace: "    this.#order = undefined;\n    const room = this.#compute();\n    this.#bypass",
    by: law("node/rooms/rooms"),
  },
  {
    name: "orders are lost with the process",
    file: "node/rooms/rooms.ts",
    find: "      order: this.#orderOf(stored.id),",
    replace: "      order: undefined,",
    by: law("node/rooms/rooms"),
  },
  {
    name: "rooms are stored one by one",
    file: "node/rooms/rooms.ts",
    find: "new Map<RegisterKey, Register>() : this.#place.registers.set(values);",
    replace:
      "new Map<RegisterKey, Register>() : new Map([...values].flatMap((value) => [...this.#place.registers.set(new Map([value]))]));",
    by: law("node/rooms/rooms"),
  },
  // Draws.
  {
    name: "a room of a later release is open where a file has it too",
    file: "node/rooms/rooms.ts",
    find: "      if (this.#expected.has(id)) this.#takeOut(id);\n",
    replace: "",
    by: law("node/rooms/rooms"),
  },
  // Events.
  {
    name: "an event ends a tick too late: the end itself still has its values",
    file: "node/rooms/event-in-force.ts",
    find: "fromMs(each) <= nowMs && nowMs < each.endMs",
    replace: "fromMs(each) <= nowMs && nowMs <= each.endMs",
    by: law("node/rooms/event-in-force"),
  },
  {
    name: "a rooms file that says nothing about events deletes them",
    file: "node/rooms/declared-changes.ts",
    find: "declared.events ?? live.declared.events",
    replace: "declared.events",
    by: law("node/operator/api/events"),
  },
  {
    name: "an event that a room gets later does not begin",
    file: "node/rooms/rooms.ts",
    find: "    this.#events.reset();\n",
    replace: "",
    by: law("node/rooms/live-room"),
  },
  {
    name: "a ramp counts from the start of an event that has ended with lower limits",
    file: "node/rooms/live-room.ts",
    find: "    const room = this.#compute();\n    this.meshRoom.configure(room, this.#at.sinceMs);",
    replace: "    const { sinceMs } = this.#at;\n    this.meshRoom.configure(this.#compute(), sinceMs);",
    by: law("node/rooms/live-room"),
  },
  // The history of rooms.
  {
    name: "history: a minute is counted again in the next one",
    file: "node/rooms/minute-keeper.ts",
    find: "this.#open.set(live, opened(sums));",
    replace: "this.#open.set(live, opened(open.sums));",
    by: law("node/operator/analytics-api"),
  },
  {
    name: "a query with a second question mark is part of the path",
    file: "node/rooms/match.ts",
    find: 'target.indexOf("?")',
    replace: 'target.lastIndexOf("?")',
    by: law("node/rooms/match"),
  },
];
