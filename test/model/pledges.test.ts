/** The rules of pledges, explored exhaustively over the real code. What may happen is in pledge-model.ts. */

import { describe, test } from "vitest";
import { holds, IS_FULL, RECHECK_EVERY } from "./bounds.ts";
import { explorePledges, type PledgeBounds } from "./pledge-model.ts";

const recheckEvery = RECHECK_EVERY;
const NOTHING: PledgeBounds = {
  admits: 0,
  ends: 0,
  pledges: 0,
  gives: 0,
  leaves: 0,
  views: 0,
  limits: 0,
  restarts: 0,
  kills: 0,
  mortal: [],
  isSound: true,
  recheckEvery,
};

/** Disks from which voters start again. */
const DISKS = [
  { disk: "sound", isSound: true },
  { disk: "doubted", isSound: false },
];

describe("ceilings of two nodes that are removed at once", () => {
  test("bound what they hold, raised, lowered and used at any time", () => {
    holds("pledges", explorePledges({ ...NOTHING, admits: IS_FULL ? 2 : 1, ends: 1, pledges: 2 }));
  });

  test("the same with gifts that nobody has seen", () => {
    const more = IS_FULL ? { pledges: 2, gives: 1 } : { pledges: 1, gives: 2 };
    holds("pledges and gifts", explorePledges({ ...NOTHING, ...more, admits: 2 }));
  });

  test("the same while the limit is changed", () => {
    holds("pledges and limits", explorePledges({ ...NOTHING, admits: 1, ends: 1, pledges: 2, limits: 2 }));
  });

  test.each(DISKS)(
    "the same while a voter or the node itself starts again from a disk that is $disk",
    ({ disk, isSound }) => {
      const pledges = IS_FULL ? 2 : 1;
      const mortal = IS_FULL ? [1, 2] : [0, 1, 2];
      holds(
        `pledges and restarts, the disk is ${disk}`,
        explorePledges({ ...NOTHING, isSound, admits: 1, pledges, restarts: 1, mortal }),
      );
    },
  );

  test("the same over a newer view, in which they may have pledged or not", () => {
    holds("pledges and a view", explorePledges({ ...NOTHING, admits: 2, pledges: IS_FULL ? 2 : 1, views: 1 }));
  });

  test.each(DISKS)("the same while a voter or a node starts again from a disk that is $disk", ({ disk, isSound }) => {
    const mortal = IS_FULL ? [0, 1, 2, 3] : [1];
    holds(
      `pledges, a view and restarts, the disk is ${disk}`,
      explorePledges({ ...NOTHING, isSound, admits: 1, pledges: 1, views: 1, restarts: 1, mortal }),
    );
  });

  test("the same when one leaves to the other, and a view has dropped it", () => {
    const more = IS_FULL ? { admits: 2, pledges: 2 } : { admits: 1, pledges: 1 };
    holds("pledges and a leave", explorePledges({ ...NOTHING, ...more, leaves: 1, views: 1 }));
  });
});
