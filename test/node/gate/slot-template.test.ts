import { expect, test } from "vitest";
import { slotTemplate } from "../../../node/gate/slot-template.ts";

test("a template is filled slot by slot, each as often as it stands there", () => {
  expect(slotTemplate("{{a}}-{{b}}-{{a}}.", ["a", "b"])({ a: 1, b: "two" })).toBe("1-two-1.");
});

test("a text without slots stays as it is, and values are not read as slots", () => {
  expect(slotTemplate("plain { } {{ x }}", [])({})).toBe("plain { } {{ x }}");
  expect(slotTemplate("{{a}}", ["a"])({ a: "{{a}}$&" })).toBe("{{a}}$&");
});

test("a slot that nobody fills is an error at once", () => {
  expect(() => slotTemplate("{{typo}}", ["a"])).toThrow("typo has none");
});
