import { expect, test } from "vitest";
import type { Testimony } from "../../../mesh/core/members/hearing.ts";
import { Testimonies, type TestimoniesParts } from "../../../node/peer/testimonies.ts";

/** What an heir objects to that has a room, and knows since its start which sessions of the pot it has acknowledged or does not. */
function problem(knowsPot: boolean): string | undefined {
  const parts = {
    minuteMs: 60_000,
    handed: { all: () => [], hasPot: () => false },
    rooms: new Map([["shop", { admission: { knowsPot: () => knowsPot } }]]),
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
