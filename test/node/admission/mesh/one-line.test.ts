/** Visitors whose requests meet gates of any locality: each stands in one line, and has one number. */

import { describe, expect, test } from "vitest";
import type { MeshDecision } from "../../../../node/admission/mesh/entrance.ts";
import { RoomsWorld } from "./rooms-world.ts";

interface Standing {
  readonly id: string;
  readonly key: number;
  line: string;
  positions: number[];
  admittedAt: number | undefined;
}

/** What a gate knows when the others have told it who came. */
const NEWS_MS = 3_000;

class Sprayed {
  readonly world: RoomsWorld;
  readonly visitors: Standing[] = [];
  #turn = 0;

  constructor(localities: readonly string[], slots: number) {
    const limits = { totalActiveUsers: slots, newUsersPerMinute: 1_000, refreshIntervalSeconds: 20 };
    this.world = new RoomsWorld(localities, limits);
    this.world.pass(NEWS_MS);
  }

  /** So many come, each to the next gate. */
  come(count: number): void {
    for (let visitor = 0; visitor < count; visitor++) {
      this.world.arrive(this.#gate(), (id, decision) => {
        if (decision.kind !== "waiting") return;
        const { place, line, position } = decision;
        this.visitors.push({ id, key: place.key, line, positions: [position], admittedAt: undefined });
      });
      this.world.pass(50);
    }
    this.world.pass(NEWS_MS);
  }

  /** Each of those who wait asks once, at the next gate. */
  ask(gate: () => number = () => this.#gate()): void {
    for (const visitor of this.visitors) {
      if (visitor.admittedAt !== undefined) continue;
      const index = gate();
      const hear = (decision: MeshDecision): void => {
        if (decision.kind === "admitted") visitor.admittedAt = index;
        if (decision.kind !== "waiting") return;
        visitor.line = decision.line;
        visitor.positions.push(decision.position);
      };
      this.world.poll(index, visitor.id, visitor.key, hear, 0, visitor.line);
      this.world.pass(5);
    }
    this.world.pass(NEWS_MS);
  }

  get numbers(): number[] {
    const waiting = this.visitors.filter(({ admittedAt }) => admittedAt === undefined);
    return waiting.map(({ positions }) => positions.at(-1) ?? 0);
  }

  /** Visitors in all lines, as their ticket counters count them. */
  get inLines(): number {
    return this.world.nodes
      .filter(({ id, room, isRunning }) => isRunning && room.counters()[0] === id)
      .reduce((sum, { room }) => sum + room.admission.waiting, 0);
  }

  #gate(): number {
    do this.#turn += 1;
    while (!this.world.node(this.#turn % this.world.nodes.length).isRunning);
    return this.#turn % this.world.nodes.length;
  }
}

const THREE = ["a", "a", "b", "b", "c"];

describe("a visitor who meets gates of several localities", () => {
  test("stands in one line, has a place among all visitors of the room, each another one, and keeps it", () => {
    const sprayed = new Sprayed(THREE, 10);
    sprayed.come(45);
    for (let round = 0; round < 6; round++) {
      sprayed.ask();
      expect(sprayed.inLines).toBe(35);
      expect(sprayed.numbers).toEqual(Array.from({ length: 35 }, (_, index) => index + 1));
    }
  });

  test("is told no number before the other localities have said who came", () => {
    const sprayed = new Sprayed(THREE, 10);
    sprayed.come(15);
    for (const { positions } of sprayed.visitors) expect(positions).toEqual([0]);
    const alone = new Sprayed(["a", "a"], 10);
    alone.come(15);
    expect(alone.visitors.map(({ positions }) => positions)).toEqual([[1], [2], [3], [4], [5]]);
  });

  test("keeps its key and its turn in another line while its own cannot be reached, and then counts only there", () => {
    const sprayed = new Sprayed(["a", "b"], 10);
    sprayed.come(20);
    sprayed.ask();
    const isCut = { now: true };
    sprayed.world.loses = () => isCut.now;
    // The cut is not known yet: each question waits in vain.
    sprayed.ask(() => 0);
    sprayed.world.pass(5_000);
    expect(new Set(sprayed.visitors.map(({ line }) => line))).toEqual(new Set(["a"]));
    expect(sprayed.world.node(0).room.admission.waiting).toBe(10);
    expect(sprayed.world.node(1).room.admission.waiting).toBe(5);
    isCut.now = false;
    sprayed.world.pass(5_000);
    expect(sprayed.world.node(1).room.admission.waiting).toBe(0);
    expect(sprayed.inLines).toBe(10);
    sprayed.ask();
    expect(sprayed.numbers).toEqual(Array.from({ length: 10 }, (_, index) => index + 1));
    expect(sprayed.inLines).toBe(10);
  });

  test("gives up the place at any gate", () => {
    const sprayed = new Sprayed(THREE, 10);
    sprayed.come(25);
    expect(sprayed.inLines).toBe(15);
    const leaving = sprayed.visitors.slice(0, 10);
    for (const [index, visitor] of leaving.entries()) sprayed.world.giveUp(index % 5, visitor);
    sprayed.world.pass(NEWS_MS);
    expect(sprayed.inLines).toBe(5);
    const abandoned = sprayed.world.nodes.reduce((sum, { room }) => sum + room.admission.lineCounts.abandoned, 0);
    expect(abandoned).toBe(10);
  });

  test("keeps its key where the locality of its line is gone", () => {
    const sprayed = new Sprayed(["a", "b", "b"], 10);
    sprayed.come(22);
    sprayed.ask();
    sprayed.world.kill(0);
    sprayed.ask();
    sprayed.ask();
    expect(new Set(sprayed.visitors.map(({ line }) => line))).toEqual(new Set(["b"]));
    expect(sprayed.numbers).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
  });
});
