import { expect, test } from "vitest";
import { orderOf } from "../sim/order.ts";

test("the order of arrival is 1, the reverse -1", () => {
  expect(orderOf([1, 2, 3, 4])).toEqual({ visitors: 4, tau: 1, displacement: 0 });
  expect(orderOf([4, 3, 2, 1])).toEqual({ visitors: 4, tau: -1, displacement: 3 });
});

test("one overtaking counts as one pair and one place", () => {
  expect(orderOf([1, 3, 2, 4])).toEqual({ visitors: 4, tau: 1 - 2 / 6, displacement: 1 });
});

test("who came at once is in order; nobody and one are, too", () => {
  expect(orderOf([5, 5, 5]).tau).toBe(1);
  expect(orderOf([]).tau).toBe(1);
  expect(orderOf([7])).toEqual({ visitors: 1, tau: 1, displacement: 0 });
});
