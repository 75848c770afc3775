import { expect, test } from "vitest";
import { isSurvived } from "../../../../cmd/uncaught.ts";
import { BrokenInvariant } from "../../../../mesh/core/invariant.ts";
import { faultHandler } from "../../../../node/operator/logs/faults.ts";

test("a broken invariant ends the process, wherever it was caught; any other error costs what was being done", () => {
  const happened: string[] = [];
  const nothing = (): void => undefined;
  const log = { error: (_: unknown, message: string) => void happened.push(message), warn: nothing, info: nothing };
  const fault = faultHandler({ ...log, debug: nothing }, () => happened.push("ended"));
  fault(new TypeError("x is undefined"), "a request failed");
  expect(happened).toEqual(["a request failed"]);
  fault(new BrokenInvariant("Cannot give units"), "a request failed");
  expect(happened.slice(1)).toEqual([expect.stringContaining("a broken invariant"), "ended"]);
});

test.each([
  [Object.assign(new Error("x"), { name: "StreamResetError" }), true],
  [Object.assign(new Error("x"), { code: "ECONNRESET" }), true],
  [new BrokenInvariant("Cannot give units"), false],
  [new TypeError("undefined is not an object"), false],
  [new Error("anything"), false],
  [undefined, false],
  ["text", false],
])("an error that reaches nobody is survived only if it is known: %s", (error, survived) => {
  expect(isSurvived(error)).toBe(survived);
});
