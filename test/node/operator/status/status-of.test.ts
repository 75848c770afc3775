import { describe, expect, test, vi } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import { UNITS } from "../../../../mesh/core/ledger/shares.ts";
import { WIRE_VERSION } from "../../../../mesh/core/wire/wire-range.ts";
import type { NodeStatus, RoomStatus } from "../../../../node/operator/status/status.ts";
import { statusOf } from "../../../../node/operator/status/status-of.ts";
import { GateWorld, MINUTE_MS, SHOP, START_MS } from "../../gate/gate-world.ts";
import { lonePeer, MESH, SELF } from "../../peer/lone-peer.ts";

function statusIn(world: GateWorld): NodeStatus {
  const { peer, rooms, nowMs } = world;
  peer.at({ wallMs: nowMs, steadyMs: nowMs });
  return statusOf({
    version: "1.2.3",
    peer,
    meshId: MESH.meshId,
    startedMs: START_MS,
    nowMs,
    warnings: () => ["something"],
    rooms: rooms.all(),
  });
}

function shopIn(world: GateWorld): RoomStatus {
  const room = statusIn(world).rooms.find(({ name }) => name === "shop");
  if (room === undefined) throw new Error("There is no room");
  return room;
}

describe("the status of a node that is the only one of its mesh", () => {
  test("reports the node and its mesh", () => {
    const world = new GateWorld();
    world.nowMs += 90_500;
    const { gossip, rooms, ...node } = statusIn(world);
    expect(node).toMatchObject({
      ...{ version: "1.2.3", node: SELF, names: {}, locality: "here", mesh: MESH.meshId, uptime_seconds: 90 },
      ...{ minute_ms: MINUTE_MS, now_ms: START_MS + 90_500, warnings: ["something"], metrics_read_ms: null },
      view: { number: 1, members: 1, voters: 1 },
      wire: { speaks: WIRE_VERSION, newest: WIRE_VERSION },
      ...{ lease: "held", clock: { offset_ms: null, holds_back: false } },
      cut_off: { browses_ms: 90_000, idle_ms: 155_000 },
      members: [{ node: SELF, state: "alive", self: true, removal_ms: null, lease: "held", lease_seconds_left: null }],
    });
    expect(gossip).toMatchObject({ frames_sent: 0, frames_received: 0, bytes_sent: 0, bytes_received: 0 });
    expect([
      Object.values(gossip?.dropped ?? { any: 1 }).every((count) => count === 0),
      gossip?.peers_punished,
    ]).toEqual([true, 0]);
    expect(rooms).toHaveLength(1);
  });

  test("reports a room: sessions and line, what is free and whose it is", async () => {
    const world = new GateWorld();
    await world.fill();
    await world.joinLine();
    expect(shopIn(world)).toMatchObject({
      ...{ name: "shop", state: "queueing", operator_order: null, event: null, next_event: null, pace: null },
      ...{ inside: 2, inside_here: 2, total_active_users: 2, waiting: 1, waiting_here: 1 },
      ...{ admitted_this_minute: 2, admitted_here_this_minute: 2, new_users_per_minute: 10 },
      // No session has ended yet.
      wait_seconds: null,
      localities: [{ locality: "here", ticket_counter: SELF, nodes: 1, free: 0, waiting: 1, admitted_this_minute: 2 }],
      shares: [{ account: SELF, node: SELF, active_slots: 2, arrivals_slots: 10, state: "own", idle_until_ms: null }],
      idle: { active_slots: 0, arrivals_slots: 0, part: 0, until_ms: null },
      origin: { reachable: true, targets: [{ state: "up", reason: null, part: 1, sessions_here: 2, share_here: 1 }] },
    });
  });

  test("is the same after it was sent as JSON", async () => {
    const world = new GateWorld();
    await world.fill();
    await world.joinLine();
    const status = statusIn(world);
    expect(JSON.parse(JSON.stringify(status))).toStrictEqual(status);
  });

  test("shows what it has given away as gone", () => {
    const world = new GateWorld();
    const { id } = world.room();
    const minute = world.room().admission.minuteAt(world.nowMs);
    world.peer.roomNode.give({ room: id, resource: "active", minute, to: "other" as NodeId, units: UNITS / 2 });
    expect(shopIn(world)).toMatchObject({
      localities: [{ free: 1 }],
      shares: [{ active_slots: 1, arrivals_slots: 10 }],
    });
  });

  test("counts frames that it could not use", () => {
    const world = new GateWorld();
    world.peer.receive("node2" as NodeId, new Uint8Array([1, 2, 3]), { wallMs: world.nowMs, steadyMs: world.nowMs });
    const { gossip } = statusIn(world);
    expect(gossip).toMatchObject({ frames_received: 1, bytes_received: 3 });
    expect(Object.values(gossip?.dropped ?? {}).reduce((sum, count) => sum + count, 0)).toBe(1);
  });
});

describe("a room's state in one word", () => {
  test.each([
    ["free", {}],
    ["suspended", { suspended: true, queue_all: true }],
    ["held", { queue_all: true, queueing_method: "reject" }],
    ["passthrough", { queueing_method: "passthrough" }],
    ["rejecting", { queueing_method: "reject" }],
  ])("%s: %j", (state, change) => {
    const room = shopIn(new GateWorld({ rooms: [{ ...SHOP, ...change }] }));
    expect(room.state).toBe(state);
    // Where no visitor is admitted the wait is unknown; where no visitor has to wait it is zero.
    expect(room.wait_seconds).toBe(["held", "rejecting"].includes(state) ? null : 0);
  });
});

test("a node that may not admit visitors reports no wait", () => {
  const world = new GateWorld({ rooms: [{ ...SHOP, total_active_users: 1 }] });
  vi.spyOn(world.peer.roomNode, "mayAct").mockReturnValue(false);
  expect(shopIn(world)).toMatchObject({ state: "queueing", wait_seconds: null });
});

test("a node that nobody has taken in yet has no view, no lease and no slots, and says so", () => {
  const nowMs = START_MS;
  const peer = lonePeer({ minuteMs: MINUTE_MS, clock: () => nowMs, restored: new Map([["alive", nowMs]]) });
  const status = statusOf({ version: "1", peer, meshId: "m", startedMs: nowMs, nowMs, warnings: () => [], rooms: [] });
  expect(status).toMatchObject({ view: null, lease: "none", members: [], rooms: [], clock: { holds_back: false } });
  expect(JSON.parse(JSON.stringify(status))).toStrictEqual(status);
});

test("the warnings of a status are read once, when somebody reads them", () => {
  const nowMs = START_MS;
  const peer = lonePeer({ minuteMs: MINUTE_MS, clock: () => nowMs, restored: new Map([["alive", nowMs]]) });
  let reads = 0;
  const about = { version: "1", peer, meshId: "m", startedMs: nowMs, nowMs, rooms: [] };
  const status = statusOf({
    ...about,
    warnings: () => {
      reads += 1;
      return ["the disk is full"];
    },
  });
  expect(reads).toBe(0);
  expect(JSON.parse(JSON.stringify(status)).warnings).toEqual(["the disk is full"]);
  expect({ ...status }.warnings).toEqual(["the disk is full"]);
  expect(reads).toBe(1);
});
