/**
 * The rules of sessions, explored exhaustively over the real code with three nodes. What may happen is in
 * session-model.ts.
 */

import { describe, test } from "vitest";
import { holds, IS_FULL, RECHECK_EVERY } from "./bounds.ts";
import { exploreSessions } from "./session-model.ts";

const recheckEvery = RECHECK_EVERY;

describe("sessions at three nodes, clocks as far apart as they may be", () => {
  test("never outnumber the slots that are held, with homes taken for gone and one node killed", () => {
    holds(
      "sessions with kills",
      exploreSessions({
        slots: 2,
        admissions: 3,
        checkIns: 2,
        moments: 3,
        givesAway: 0,
        suspicions: 1,
        restarts: 1,
        kills: 0,
        recheckEvery,
      }),
    );
  });

  test("never do so while free slots change hands", () => {
    holds(
      "sessions with gifts",
      exploreSessions({
        slots: 2,
        admissions: 3,
        checkIns: 2,
        moments: IS_FULL ? 4 : 3,
        givesAway: 1,
        suspicions: 1,
        restarts: 0,
        kills: 0,
        recheckEvery,
      }),
    );
  });

  test("never do so by a check-in that comes when its cookie is over", () => {
    holds(
      "late check-ins",
      exploreSessions({
        slots: 2,
        admissions: 2,
        checkIns: 1,
        moments: 4,
        givesAway: 0,
        suspicions: 0,
        restarts: 1,
        kills: 0,
        recheckEvery,
      }),
    );
  });
});
