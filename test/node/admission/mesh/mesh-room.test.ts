import { describe, expect, test } from "vitest";
import { accountOf, type Minute, type NodeId } from "../../../../mesh/core/ids.ts";
import type { MeshDecision } from "../../../../node/admission/mesh/entrance.ts";
import { MINUTE_MS, RoomsWorld } from "./rooms-world.ts";

const THREE = ["sjc", "sjc", "lon"];
const EIGHT = ["sjc", "sjc", "sjc", "lon", "lon", "del", "del", "del"];

/** New visitors at `at`, and what was decided within `ms`. */
function arrivals(world: RoomsWorld, at: readonly number[], ms = 1_500) {
  const decided: { id: string; at: number; decision: MeshDecision }[] = [];
  for (const index of at) world.arrive(index, (id, decision) => decided.push({ id, at: index, decision }));
  world.pass(ms);
  const kinds = decided.map(({ decision }) => decision.kind);
  return { decided, admitted: kinds.filter((kind) => kind === "admitted").length, kinds };
}

describe("a room over nodes", () => {
  test("most new visitors far below the limit cost no message", () => {
    const world = new RoomsWorld(THREE, { totalActiveUsers: 3_000, newUsersPerMinute: 3_000 });
    world.pass(6_000);
    const before = world.messages;
    const { admitted } = arrivals(
      world,
      Array.from({ length: 300 }, (_, index) => index % 3),
      0,
    );
    expect(admitted).toBeGreaterThan(190);
    expect(world.messages - before).toBeLessThan(20);
  });

  for (const limit of [1, 5, 10]) {
    test(`every slot of a limit of ${limit} can be used over 8 nodes, wherever visitors come`, () => {
      for (let first = 0; first < 8; first++) {
        const world = new RoomsWorld(EIGHT, { totalActiveUsers: limit, newUsersPerMinute: limit });
        world.pass(5_000);
        const { admitted } = arrivals(
          world,
          Array.from({ length: limit }, (_, index) => (first + index * 3) % 8),
        );
        expect(`${first}: ${admitted}`).toBe(`${first}: ${limit}`);
        expect(arrivals(world, [0, 3, 5]).admitted).toBe(0);
        expect(world.inside()).toBe(limit);
      }
    });
  }

  for (const localities of [["sjc", "sjc", "sjc"], THREE, EIGHT, ["a", "b", "c", "d", "e"]])
    for (const limit of [7, 1_000, 10_000_000])
      test(`a limit of ${limit} over ${localities.length} nodes in ${new Set(localities).size} localities comes to rest`, () => {
        const world = new RoomsWorld(localities, { totalActiveUsers: limit, newUsersPerMinute: limit });
        world.pass(20_000);
        const gifts: string[] = [];
        world.loses = ({ kind }, to) => {
          if (kind === "gift") gifts.push(to);
          return false;
        };
        world.pass(20_000);
        expect(gifts).toEqual([]);
      });

  test("when the ticket counter is gone, the line continues at its stand-in, in the same order", () => {
    const world = new RoomsWorld(["sjc", "sjc", "sjc"], {
      totalActiveUsers: 12,
      newUsersPerMinute: 100,
      sessionDuration: 1,
      refreshIntervalSeconds: 2,
    });
    world.pass(4_000);
    const counter = world.nodes.findIndex(({ id }) => world.node(0).room.counters()[0] === id);
    const others = [0, 1, 2].filter((index) => index !== counter);
    while (arrivals(world, [others[0] ?? 0], 100).admitted === 1);
    const waiting: { id: string; key: number }[] = [];
    for (let index = 0; index < 9; index++)
      for (const { id, decision } of arrivals(world, [others[index % 2] ?? 0], 50).decided)
        if (decision.kind === "waiting") waiting.push({ id, key: decision.place.key });
    expect(waiting).toHaveLength(9);
    world.pass(1_500);
    world.kill(counter);
    world.pass(600);
    const positions = waiting.map(({ id, key }, index) => {
      let position = 0;
      world.poll(others[index % 2] ?? 0, id, key, (decision) => {
        if (decision.kind === "waiting") position = decision.place.position;
      });
      world.pass(50);
      return position;
    });
    expect(positions).toEqual(positions.toSorted((one, other) => one - other));
    const next = arrivals(world, [others[1] ?? 0], 500).decided[0];
    expect(next?.decision.kind).toBe("waiting");
  });

  test("a stand-in that was asked once leaves line and slots to the ticket counter again", () => {
    const world = new RoomsWorld(["sjc", "sjc", "sjc"], { totalActiveUsers: 100, newUsersPerMinute: 20 });
    world.pass(3_000);
    const [counter = 0, standIn = 0, gate = 0] = world
      .node(0)
      .room.counters()
      .map((id) => world.nodes.findIndex((node) => node.id === id));
    const visitors = Array.from({ length: 50 }, (_, index) => index % 3);
    const { decided } = arrivals(world, visitors);
    const waiting = decided.flatMap(({ id, at, decision }) =>
      decision.kind === "waiting" ? [{ id, at, key: decision.place.key }] : [],
    );
    expect(waiting).toHaveLength(30);
    world.loses = ({ kind }, to) => kind === "told" && to === world.node(gate).id;
    arrivals(world, [gate], 1_600);
    expect(world.node(standIn).room.admission.waiting).toBeGreaterThan(30);
    world.loses = () => false;
    world.pass(1_000);
    expect(world.node(standIn).room.admission.waiting).toBe(0);
    world.pass(MINUTE_MS - (world.nowMs % MINUTE_MS) + 2_000);
    const { messages } = world;
    const letIn = new Set<string>();
    for (const { id, at, key } of [...waiting, ...waiting]) {
      if (letIn.has(id)) continue;
      world.poll(at, id, key, ({ kind }) => {
        if (kind === "admitted") letIn.add(id);
      });
      world.pass(100);
    }
    expect(letIn.size).toBe(20);
    expect(world.node(counter).room.admission.waiting).toBeGreaterThan(0);
    expect(world.messages - messages).toBeLessThan(120);
  });

  test("a session whose home is gone is adopted once, when half of its stay is over, on the stand-in's slot", () => {
    const world = new RoomsWorld(["sjc", "sjc", "sjc", "sjc"], { totalActiveUsers: 40, newUsersPerMinute: 40 });
    world.pass(5_000);
    const [first] = arrivals(world, [1]).decided;
    if (first?.decision.kind !== "admitted") throw new Error("not admitted");
    const { home, lastGood } = first.decision;
    world.kill(1);
    const stay = { id: first.id, home, lastGood };
    const stays: string[] = [];
    const ask = () => {
      for (const gate of [0, 2, 3])
        world.checkIn(gate, stay, (told) =>
          stays.push(told.kind === "acknowledged" ? `${told.home} ${told.lastGood - lastGood}` : told.kind),
        );
      world.pass(500);
      return stays.splice(0);
    };
    world.pass(MINUTE_MS);
    expect(ask()).toEqual(["unchanged", "unchanged", "unchanged"]);
    world.pass(MINUTE_MS);
    const adopted = ask();
    expect(new Set(adopted).size).toBe(1);
    expect(adopted[0]).toMatch(/^node-[023] 2$/);
    expect(
      world.nodes
        .filter(({ isRunning }) => isRunning)
        .reduce((sum, { room }) => sum + room.admission.inside(world.nowMs), 0),
    ).toBe(1);
  });

  test("a session whose home is gone has the next free slot, before a visitor in line who asks all the time", () => {
    const world = new RoomsWorld(["sjc"], { totalActiveUsers: 1, newUsersPerMinute: 10, sessionDuration: 1 });
    world.pass(5_000);
    expect(arrivals(world, [0]).kinds).toEqual(["admitted"]);
    const [inLine] = arrivals(world, [0]).decided;
    if (inLine?.decision.kind !== "waiting") throw new Error("not waiting");
    const { key } = inLine.decision.place;
    world.pass(MINUTE_MS);
    const minute = Math.floor(world.nowMs / MINUTE_MS);
    const stay = { id: "stranger", home: accountOf("gone" as NodeId), lastGood: (minute + 1) as Minute };
    const stays: string[] = [];
    world.checkIn(0, stay, ({ kind }) => stays.push(kind));
    const kinds = new Set<string>();
    while (world.nowMs < (minute + 1) * MINUTE_MS + 20_000) {
      world.pass(200);
      world.poll(0, inLine.id, key, ({ kind }) => kinds.add(kind));
    }
    world.checkIn(0, stay, ({ kind }) => stays.push(kind));
    expect([stays, [...kinds], world.inside()]).toEqual([["unchanged", "acknowledged"], ["waiting"], 1]);
  });

  test("a session whose home was silent for a while takes no second slot", () => {
    const world = new RoomsWorld(["sjc", "sjc"], { totalActiveUsers: 1, newUsersPerMinute: 10, sessionDuration: 2 });
    world.pass(5_000);
    expect(arrivals(world, [0]).kinds).toEqual(["admitted"]);
    const [inLine] = arrivals(world, [0]).decided;
    if (inLine?.decision.kind !== "waiting") throw new Error("not waiting");
    const { key } = inLine.decision.place;
    const minute = Math.floor(world.nowMs / MINUTE_MS) + 3;
    world.pass(2 * MINUTE_MS);
    const stay = { id: "stranger", home: accountOf("node-1" as NodeId), lastGood: minute as Minute };
    world.node(1).isRunning = false;
    world.seeAlive();
    world.checkIn(0, stay);
    expect([...world.node(0).room.admission.sessions.adoptions.asked.keys()]).toEqual(["stranger"]);
    world.pass(1_000);
    world.node(1).isRunning = true;
    world.seeAlive();
    const kinds: string[] = [];
    while (world.nowMs < minute * MINUTE_MS + 10_000) {
      world.pass(1_000);
      world.poll(0, inLine.id, key, ({ kind }) => kinds.push(kind));
    }
    expect(kinds.at(-1)).toBe("admitted");
  });

  test("nobody is admitted, adopted or given anything by a node that may not act", () => {
    const world = new RoomsWorld(THREE, { totalActiveUsers: 30, newUsersPerMinute: 30 });
    world.pass(5_000);
    for (const node of world.nodes) node.mayAct = false;
    world.pass(2_000);
    expect(arrivals(world, [0, 1, 2]).admitted).toBe(0);
    const stays: unknown[] = [];
    const lastGood = (29_000_000 + 1) as Minute;
    world.checkIn(0, { id: "x", home: accountOf("node-9" as NodeId), lastGood }, (stay) => stays.push(stay.kind));
    world.pass(2_000);
    expect(stays).toEqual(["unchanged"]);
  });
});

