/** What comes twice, or at a bad moment, is done once: questions, polls, and the handing over of a line. */

import { expect, test } from "vitest";
import { accountOf } from "../../../../mesh/core/ids.ts";
import type { Message } from "../../../../mesh/core/wire/outbox.ts";
import type { MeshDecision } from "../../../../node/admission/mesh/entrance.ts";
import type { RoomRequest } from "../../../../node/admission/mesh/room-messages.ts";
import { MINUTE_MS, ROOM, RoomsWorld } from "./rooms-world.ts";

function worldOf(totalActiveUsers: number) {
  const world = new RoomsWorld(["sjc", "sjc"], { totalActiveUsers, newUsersPerMinute: 100, refreshIntervalSeconds: 2 });
  world.pass(3_000);
  const counter = world.nodes.findIndex(({ id }) => world.node(0).room.counters()[0] === id);
  return { world, counter, gate: 1 - counter };
}

test.each(["recall", "ask"] as const)("a %s that arrives twice gives slots once, and is answered alike", (kind) => {
  const { world, counter, gate } = worldOf(100);
  const [one, other] = [world.node(counter), world.node(gate)];
  const units = { active: 0, arrivals: 0 };
  const asked = ["one", "two"].map((id) => [id, 0, "first"]);
  const message = {
    recall: { kind, slots: { active: 3, arrivals: 3 }, units, joined: Math.floor(world.nowMs / MINUTE_MS) },
    ask: { kind, asked, free: units, units },
  }[kind];
  const answers: Message[] = [];
  world.loses = (answer) => answers.push(JSON.parse(JSON.stringify(answer))) > 0;
  const given = () => JSON.stringify(one.ledger.row(one.ledger.self));
  const before = given();
  const ask = () => {
    one.room.receive(other.id, { ...message, room: ROOM, call: 77 } as unknown as RoomRequest, world.nowMs);
    return given();
  };
  const after = ask();
  expect(after).not.toBe(before);
  expect(ask()).toBe(after);
  world.arrive(gate);
  expect(answers.slice(0, 2)).toEqual([answers[0], answers[0]]);
  expect(answers[0]).toMatchObject({ call: 77, kind: kind === "ask" ? "told" : "lent" });
});

test("a visitor who was admitted at one gate, and asks at another as well, is known there", () => {
  const { world, counter, gate } = worldOf(1);
  world.arrive(gate);
  world.pass(1_000);
  const told: MeshDecision[] = [];
  const id = world.arrive(gate, (_, decision) => told.push(decision));
  world.pass(1_000);
  const [place] = told.splice(0);
  if (place?.kind !== "waiting") throw new Error("Broken: it waits");
  world.configure({ totalActiveUsers: 2 });
  world.pass(2_500);
  world.poll(gate, id, place.place.key, (decision) => told.push(decision));
  world.pass(1_000);
  const home = accountOf(world.node(gate).id);
  const { lastGood } = told[0] as Extract<MeshDecision, { kind: "admitted" }>;
  // The other gate must not withdraw the session if its own answer cannot be stored.
  world.poll(counter, id, place.place.key, (decision) => told.push(decision));
  world.pass(1_000);
  expect(told).toEqual([
    { kind: "admitted", lastGood, home },
    { kind: "admitted", lastGood, home, isKnown: true },
  ]);
});

test("of two requests that wait for the same visitor's slot, only the first is a new admission", () => {
  const { world, gate } = worldOf(5);
  let most = 0;
  world.mayHold = () => most;
  const told: MeshDecision[] = [];
  const { room } = world.node(gate);
  for (let request = 0; request < 2; request++) {
    world.poll(gate, "anna", 1_000 * world.nowMs, (decision) => told.push(decision));
    world.pass(100);
  }
  expect([told, room.pending]).toEqual([[], 2]);
  for (most = 1; most <= 2; most++) room.workPending(world.nowMs);
  expect(told).toMatchObject([{ kind: "admitted" }, { kind: "admitted", isKnown: true }]);
  expect(told[0]).not.toHaveProperty("isKnown");
  expect(world.inside()).toBe(1);
});

test("of visitors who wait for slots, the first gets the one that a lowered limit leaves", () => {
  const { world, gate } = worldOf(4);
  let most = 1;
  world.mayHold = () => most;
  const told: string[] = [];
  for (let visitor = 0; visitor < 4; visitor++) world.arrive(gate, (_, { kind }) => told.push(`${visitor} ${kind}`));
  world.pass(100);
  const { room } = world.node(gate);
  expect([told, room.pending]).toEqual([["0 admitted"], 3]);
  world.configure({ totalActiveUsers: 2 });
  most = 4;
  room.workPending(world.nowMs);
  expect(told).toContain("1 admitted");
  world.pass(500);
  expect(told.toSorted()).toEqual(["0 admitted", "1 admitted", "2 waiting", "3 waiting"]);
});

test("who has joined at the new ticket counter stands in the line that the one before hands over", () => {
  const { world, counter, gate } = worldOf(1);
  world.arrive(gate);
  world.pass(1_000);
  const { room } = world.node(counter);
  world.arrive(counter);
  expect(room.waitingHere).toBe(1);
  const key = world.nowMs * 1_000 - 5_000_000;
  const line = { horizon: 0, lastKey: key, ranges: [[key, key, 1]] as const };
  room.receive(world.node(gate).id, { kind: "line", room: ROOM, line, isParting: true }, world.nowMs);
  expect(room.waitingHere).toBe(2);
});
