/** The rules of pledges, explored exhaustively over the real code. What may happen is in pledge-model.ts. */

import { describe, test } from "vitest";
import { holds, IS_FULL } from "./bounds.ts";
import { explorePledges } from "./pledge-model.ts";

/** Disks from which voters start again. */
const DISKS = [
  { disk: "sound", isSound: true },
  { disk: "doubted", isSound: false },
];

describe("ceilings of two nodes that are removed at once", () => {
  test("bound what they hold, raised, lowered and used at any time", () => {
    holds("pledges", explorePledges({ admit: IS_FULL ? 2 : 1, end: 1, pledge: 2 }));
  });

  test("the same with gifts that nobody has seen", () => {
    const more = IS_FULL ? { pledge: 2, give: 1 } : { pledge: 1, give: 2 };
    holds("pledges and gifts", explorePledges({ ...more, admit: 2 }));
  });

  test("the same while the limit is changed", () => {
    holds("pledges and limits", explorePledges({ admit: 1, end: 1, pledge: 2, limit: 2 }));
  });

  test.each(DISKS)(
    "the same while a voter or the node itself starts again from a disk that is $disk",
    ({ disk, isSound }) => {
      const pledge = IS_FULL ? 2 : 1;
      const mortal = IS_FULL ? [1, 2] : [0, 1, 2];
      holds(
        `pledges and restarts, the disk is ${disk}`,
        explorePledges({ isSound, admit: 1, pledge, restart: 1, mortal }),
      );
    },
  );

  test("the same over a newer view, in which they may have pledged or not", () => {
    holds("pledges and a view", explorePledges({ admit: 2, pledge: IS_FULL ? 2 : 1, view: 1 }));
  });

  test.each(DISKS)("the same while a voter or a node starts again from a disk that is $disk", ({ disk, isSound }) => {
    const mortal = IS_FULL ? [0, 1, 2, 3] : [1];
    holds(
      `pledges, a view and restarts, the disk is ${disk}`,
      explorePledges({ isSound, admit: 1, pledge: 1, view: 1, restart: 1, mortal }),
    );
  });

  test("the same when one leaves to the other, and a view has dropped it", () => {
    const more = IS_FULL ? { admit: 2, pledge: 2 } : { admit: 1, pledge: 1 };
    holds("pledges and a leave", explorePledges({ ...more, leave: 1, view: 1 }));
  });
});
