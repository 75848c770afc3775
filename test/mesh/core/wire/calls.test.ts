import { expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import { Calls } from "../../../../mesh/core/wire/calls.ts";
import { Outbox } from "../../../../mesh/core/wire/outbox.ts";

type Said =
  | { readonly kind: "ask"; readonly call: number; readonly place?: string }
  | { readonly kind: "told"; readonly call: number; readonly text: string };

const [anna, bert] = ["anna", "bert"] as [NodeId, NodeId];

function open() {
  const outbox = new Outbox<Said>();
  const calls = new Calls(outbox, { ask: "told" } as const, 1_000);
  const told: (string | undefined)[] = [];
  const ask = (to: NodeId, forMs = 100) => {
    calls.ask(to, { kind: "ask" }, { nowMs: 0, forMs }, (answer) => told.push(answer?.text));
    return outbox.take().sent.map(({ message }) => message.call)[0] ?? 0;
  };
  return { calls, told, ask };
}

test("an answer reaches its question once, by its number", () => {
  const { calls, told, ask } = open();
  const [first, second] = [ask(anna), ask(anna)];
  expect([first, second]).toEqual([1_000, 1_001]);
  const answer = { kind: "told", text: "second", call: second };
  expect([calls.answered(anna, answer, 1), calls.answered(anna, answer, 2)]).toEqual([true, false]);
  expect(told).toEqual(["second"]);
});

test("an answer of another node than the one asked is none", () => {
  const { calls, told, ask } = open();
  const call = ask(anna);
  const answer = (text: string) => ({ kind: "told", text, call });
  expect(calls.answered(bert, answer("forged"), 1)).toBe(false);
  expect(calls.answered(anna, answer("good"), 1)).toBe(true);
  expect(told).toEqual(["good"]);
});

test("an answer of another kind is none, and the right one may still come", () => {
  const { calls, told, ask } = open();
  const call = ask(anna);
  expect(calls.answered(anna, { kind: "ask", call }, 1)).toBe(false);
  const answer = { kind: "told", text: "right", call };
  expect(calls.answered(anna, answer, 2)).toBe(true);
  expect(told).toEqual(["right"]);
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
  expect(calls.answered(anna, { kind: "told", call: late }, 102)).toBe(false);
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
