import { describe, expect, test } from "vitest";
import { weatherBetween } from "../../../cmd/chaos/network.ts";
import type { Fault, FaultKind } from "../../../cmd/chaos/plan.ts";
import { FAIR } from "../../../cmd/chaos/relay.ts";

const fault = (what: FaultKind, nodes: number[], more: Partial<Fault> = {}): Fault => ({
  ...{ atMs: 0, forMs: 1_000, what, nodes },
  ...more,
});

describe("the weather between two nodes", () => {
  test("is fair without faults, and with those of others or of processes", () => {
    expect(weatherBetween([], 1, 2)).toEqual(FAIR);
    expect(weatherBetween([fault("cut", [3]), fault("kill", [1]), fault("delay", [3])], 1, 2)).toEqual(FAIR);
  });

  test("is a cut between a node that is cut off and one that is not, and fair among those cut off together", () => {
    const cut = [fault("cut", [1, 2])];
    const held = { ...FAIR, holdsForth: true, holdsBack: true };
    expect(weatherBetween(cut, 1, 3)).toEqual(held);
    expect(weatherBetween(cut, 3, 2)).toEqual(held);
    expect(weatherBetween(cut, 1, 2)).toEqual(FAIR);
  });

  test("holds what a mute node says, whichever side dialled", () => {
    const mute = [fault("mute", [1])];
    expect(weatherBetween(mute, 1, 2)).toEqual({ ...FAIR, holdsForth: true });
    expect(weatherBetween(mute, 2, 1)).toEqual({ ...FAIR, holdsBack: true });
  });

  test("adds up delays, and takes the worst loss", () => {
    const all = [
      fault("delay", [1], { byMs: 10 }),
      fault("delay", [2], { byMs: 20 }),
      fault("loss", [1, 2], { part: 0.2 }),
      fault("loss", [2], { part: 0.5 }),
    ];
    expect(weatherBetween(all, 1, 2)).toEqual({ ...FAIR, delayMs: 30, loss: 0.5 });
  });
});