test("no wait is known at a node that may not act", () => {
  const world = new RoomsWorld(["sjc"], { totalActiveUsers: 1_000, newUsersPerMinute: 10 });
  const { admission } = world.node(0).room;
  world.pass(5_000);
  expect(admission.waitAt(1, world.nowMs)?.isKnown).toBe(true);
  world.node(0).mayAct = false;
  world.pass(5_000);
  expect(admission.waitAt(1, world.nowMs)?.isKnown).toBe(false);
});

test.each([
  [0, 300],
  [2, 300],
  [2, -300],
  [2, 700],
])(
  "a line whose ticket counter changes twice within two seconds, as each node finds out at another moment is kept; the eldest is node %i, the others find out %i ms apart",
  (eldest, apartMs) => {
    const world = new RoomsWorld(["sjc", "sjc", "sjc"], { totalActiveUsers: 1, newUsersPerMinute: 1 });
    const grownMs = (of: NodeId, at: NodeId): number =>
      of === `node-${eldest}`
        ? 0
        : world.nowMs + 15_000 + Number(of.slice(-1)) * 1_500 + Number(at.slice(-1)) * apartMs;
    const grown = new Map(
      world.nodes.flatMap(({ id: at }) => world.nodes.map(({ id: of }) => [`${at} ${of}`, grownMs(of, at)] as const)),
    );
    world.isYoung = (at, of) => world.nowMs < (grown.get(`${at} ${of}`) ?? 0);
    world.pass(3_000);
    const pollOn = (at: number, id: string, decision: MeshDecision): void => {
      if (decision.kind !== "waiting") return;
      const { key } = decision.place;
      world.time.after(8_000, () => world.poll((at + 1) % 3, id, key, (next) => pollOn((at + 1) % 3, id, next)));
    };
    for (let tenth = 1; tenth <= 250; tenth++) {
      world.arrive(tenth % 3, (id, decision) => pollOn(tenth % 3, id, decision));
      world.pass(100);
      const most = Math.max(...world.nodes.map(({ room }) => room.waitingHere));
      expect(most, `after ${tenth / 10} s`).toBeGreaterThanOrEqual(tenth - 25);
    }
    const counter = world.nodes.find(({ id }) => id === world.node(0).room.counters()[0]);
    expect(counter?.room.admission.waiting).toBeGreaterThanOrEqual(245);
    expect(counter?.room.admission.waiting).toBeLessThanOrEqual(250);
  },
);
