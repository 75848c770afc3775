import { expect, test } from "vitest";
import { Lines } from "../../../cmd/chaos/lines.ts";

const place = { visitor: "one", position: 5, locality: "sjc", key: 100 };

test("a position further back than the one before went back, whichever locality's gate showed it", () => {
  const lines = new Lines();
  for (const position of [5, 4, 4]) lines.shown({ ...place, position });
  expect(lines.wentBack).toEqual({ times: 0, furthest: 0 });
  lines.shown({ ...place, locality: "lon", position: 7 });
  lines.shown({ ...place, position: 5 });
  lines.shown({ ...place, position: 6 });
  expect(lines.wentBack).toEqual({ times: 2, furthest: 3 });
});

test("who is given a later place has lost it; an earlier one is none lost", () => {
  const lines = new Lines();
  lines.shown(place);
  lines.shown({ ...place, key: 90 });
  expect(lines.lost).toBe(0);
  lines.shown({ ...place, key: 91 });
  expect(lines.lost).toBe(1);
});

test("who has left and comes again is a new one", () => {
  const lines = new Lines();
  lines.shown(place);
  lines.shown({ ...place, visitor: "two" });
  lines.left("one");
  expect([lines.waiting, lines.longest, lines.joined]).toEqual([1, 2, 2]);
  lines.shown({ ...place, key: 200, position: 9 });
  expect([lines.lost, lines.wentBack.times, lines.joined]).toEqual([0, 0, 3]);
});
