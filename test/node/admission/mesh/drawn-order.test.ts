/**
 * A line whose places are drawn, at three nodes: the same visitors come next at every gate, whichever node keeps the
 * line, and a change of the method while they wait is followed by all.
 */

import { describe, expect, test } from "vitest";
import { RoomsWorld } from "./rooms-world.ts";

const PER_MINUTE = 6;
const VISITORS = 60;

class DrawnLine {
  readonly world = new RoomsWorld(["sjc", "sjc", "sjc"], {
    totalActiveUsers: 100_000,
    newUsersPerMinute: PER_MINUTE,
    queueingMethod: "random",
    queueAll: true,
  });
  /** By id: the queue key. */
  readonly waiting = new Map<string, number>();
  admitted: string[] = [];

  constructor() {
    this.world.pass(3_000);
    for (let count = 0; count < VISITORS; count++) {
      this.world.arrive(count % 3, (id, decision) => {
        if (decision.kind === "waiting") this.waiting.set(id, decision.place.key);
      });
      this.world.pass(50);
    }
  }

  get keeper(): number {
    const [counter] = this.world.nodes.find(({ isRunning }) => isRunning)?.room.counters() ?? [];
    return this.world.nodes.findIndex(({ id }) => id === counter);
  }

  /** The next ones by arrival, or as drawn. */
  next(count: number): string[] {
    const { order } = this.world.node(this.keeper).room;
    const places = [...this.waiting].map(([id, key]) => [id, order.placeOf(key)] as const);
    return places
      .sort(([, one], [, other]) => one - other)
      .slice(0, count)
      .map(([id]) => id);
  }

  /** What a gate answers to all who wait, in their order. */
  positions(gate: number): number[] {
    const positions: number[] = [];
    for (const id of this.next(VISITORS))
      this.world.poll(gate, id, this.waiting.get(id) ?? 0, (decision) => {
        if (decision.kind === "waiting") positions.push(decision.place.position);
      });
    this.world.pass(1_000);
    return positions;
  }

  /** A minute in which all who wait ask at every gate that runs, one after the other, from `first` on. */
  minute(first = 0): string[] {
    const before = this.admitted.length;
    const gates = this.world.nodes.flatMap(({ isRunning }, index) => (isRunning ? [index] : []));
    for (let round = 0; round < 6; round++) {
      for (const [index, [id, key]] of [...this.waiting].entries())
        this.world.poll(gates[(index + first) % gates.length] ?? 0, id, key, (decision) => {
          if (decision.kind !== "admitted" || !this.waiting.delete(id)) return;
          this.admitted.push(id);
        });
      this.world.pass(10_000);
    }
    return this.admitted.slice(before);
  }
}

describe("a line at three nodes whose places are drawn", () => {
  test("lets in the ones drawn first, at whichever gate they ask", () => {
    const line = new DrawnLine();
    const byArrival = [...line.waiting.keys()];
    line.world.configure({ queueAll: false });
    for (let minute = 0; minute < 4; minute++) {
      const next = line.next(PER_MINUTE);
      expect(new Set(line.minute(minute))).toEqual(new Set(next));
    }
    expect(new Set(line.admitted)).not.toEqual(new Set(byArrival.slice(0, line.admitted.length)));
  });

  test("goes on in the same order when the node that keeps it is gone", () => {
    const line = new DrawnLine();
    line.world.pass(2_000);
    line.world.kill(line.keeper);
    line.world.pass(3_000);
    expect(line.positions(line.keeper)).toEqual(Array.from({ length: VISITORS }, (_, index) => index + 1));
  });
});
