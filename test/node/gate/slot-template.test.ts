import { expect, test } from "vitest";
import { slotTemplate } from "../../../node/gate/slot-template.ts";

test("a text without slots stays as it is, and values are not read as slots", () => {
  expect(slotTemplate<never>("plain { } {{ x }}")({})).toBe("plain { } {{ x }}");
  expect(slotTemplate<"a">("{{a}}")({ a: "{{a}}$&" })).toBe("{{a}}$&");
});

test("a slot that nobody fills is an error, in plain and in compressed text", () => {
  const template = slotTemplate<"a">("{{typo}}");
  expect(() => template({ a: 1 })).toThrow("typo has none");
  expect(() => template.gzip({ a: 1 })).toThrow("typo has none");
});

test("slots can be filled in two steps, in any order, and values of the first are not read as slots", () => {
  const template = slotTemplate<"a" | "b" | "c">("{{a}}-{{b}}-{{a}}{{c}}.");
  for (const value of ["one", "", "{{b}}", 0]) {
    const whole = template({ a: value, b: "two", c: 3 });
    expect(template.with({ a: value })({ b: "two", c: 3 })).toBe(whole);
    expect(template.with({ b: "two", c: 3 })({ a: value })).toBe(whole);
    expect(template.with({ b: "two" }).with({ a: value })({ c: 3 })).toBe(whole);
  }
});
