/** Bugs planted in `node/cookie/`: cookies, passes, keys and proofs of work. */

import { HARSH, type Mutant } from "../mutant.ts";

export const COOKIE_MUTANTS: readonly Mutant[] = [
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
    name: "the tag of a cookie is not checked",
    file: "node/cookie/seal.ts",
    find: "      decipher.final();\n",
    replace: "",
    by: HARSH,
  },
  {
    name: "cookies of yesterday do not open",
    file: "node/cookie/seal.ts",
    find: "[today, today - 1, today + 1]",
    replace: "[today, today + 1]",
    by: HARSH,
  },
];
