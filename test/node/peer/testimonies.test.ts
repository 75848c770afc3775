import { expect, test } from "vitest";
import type { Testimony } from "../../../mesh/core/members/hearing.ts";
import { Testimonies, type TestimoniesParts } from "../../../node/peer/testimonies.ts";

/**
 * What an heir objects to that has a room, and knows since its start which sessions of the pot it has acknowledged or
 * does not.
 */
function problem(knowsPot: boolean): string | undefined {
  const parts = {
    minuteMs: 60_000,
    handed: { all: () => [], hasPot: () => false },
    rooms: new Map([["shop", { admission: { sessions: { knowsPot: () => knowsPot } } }]]),
    members: () => ({ sessions: { mayBeAbout: () => 5 } }),
    now: () => ({ wallMs: 0, steadyMs: 0 }),
    roomMs: () => 0,
  } as unknown as TestimoniesParts;
  return new Testimonies(parts).problemOf({ group: "view 4", tables: [] } as unknown as Testimony);
}

test("an heir that was started again since it inherited hears nobody: it does not know whom it has acknowledged", () => {
  expect(problem(false)).toContain("this node was restarted since");
  expect(problem(true)).toBeUndefined();
});

/** The slots that a removed node says it held, of a table on disk in which sessions rest on slots of a pot. */
function slotsSaid(hasSettled: boolean): unknown {
  const record = { slots: [[7, 2]], pots: [["view 4", [[9, 1]]]], minute: 6, admittedInMinute: 1 };
  const parts = {
    storedIncarnation: 1,
    handed: { all: () => [{ room: "shop", record, revoked: [] }] },
    lost: { holdsAny: false },
    powerLoss: () => ({ isOpen: false }),
    proof: { isSound: true },
    isPot: () => !hasSettled,
  } as unknown as TestimoniesParts;
  return new Testimonies(parts).statement()?.tables;
}

test("a node that was started after its removal reports the sessions of a pot that has settled since its table was written", () => {
  const said = (slots: number[][]) => [
    { room: "shop", record: { slots, minute: 6, admittedInMinute: 0 }, revoked: [] },
  ];
  expect(slotsSaid(false)).toEqual(said([[7, 2]]));
  expect(slotsSaid(true)).toEqual(
    said([
      [7, 2],
      [9, 1],
    ]),
  );
});
