import { expect, test } from "vitest";
import { Gates } from "../../../cmd/crowd/gates.ts";

test("requests go to any gate, by chance", () => {
  const draws = [0, 0.34, 0.67, 0.99];
  const gates = new Gates(["a", "b", "c"], () => draws.shift() ?? 0);
  expect([gates.pick(), gates.pick(), gates.pick(), gates.pick()]).toEqual(["a", "b", "c", "c"]);
});

test("a gate that failed is left out, and the last one is kept", () => {
  const gates = new Gates(["a", "b"], () => 0);
  expect(gates.failed("a")).toBe(true);
  expect(gates.pick()).toBe("b");
  // Another visitor's request was under way to the same gate.
  expect(gates.failed("a")).toBe(true);
  expect(gates.failed("b")).toBe(false);
  expect(gates.pick()).toBe("b");
});
