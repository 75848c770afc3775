import { expect, test } from "vitest";
import { Refusals } from "../../mesh/refusals.ts";

test("the same reason from the same address is reported once a minute, others at once", () => {
  const { refusals, told, pass } = open();
  for (const [address, reason] of [
    ["10.0.0.1", "a"],
    ["10.0.0.1", "a"],
    ["10.0.0.1", "b"],
    ["10.0.0.2", "a"],
  ] as const)
    refusals.tell(address, reason);
  expect(told).toEqual(["10.0.0.1 a", "10.0.0.1 b", "10.0.0.2 a"]);
  pass(59_000);
  refusals.tell("10.0.0.1", "a");
  expect(told).toHaveLength(3);
  pass(1_000);
  refusals.tell("10.0.0.1", "a");
  expect(told).toHaveLength(4);
});

test("at most a hundred lines a minute are logged", () => {
  const { refusals, told, pass } = open();
  for (let minute = 0; minute < 3; minute++) {
    for (let at = 0; at < 1_000; at++) refusals.tell(`10.0.${at >> 8}.${at & 255}`, "x");
    pass(60_000);
  }
  expect(told).toHaveLength(300);
});

function open() {
  let nowMs = 0;
  const told: string[] = [];
  const refusals = new Refusals(
    () => nowMs,
    (address, reason) => told.push(`${address} ${reason}`),
  );
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { refusals, told, pass };
}
