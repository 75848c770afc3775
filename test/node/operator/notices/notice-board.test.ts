import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import type { Notice } from "../../../../node/operator/notices/notice.ts";
import { MINUTE_MS, NoticeMesh, typesOf } from "./notice-mesh.ts";

/** A mesh whose nodes know each other and one room. */
function settled(nodes: number): NoticeMesh {
  const mesh = new NoticeMesh(nodes);
  mesh.room("shop", "{}");
  mesh.spread();
  mesh.pass(30);
  for (const { told } of mesh.nodes) told.length = 0;
  return mesh;
}

describe("a change", () => {
  test.each([
    ["a line", { waiting: 3 }, {}, ["room.queueing_started", "room.queueing_ended"]],
    ["hold", { order: "hold" }, {}, ["room.held", "room.resumed"]],
    ["open", { order: "open" }, {}, ["room.opened", "room.resumed"]],
    ["sold out", { state: "rejecting" }, {}, ["room.sold_out_started", "room.sold_out_ended"]],
    ["an idle share", { idle: 4 }, {}, ["room.share_idle_started", "room.share_idle_ended"]],
    ["a paced limit", { pace: true }, {}, ["room.limit_paced_started", "room.limit_paced_ended"]],
    ["an origin", { down: ["http://a"] }, { targets: ["http://a"] }, ["origin.down", "origin.up"]],
    ["an origin that is no longer used", { down: ["http://a"] }, {}, ["origin.down", "origin.up"]],
    ["an event", { event: { name: "sale", phase: "active" } }, {}, ["event.started", "event.ended"]],
    ["a pre-queue", { event: { name: "sale", phase: "prequeue" } }, {}, ["event.prequeue_started", "event.ended"]],
  ] as const)("such as %s is told once by each node, when it begins and when it ends", (_, trouble, calm, types) => {
    const mesh = settled(3);
    mesh.is("shop", trouble);
    mesh.pass(100);
    mesh.is("shop", calm);
    mesh.pass(100);
    const [first, ...others] = mesh.nodes.map(({ told }) => told);
    expect(typesOf(first ?? [])).toEqual(types);
    const alike = (told: readonly Notice[] = []) => told.map(({ node: _, ...notice }) => notice);
    for (const told of others) expect(alike(told)).toEqual(alike(first));
    expect(first?.every(({ room }) => room === "shop")).toBe(true);
  });

  test("that an event approaches is told a quarter of an hour before, and that it was cancelled", () => {
    const mesh = settled(2);
    const coming = { name: "sale", begins: new Date(mesh.nowMs + 16 * MINUTE_MS).toISOString() };
    mesh.is("shop", { coming });
    mesh.pass(59);
    expect(mesh.node(0).told).toEqual([]);
    mesh.pass(5);
    expect(mesh.nodes.map(({ told }) => told.map(({ type, data }) => [type, data]))).toEqual(
      Array.from({ length: 2 }, () => [["event.approaching", { event: "sale", begins: coming.begins }]]),
    );
    mesh.is("shop", { event: { name: "sale", phase: "prequeue" } });
    mesh.pass(5);
    mesh.is("shop", {});
    mesh.pass(10);
    expect(typesOf(mesh.node(0).told)).toEqual(["event.approaching", "event.prequeue_started", "event.ended"]);
  });

  test("of two events that follow each other is the end of one and the start of the other", () => {
    const mesh = settled(1);
    mesh.is("shop", { event: { name: "one", phase: "active" } });
    mesh.pass(5);
    mesh.is("shop", { event: { name: "two", phase: "active" } });
    mesh.pass(7);
    const told = mesh.node(0).told.map(({ type, data }) => [type, data.event]);
    expect(told.map((each) => each.join(" ")).sort()).toEqual([
      ...["event.ended one", "event.started one", "event.started two"],
    ]);
  });

  test("of a room is told, and a deleted room's troubles end with it", () => {
    const mesh = settled(2);
    mesh.room("tour", "{}");
    mesh.is("tour", { waiting: 9 });
    mesh.pass(10);
    mesh.room("tour", '{"limit": 2}');
    mesh.pass(5);
    mesh.room("tour", undefined, 1);
    mesh.pass(100);
    mesh.room("tour", "{}", 1);
    mesh.pass(100);
    const types = ["room.created", "room.queueing_started", "room.changed", "room.deleted", "room.created"];
    expect(typesOf(mesh.node(0).told)).toEqual(types);
    expect(idsOf(mesh.node(1).told)).toEqual(idsOf(mesh.node(0).told));
  });

  test("that lasts less than its time is not told, and its end must hold", () => {
    const mesh = settled(2);
    for (let flaps = 0; flaps < 20; flaps++) {
      mesh.is("shop", { waiting: 1 });
      mesh.pass(1);
      mesh.is("shop", {});
      mesh.pass(1);
    }
    expect(mesh.node(0).told).toEqual([]);
    mesh.is("shop", { waiting: 1 });
    mesh.pass(4);
    for (let flaps = 0; flaps < 5; flaps++) {
      mesh.is("shop", {});
      mesh.pass(50);
      mesh.is("shop", { waiting: 1 });
      mesh.pass(1);
    }
    expect(typesOf(mesh.node(0).told)).toEqual(["room.queueing_started"]);
  });

  test("that began when it was first seen has that time", () => {
    const mesh = settled(1);
    mesh.is("shop", { waiting: 1 });
    const { nowMs } = mesh;
    mesh.pass(5);
    expect(mesh.node(0).told).toMatchObject([{ type: "room.queueing_started", atMs: nowMs + 1_000 }]);
  });
});

