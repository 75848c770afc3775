/** Bugs planted in `node/`: the rest of a node: configuration, history, origins, rules and its life. */

import { law, type Mutant } from "../mutant.ts";

export const NODE_MUTANTS: readonly Mutant[] = [
  // Cloudflare's API.
  {
    name: "a minute over its limit is not seen beside a minute with a higher limit",
    file: "node/history/points.ts",
    find: "if (limit > 0 && Math.round(inside) > limit) {",
    replace: "if (limit > 0 && Math.round(inside) > Math.max(limit, this.limit ?? 0)) {",
    by: law("node/history/points"),
  },
  // Visitors of connectors.
  {
    name: "a room for connectors has an origin that is down: nobody comes in",
    file: "node/origin/room-origin.ts",
    find: "if (this.#isNeedless || this.#base",
    replace: "if (this.#base",
    by: law("node/gate/gate-queue-it"),
  },
  // What operators read.
  {
    name: "ops: a problem shows the password of a URL",
    file: "node/config/problem.ts",
    find: 'const SECRETS = /(?<=:\\/\\/)[^\\s/?#"]*@|',
    replace: "const SECRETS = /",
    by: law("node/config/problem"),
  },
  // Time.
  {
    name: "a start leaves out ended sessions by the host's clock",
    file: "node/shell.ts",
    find: "stored.restored(id, peer.roomMs)",
    replace: "stored.restored(id, this.now.wallMs)",
    by: law("sim/revoked"),
  },
  {
    name: "what is decided is stamped by the host's clock",
    file: "node/shell.ts",
    find: "return this.peer.stampMs;",
    replace: "return this.now.wallMs;",
    by: law("sim/orders"),
  },
  // The disk.
  {
    name: "an order is answered before it is forced to the disk",
    file: "node/shell.ts",
    find: "disk.commit({ writes, isVote: true })",
    replace: "disk.commit({ writes, isVote: false })",
    by: law("sim/orders"),
  },
  {
    name: "a rooms file that a full disk did not take is never applied",
    file: "node/shell.ts",
    find: "this.#isDecided = unlessRefused(() => this.#decideLate());",
    replace: "{ this.#isDecided = true; this.#decideLate(); }",
    by: law("node/shell"),
  },
  {
    name: "what an ordered stop gives away stays behind",
    file: "node/shell.ts",
    find: "    for (const room of this.peer.rooms.values()) room.giveAway(this.peer.roomMs);\n    this.#minutes?.end();\n    this.#puts.put(ALIVE.at(), this.now.wallMs);\n    this.commit.flush();\n",
    replace:
      "    this.#puts.put(ALIVE.at(), this.now.wallMs);\n    this.commit.flush();\n    for (const room of this.peer.rooms.values()) room.giveAway(this.peer.roomMs);\n    this.#minutes?.end();\n",
    by: law("node/shell"),
  },
  {
    name: "a rule that is unsure is skipped",
    file: "node/rules/rules.ts",
    find: 'if (truth === "unsure") return "queue";',
    replace: 'if (truth === "unsure") continue;',
    by: law("node/rules/rules"),
  },
  {
    name: "a rule reads a path that servers read in different ways",
    file: "node/rules/facts.ts",
    find: "  if (AMBIGUOUS.test(path)) return undefined;\n",
    replace: "",
    by: law("node/rules/expression"),
  },
  {
    name: "what is unsure and denied is true",
    file: "node/rules/expression.ts",
    find: 'return truth === "unsure" ? truth : !truth;',
    replace: "return truth !== true;",
    by: law("node/rules/expression"),
  },
  // The origin.
  {
    name: "a session follows a rollout while it is inside",
    file: "node/origin/room-origin.ts",
    find: "    if (own?.health.isUp === true) return own;\n",
    replace: "    if (own?.health.isUp === true) return this.choose(key, nowMs);\n",
    by: law("node/gate/gate-targets"),
  },
  {
    name: "sessions are not sent away from a target that is down",
    file: "node/origin/room-origin.ts",
    find: "    if (own?.health.isUp === true) return own;\n",
    replace: "    if (own !== undefined) return own;\n",
    by: law("node/gate/gate-targets"),
  },
  {
    name: "a session without a target in its cookie goes by the rollout",
    file: "node/origin/room-origin.ts",
    find: "    const other = this.#ofBase(key, nowMs);\n",
    replace: "    const other = own === undefined ? this.choose(key, nowMs) : this.#ofBase(key, nowMs);\n",
    by: law("node/origin/room-origin"),
  },
  {
    name: "weights count for nothing",
    file: "node/origin/room-origin.ts",
    find: " / (target.weight || 1);",
    replace: ";",
    by: law("node/origin/room-origin"),
  },
  {
    name: "a retry needs no budget",
    file: "node/origin/retry-budget.ts",
    find: "    if (!isInPart && this.#inSecond >= FLOOR_PER_SECOND) return false;\n",
    replace: "",
    by: law("node/gate/gate-targets"),
  },
  {
    name: "each unknown field of a document is told",
    file: "node/config/unknown-keys.ts",
    find: "keys.slice(0, NAMED_MAX)",
    replace: "keys",
    by: law("node/config/room-document"),
  },
  {
    name: "a rollout judges by what was before it",
    file: "node/origin/room-origin.ts",
    find: "    for (const target of this.all) target.forget();\n",
    replace: "",
    by: law("node/origin/room-origin"),
  },
  // Rooms.
  {
    name: "a stored document is taken for JSON",
    file: "node/config/room-document.ts",
    find: "    return parseRoom(withoutUnknown(JSON.parse(text)), path);\n  } catch (error) {",
    replace: "    return parseRoom(withoutUnknown(JSON.parse(text)), path);\n  } catch (error) {\n    throw error;",
    by: law("node/rooms/rooms"),
  },
  // What lies on the disk.
  {
    name: "an entry of a newer release counts as damage",
    file: "node/stored-entries.ts",
    find: '      unknown.add(key.split("/")[0] ?? key);\n      continue;',
    replace: "      return { damage: key, unknown: [] };",
    by: law("node/stored-entries"),
  },
  {
    name: "a disk of another wire version is used",
    file: "node/stored-entries.ts",
    find: "if (wire === undefined || isWithin(wire, understands)) return undefined;",
    replace: "if (wire === undefined || wire > 0) return undefined;",
    by: law("node/stored-entries"),
  },
  // Draws.
  {
    name: "a start that fails leaves ports open",
    file: "node/serving.ts",
    find: "    for (const close of opened) close();\n",
    replace: "",
    by: law("node/failed-start"),
  },
  {
    name: "a start that fails leaves the history open",
    file: "node/node.ts",
    find: "  ground.files.push(history);\n",
    replace: "",
    by: law("node/failed-start"),
  },
  // The history of rooms.
  {
    name: "history: two runs of a node in one minute are two nodes",
    file: "node/history/points.ts",
    find: 'of.samples += countIn(row, "samples");',
    replace: 'of.samples = countIn(row, "samples");',
    by: law("node/history/points"),
  },
  {
    name: "history: a crash leaves no gap",
    file: "node/history/coverage.ts",
    find: 'if (end === "crashed") return',
    replace: 'if (end === "crashed") return []; if (end !== end) return',
    by: law("node/history/coverage"),
  },
  {
    name: "the parts of a rule side by side count as if they lay within each other",
    file: "node/rules/syntax.ts",
    find: "    if (ENDS_OF_A_PART.has(tokenType)) depth = inside.at(-1) ?? 0;",
    replace: "    if (tokenType === tokens.CloseParen) depth = inside.at(-1) ?? 0;",
    by: law("node/rules/expression"),
  },
  {
    name: "a regular expression of a rule may have any number of steps",
    file: "node/rules/expression.ts",
    find: "  if (steps <= PATTERN_STEPS_MAX) return search;",
    replace: "  if (steps > 0) return search;",
    by: law("node/rules/expression"),
  },
];
