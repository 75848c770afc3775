/**
 * The rules of shares, explored exhaustively over the real code with three nodes. What may happen is in share-model.ts.
 */

import { describe, test } from "vitest";
import { holds, IS_FULL, RECHECK_EVERY } from "./bounds.ts";
import { exploreShares } from "./share-model.ts";

const recheckEvery = RECHECK_EVERY;
const both = (slots: number) => ({ active: slots, arrivals: slots });

describe("three accounts that give, admit and come to their next minute, each by its own clock", () => {
  test("never own more than there is nor pass a limit, with one killed anywhere", () => {
    // Few arrivals: else sessions are what bounds them.
    const more = IS_FULL
      ? { limits: { active: 4, arrivals: 2 }, admissions: 4, gives: 2, minutes: 2 }
      : { limits: { active: 4, arrivals: 2 }, admissions: 3, gives: 1, minutes: 2 };
    holds(
      "shares with kills",
      exploreShares({
        ...more,
        publishes: 0,
        minutesEach: 2,
        restarts: 1,
        kills: 1,
        recheckEvery,
      }),
    );
  });

  test("never do so by fractions of slots and three gifts either", () => {
    const kills = IS_FULL ? 1 : 0;
    holds(
      "shares in thirds",
      exploreShares({
        limits: both(3),
        admissions: 2,
        gives: 3,
        publishes: 0,
        minutes: 1,
        minutesEach: 1,
        restarts: 1,
        kills,
        recheckEvery,
      }),
    );
  });

  test("know the same once they have heard everything, with copies asked back from peers", () => {
    const more = IS_FULL ? { admissions: 2, minutes: 1 } : { admissions: 0, minutes: 0 };
    holds(
      "rows",
      exploreShares({
        ...more,
        limits: both(2),
        gives: 2,
        publishes: 1,
        minutesEach: 1,
        restarts: 1,
        kills: 1,
        recheckEvery,
      }),
    );
  });
});
