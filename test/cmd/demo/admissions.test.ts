import { expect, test } from "vitest";
import { Admissions } from "../../../cmd/demo/admissions.ts";

test("admissions of a minute are those of all nodes, the dead ones included", () => {
  const admissions = new Admissions();
  admissions.heard("a", 7, 3);
  admissions.heard("b", 7, 5);
  admissions.heard("b", 7, 4);
  expect(admissions.total).toBe(8);
  admissions.heard("a", 8, 1);
  expect(admissions.total).toBe(1);
});

test("what is reported late, of a minute that is over, does not count", () => {
  const admissions = new Admissions();
  admissions.heard("a", 8, 1);
  admissions.heard("b", 7, 9);
  expect(admissions.total).toBe(1);
});
