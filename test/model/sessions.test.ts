/**
 * The rules of sessions, explored exhaustively over the real code with three nodes. What may happen is in
 * session-model.ts.
 */

import { describe, test } from "vitest";
import { holds, IS_FULL } from "./bounds.ts";
import { exploreSessions } from "./session-model.ts";

describe("sessions at three nodes, clocks as far apart as they may be", () => {
  test("never outnumber the slots that are held, with homes taken for gone and one node killed", () => {
    holds("sessions with kills", exploreSessions({ admit: 3, checkIn: 2, moment: 3, suspect: 1, restart: 1 }));
  });

  test("never do so while free slots change hands", () => {
    const moment = IS_FULL ? 4 : 3;
    holds("sessions with gifts", exploreSessions({ admit: 3, checkIn: 2, moment, giveAway: 1, suspect: 1 }));
  });

  test("never do so by a check-in that comes when its cookie is over", () => {
    holds("late check-ins", exploreSessions({ admit: 2, checkIn: 1, moment: 4, restart: 1 }));
  });
});