describe("a restarted node", () => {
  test("takes what it learns while it starts as it is, and tells what changes afterwards", () => {
    const mesh = settled(2);
    mesh.node(0).restart();
    mesh.pass(5);
    mesh.is("shop", { waiting: 3, targets: ["http://a"], down: ["http://a"] });
    mesh.pass(20);
    expect(mesh.node(0).told).toEqual([]);
    expect(typesOf(mesh.node(1).told)).toEqual(["origin.down", "room.queueing_started"]);
    mesh.is("shop", { targets: ["http://a"] });
    mesh.pass(80);
    expect(typesOf(mesh.node(0).told)).toEqual(["origin.up", "room.queueing_ended"]);
  });

  test("tells what operators change while it starts, and not what they changed before", () => {
    const mesh = settled(2);
    mesh.room("tour", "{}", 1);
    mesh.is("shop", { order: "hold" });
    mesh.node(0).restart();
    mesh.pass(5);
    expect(mesh.node(0).told).toEqual([]);
    mesh.is("shop", { order: "open" });
    mesh.room("tour", undefined, 1);
    mesh.room("fair", "{}", 1);
    mesh.pass(2);
    expect(typesOf(mesh.node(0).told).sort()).toEqual(["room.created", "room.deleted", "room.opened"]);
    expect(idsOf(mesh.node(1).told)).toEqual(expect.arrayContaining(idsOf(mesh.node(0).told)));
  });
});

describe("a node that is killed", () => {
  test("is told lost and back, once, by those that live", () => {
    const mesh = settled(3);
    mesh.up.delete("node2" as NodeId);
    mesh.pass(60);
    expect(typesOf(mesh.node(0).told)).toEqual(["node.lost"]);
    mesh.up.add("node2" as NodeId);
    mesh.pass(60);
    expect(mesh.node(0).told.map(({ type, data }) => [type, data.node])).toEqual([
      ["node.lost", "node2"],
      ["node.back", "node2"],
    ]);
  });

  test("is lost first, and then removed, however soon it is removed", () => {
    for (const seconds of [0, 1, 2, 10]) {
      const mesh = settled(3);
      mesh.up.delete("node2" as NodeId);
      mesh.pass(seconds);
      mesh.former.set("node2" as NodeId, "removed");
      mesh.pass(20);
      expect(typesOf(mesh.node(0).told)).toEqual(["node.lost", "node.removed"]);
    }
  });

  test("and one that left in order are told apart", () => {
    const mesh = settled(3);
    mesh.former.set("node2" as NodeId, "left");
    mesh.up.delete("node2" as NodeId);
    mesh.pass(20);
    expect(typesOf(mesh.node(0).told)).toEqual(["node.left"]);
    mesh.former.clear();
    mesh.up.add("node2" as NodeId);
    mesh.pass(20);
    expect(typesOf(mesh.node(0).told)).toEqual(["node.left", "node.joined"]);
  });
});

