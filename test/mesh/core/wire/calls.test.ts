import { expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import { Calls, type Question } from "../../../../mesh/core/wire/calls.ts";
import { Outbox } from "../../../../mesh/core/wire/outbox.ts";

const [anna, bert] = ["anna", "bert"] as [NodeId, NodeId];

function open() {
  const outbox = new Outbox();
  const calls = new Calls(outbox, 1_000);
  const told: (string | undefined)[] = [];
  const ask = (to: NodeId, forMs = 100) => {
    calls.ask(to, { kind: "ask" }, { nowMs: 0, forMs }, (answer) => told.push(answer?.kind));
    return outbox.take().sent.map(({ message }) => (message as Question).call)[0] ?? 0;
  };
  return { calls, told, ask };
}

test("an answer is told once, to the question whose number it has", () => {
  const { calls, told, ask } = open();
  const [first, second] = [ask(anna), ask(anna)];
  expect([first, second]).toEqual([1_000, 1_001]);
  const answer = { kind: "second", call: second };
  expect([calls.answered(anna, answer, 1), calls.answered(anna, answer, 2)]).toEqual([true, false]);
  expect(told).toEqual(["second"]);
});

test("an answer of another node than the one asked is none", () => {
  const { calls, told, ask } = open();
  const call = ask(anna);
  expect(calls.answered(bert, { kind: "forged", call }, 1)).toBe(false);
  expect(calls.answered(anna, { kind: "good", call }, 1)).toBe(true);
  expect(told).toEqual(["good"]);
});

test("who does not answer in time, or is gone, has not answered; what comes later counts for nothing", () => {
  const { calls, told, ask } = open();
  const late = ask(anna);
  ask(bert, 1_000);
  calls.tick(99);
  expect(told).toEqual([]);
  calls.tick(100);
  calls.lost(bert, 101);
  expect(told).toEqual([undefined, undefined]);
  expect(calls.answered(anna, { kind: "late", call: late }, 102)).toBe(false);
});

test("a callback that throws costs nobody else the answer, or the news that there is none", () => {
  const { calls, told, ask } = open();
  const broken = () => {
    throw new Error("broken");
  };
  calls.ask(anna, { kind: "ask" }, { nowMs: 0, forMs: 100 }, broken);
  ask(anna);
  expect(() => calls.lost(anna, 1)).toThrow("broken");
  calls.ask(bert, { kind: "ask" }, { nowMs: 0, forMs: 100 }, broken);
  ask(bert);
  expect(() => calls.tick(100)).toThrow("broken");
  expect(told).toEqual([undefined, undefined]);
  expect(() => calls.tick(101)).not.toThrow();
});
