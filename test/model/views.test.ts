/**
 * The rules of views, explored exhaustively over the real code with three voters. What may happen is in vote-model.ts
 * and removal-model.ts.
 */

import { describe, test } from "vitest";
import { holds, IS_FULL } from "./bounds.ts";
import { exploreRemovals } from "./removal-model.ts";
import { exploreVotes } from "./vote-model.ts";

describe("views", () => {
  test("are decided once, by any nodes that try at the same time, and however often a voter is killed", () => {
    const mortal = [IS_FULL ? 0 : 2];
    holds("two propose", exploreVotes({ tries: [1, 1, 0], isTold: false, mortal, restart: 1 }));
  });

  test("are decided once and sent, while the node that proposes is killed", () => {
    holds("one proposes", exploreVotes({ tries: [1, 0, 0], isTold: true, mortal: [0, 1, 2], restart: 1, kill: 1 }));
  });

  test.each(["A", "C"] as const)(
    "that remove a node wait for its lease, leave no unit to two, and lose none: %s is the root",
    (root) => {
      const more = IS_FULL ? { tick: 5, publish: 1 } : { tick: 4 };
      holds("a removal", exploreRemovals({ ...more, root, give: 1 }));
    },
  );

  test("that remove a node do so while the hinge of it is killed", () => {
    const more = IS_FULL ? { publish: 1, kill: 1 } : {};
    holds("a removal with kills", exploreRemovals({ ...more, root: "A", tick: 1, give: 1, mortal: [1], restart: 1 }));
  });
});