describe("the id of a change", () => {
  test("of an operator is that of the order, however late a node sees it", () => {
    const mesh = settled(2);
    const ids: (readonly string[])[] = [];
    for (const order of ["hold", undefined, "hold"] as const) {
      mesh.is("shop", order === undefined ? {} : { order });
      mesh.node(0).look();
      mesh.nowMs += 60_000;
      mesh.node(1).look();
      const news = mesh.nodes.map((node) => idsOf(node.news));
      expect(news[0]).toHaveLength(1);
      expect(news[1]).toEqual(news[0]);
      ids.push(news[0] ?? []);
    }
    expect(ids[2]).not.toEqual(ids[0]);
  });
});

test("whatever happens to nodes and links, in the end all have told the last state, and no change twice in a row", () => {
  const step = fc.oneof(
    fc.record({
      ...{ kind: fc.constant("truth" as const), waiting: fc.nat(2), hold: fc.boolean(), down: fc.boolean() },
      ...{ idle: fc.nat(1), pace: fc.boolean(), isSoldOut: fc.boolean() },
    }),
    fc.record({ kind: fc.constant("cut" as const), side: fc.nat(7) }),
    fc.record({ kind: fc.constant("kill" as const), node: fc.nat(2) }),
    fc.record({ kind: fc.constant("start" as const), node: fc.nat(2) }),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(step, fc.integer({ min: 1, max: 90 })), { maxLength: 12 }), (steps) => {
      const mesh = settled(3);
      for (const [each, seconds] of steps) {
        if (each.kind === "truth") {
          const { waiting, hold, down, idle, pace, isSoldOut } = each;
          mesh.is("shop", {
            ...{ waiting, idle, pace, state: isSoldOut ? "rejecting" : "free" },
            ...(hold && { order: "hold" }),
            targets: ["http://a"],
            down: down ? ["http://a"] : [],
          });
        } else if (each.kind === "cut") {
          const sideOf = (id: NodeId) => (each.side >> (Number(id.slice(4)) - 1)) & 1;
          mesh.isCut = (one, other) => sideOf(one) !== sideOf(other);
        } else {
          const { id } = mesh.node(each.node);
          if (each.kind === "kill") mesh.up.delete(id);
          else if (!mesh.up.has(id)) {
            mesh.up.add(id);
            mesh.node(each.node).restart();
          }
        }
        mesh.pass(seconds);
      }
      mesh.isCut = () => false;
      for (const node of mesh.nodes) {
        if (!mesh.up.has(node.id)) node.restart();
        mesh.up.add(node.id);
      }
      mesh.is("shop", {});
      mesh.pass(200);
      for (const { told } of mesh.nodes) {
        expect(new Set(idsOf(told)).size).toBe(told.length);
        for (const [begin, end] of ENDS) {
          const types = typesOf(told).filter((type) => type === begin || type === end);
          expect(types.at(-1)).not.toBe(begin);
          expect(types.some((type, at) => type === types[at - 1])).toBe(false);
        }
      }
    }),
    { numRuns: 30 },
  );
});

const ENDS = [
  ["room.held", "room.resumed"],
  ["room.queueing_started", "room.queueing_ended"],
  ["origin.down", "origin.up"],
  ["room.share_idle_started", "room.share_idle_ended"],
  ["room.limit_paced_started", "room.limit_paced_ended"],
  ["room.sold_out_started", "room.sold_out_ended"],
];

function idsOf(notices: readonly Notice[]): string[] {
  return notices.map(({ id }) => id);
}
