/**
 * The rules of views, explored exhaustively over the real code with three voters. What may happen is in vote-model.ts
 * and removal-model.ts.
 */

import { describe, test } from "vitest";
import { holds, IS_FULL, RECHECK_EVERY } from "./bounds.ts";
import { exploreRemovals } from "./removal-model.ts";
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

  test.each(["A", "C"] as const)(
    "that remove a node wait for its lease, leave no unit to two, and lose none: %s is the root",
    (root) => {
      const more = IS_FULL ? { ticks: 5, publishes: 1 } : { ticks: 4, publishes: 0 };
      holds(
        "a removal",
        exploreRemovals({
          ...more,
          root,
          pingTicks: 1,
          tries: 1,
          isCut: true,
          gives: 1,
          mortal: [],
          restarts: 0,
          kills: 0,
          recheckEvery,
        }),
      );
    },
  );

  test("that remove a node do so while the hinge of it is killed", () => {
    const more = IS_FULL ? { publishes: 1, kills: 1 } : { publishes: 0, kills: 0 };
    holds(
      "a removal with kills",
      exploreRemovals({
        ...more,
        root: "A",
        ticks: 1,
        pingTicks: 1,
        tries: 1,
        isCut: true,
        gives: 1,
        mortal: [1],
        restarts: 1,
        recheckEvery,
      }),
    );
  });
});
