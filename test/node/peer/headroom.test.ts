import { expect, test } from "vitest";
import { Headroom } from "../../../node/peer/headroom.ts";

const LARGE = { limit: 1_000 };

test("a room has a little more than it holds: four slots or a tenth, one where the limit is small", () => {
  const first = (needed: number, limit: number) => new Headroom().next({ needed, pledged: 0, limit }, 0);
  expect([first(0, 1_000), first(100, 1_000), first(0, 100), first(0, 5), first(5, 5)]).toEqual([4, 110, 2, 1, 6]);
});

test("it is raised when half of it is used up, and doubles while raises follow each other", () => {
  const headroom = new Headroom();
  let pledged = headroom.next({ ...LARGE, needed: 0, pledged: 0 }, 0);
  expect(headroom.next({ ...LARGE, needed: 2, pledged }, 100)).toBe(pledged);
  const raises: number[] = [];
  for (let raise = 0; raise < 4; raise++) {
    const needed = pledged;
    pledged = headroom.next({ ...LARGE, needed, pledged }, 200 + raise);
    raises.push(pledged - needed);
  }
  expect(raises).toEqual([8, 16, 32, 96]);
  expect(headroom.next({ ...LARGE, needed: pledged, pledged }, 60_000) - pledged).toBe(16);
});

test("it is lowered only when there has been far too much for some seconds", () => {
  const headroom = new Headroom();
  expect(headroom.next({ ...LARGE, needed: 0, pledged: 8 }, 0)).toBe(8);
  expect(headroom.next({ ...LARGE, needed: 0, pledged: 9 }, 1_000)).toBe(9);
  expect(headroom.next({ ...LARGE, needed: 5, pledged: 9 }, 2_000)).toBe(9);
  expect(headroom.next({ ...LARGE, needed: 0, pledged: 9 }, 3_000)).toBe(9);
  expect(headroom.next({ ...LARGE, needed: 0, pledged: 9 }, 5_900)).toBe(9);
  expect(headroom.next({ ...LARGE, needed: 0, pledged: 9 }, 6_000)).toBe(4);
});

test("after everything was pledged it begins with the usual", () => {
  expect(new Headroom().next({ ...LARGE, needed: 20, pledged: Number.POSITIVE_INFINITY }, 0)).toBe(24);
});
