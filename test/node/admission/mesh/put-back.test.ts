/** A visitor who asks at one node and is put back by an operator at another: the place is right in the line of both. */

import { expect, test } from "vitest";
import { keyOutsideLine } from "../../../../node/gate/owed-proof.ts";
import { RoomsWorld } from "./rooms-world.ts";

const NUMBER = "4QK7-X2MD";

interface Standing {
  readonly id: string;
  readonly key: number;
  readonly line: string;
}

test.each([
  ["one locality", ["a", "a"]],
  ["two localities", ["a", "b"]],
])("in a mesh of two nodes in %s, the visitor gets the place of the moment", (_, localities) => {
  const world = new RoomsWorld(localities, { totalActiveUsers: 1, newUsersPerMinute: 1_000 });
  world.pass(3_000);
  world.admitted();
  const line: Standing[] = [];
  for (let visitor = 0; visitor < 4; visitor++) {
    world.arrive(1, (id, decision) => {
      if (decision.kind === "waiting") line.push({ id, key: decision.place.key, line: decision.line });
    });
    world.pass(2_000);
  }
  expect(line).toHaveLength(4);
  const [, second, , last] = line as [Standing, Standing, Standing, Standing];
  const placeMs = Math.floor(second.key / 1_000) - 500;

  const order = { action: "put-back", placeMs } as const;
  const desk = world.node(0).room.helpDesk;
  expect(desk.look(NUMBER, order, world.nowMs)).toMatchObject({ state: "looking", isNew: true });
  world.pass(1_000);

  // What the gate of the other node does at the visitor's next request.
  const { room } = world.node(1);
  expect([room.helpDesk.placeMsFor(NUMBER), room.helpDesk.orders(NUMBER, "put-back")]).toEqual([placeMs, true]);
  world.giveUp(1, last);
  const key = keyOutsideLine(last.id, placeMs);
  world.poll(1, last.id, key, () => {}, 0, last.line);
  world.pass(5_000);
  const positions: number[] = [];
  for (const { id, key: at, line: where } of [line[0] as Standing, { ...last, key }, second, line[2] as Standing]) {
    world.poll(1, id, at, (decision) => positions.push(decision.kind === "waiting" ? decision.position : -1), 0, where);
    world.pass(1_000);
  }
  expect(positions).toEqual([1, 2, 3, 4]);
  room.helpDesk.seen(NUMBER, { state: "waiting", sinceMs: placeMs, position: 2 });
  world.pass(1_000);
  const sight = { state: "waiting", sinceMs: placeMs, position: 2, isDone: true };
  expect(desk.look(NUMBER, order, world.nowMs)).toEqual({ state: "found", sight });
});
