/** Bugs planted in `node/cookie/`: cookies, passes, keys and proofs of work. */

import { HARSH, law, type Mutant } from "../mutant.ts";

export const COOKIE_MUTANTS: readonly Mutant[] = [
  // Visitors of connectors.
  {
    name: "a token for a connector is good until its session ends, and the cookie begins then",
    file: "node/cookie/queue-it-token.ts",
    find: "Math.min(nowSeconds + RETURN_SECONDS_MAX, endSeconds - cookieMinutes * 60)",
    replace: "nowSeconds + RETURN_SECONDS_MAX",
    by: law("node/cookie/queue-it-token"),
  },
  // The fast lane.
  {
    name: "lane keys are the same wherever rooms lie",
    file: "node/cookie/lane-keys.ts",
    find: "{pin}`)",
    replace: "{pin.length}`)",
    by: law("node/gate/gate-lane"),
  },
  {
    name: "lane keys are the same for all rooms",
    file: "node/cookie/lane-keys.ts",
    find: "{room} $",
    replace: "{room.length} $",
    by: law("node/gate/gate-lane"),
  },
  // Passes, leaving and receipts against strangers.
  {
    name: "a pass with a letter of two bytes throws",
    file: "node/cookie/pass.ts",
    find: "given.length === wanted.length",
    replace: "one.length === other.length",
    by: law("node/cookie/pass"),
  },
  // Passes.
  {
    name: "a pass counts whatever its signature",
    file: "node/cookie/pass.ts",
    find: " && timingSafeEqual(given, wanted)",
    replace: "",
    by: law("node/cookie/pass"),
  },
  // Proof of work.
  {
    name: "a proof counts for every place of its room",
    file: "node/cookie/proof-of-work.ts",
    find: "JSON.stringify([use, room, id, key, work])",
    replace: "JSON.stringify([use, room, work])",
    by: law("node/cookie/proof-of-work"),
  },
  {
    name: "a proof never expires",
    file: "node/cookie/proof-of-work.ts",
    find: 'then(nowMs <= payload.goodUntil ? "solved" : "expired")',
    replace: 'then("solved")',
    by: law("node/cookie/proof-of-work"),
  },
  // Doors of rooms: passes, lanes, proofs, slots that wait for their visitors, receipts.
  {
    name: "all rooms have one key for the visitor header",
    file: "node/cookie/visitor-keys.ts",
    find: "this.key(scope))",
    replace: 'this.key({ ...scope, room: "" as RoomId }))',
    by: law("node/gate/gate-visitor"),
  },
  // The gate, as visitors of simulated worlds meet it.
  {
    name: "a cookie of another room counts",
    file: "node/cookie/seal.ts",
    find: "return cookie.room === room ?",
    replace: "return cookie.room !== undefined ?",
    by: HARSH,
  },
  // The front of a node, in simulated worlds.
  {
    name: "cookies of yesterday do not open",
    file: "node/cookie/keys.ts",
    find: "> 1) return undefined",
    replace: "> 0) return undefined",
    by: HARSH,
  },
  {
    name: "the tag of a cookie is not checked",
    file: "node/cookie/jwe.ts",
    find: "      decipher.final();\n",
    replace: "",
    by: HARSH,
  },
  {
    name: "a good cookie behind many short ones of its name is not tried",
    file: "node/cookie/cookie-header.ts",
    find: "values.sort((a, b) => b.length - a.length).slice(0, SAME_NAME_MAX)",
    replace: "values.slice(0, SAME_NAME_MAX).sort((a, b) => b.length - a.length)",
    by: law("node/gate/gate-cookies"),
  },
];
