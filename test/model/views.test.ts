/**
 * The rules of votes, explored exhaustively over the real code with three voters. What may happen is in vote-model.ts.
 */

import { describe, test } from "vitest";
import { holds, IS_FULL, RECHECK_EVERY } from "./bounds.ts";
import { exploreVotes } from "./vote-model.ts";

const recheckEvery = RECHECK_EVERY;

describe("views", () => {
  test("are decided once, by any nodes that try at the same time, and however often a voter is killed", () => {
    holds(
      "two propose",
      exploreVotes({ tries: [1, 1, 0], isTold: false, mortal: [IS_FULL ? 0 : 2], restarts: 1, kills: 0, recheckEvery }),
    );
  });

  test("are decided once and sent, while the node that proposes is killed", () => {
    holds(
      "one proposes",
      exploreVotes({ tries: [1, 0, 0], isTold: true, mortal: [0, 1, 2], restarts: 1, kills: 1, recheckEvery }),
    );
  });
});
