/**
 * The laws of replication: whatever becomes of messages and processes, all come to know the same, and nothing is made
 * or lost.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RoomId } from "../../mesh/core/ids.ts";
import { RESOURCES } from "../../mesh/core/ledger/row.ts";
import { contents, ReplicaWorld, SPARE_ROOM, type Step } from "./replica-world.ts";

const index = fc.nat(3);
const give = fc.record({
  kind: fc.constant("give" as const),
  at: index,
  to: index,
  resource: fc.constantFrom(...RESOURCES),
  room: fc.nat(1),
  part: fc.integer({ min: 1, max: 100 }),
});
const record = fc.record({ kind: fc.constant("record" as const), at: index, room: fc.nat(1), count: fc.nat(9) });
const configure = fc.record({
  kind: fc.constant("configure" as const),
  at: index,
  room: fc.nat(3),
  isDeleted: fc.boolean(),
});
const publish = fc.record({ kind: fc.constant("publish" as const), at: index });
const digest = fc.record({ kind: fc.constant("digest" as const), at: index, to: index });
const arrive = fc.record({ kind: fc.constant("arrive" as const), frame: fc.nat(50), again: fc.boolean() });
const lose = fc.record({ kind: fc.constant("lose" as const), frame: fc.nat(50) });
const later = fc.record({ kind: fc.constant("later" as const), ms: fc.constantFrom(0, 1, 500, 20_000, 60_000) });
const kill = fc.record({
  kind: fc.constant("kill" as const),
  at: index,
  killed: fc.constantFrom(
    "before the commit" as const,
    "between commit and sending" as const,
    "after sending" as const,
  ),
  doing: fc.constantFrom("give" as const, "publish" as const, "record" as const),
});

/** Things happen, are sent, and mostly arrive, so that versions run ahead of each other. */
const usual = [
  give,
  give,
  record,
  record,
  configure,
  publish,
  publish,
  publish,
  arrive,
  arrive,
  arrive,
  digest,
  lose,
  later,
];
const steps = (...more: fc.Arbitrary<Step>[]) =>
  fc.array(fc.oneof(...usual, ...more), { minLength: 20, maxLength: 80, size: "max" });
const nodes = fc.integer({ min: 2, max: 4 });
const runs = { numRuns: 150 };
const OTHER_ROOM = "attic" as RoomId;

const script = (world: ReplicaWorld, steps: readonly Step[]) => {
  for (const step of steps) world.step(step);
};

/** A world of so many nodes in which this has happened. */
const worldAfter = (some: readonly Step[], count = 4) => {
  const world = new ReplicaWorld(count);
  script(world, some);
  return world;
};

describe("replicas", () => {
  test("come to know the same, whatever is lost, doubled or reordered", () => {
    fc.assert(
      fc.property(nodes, steps(), (count, some) => worldAfter(some, count).converge()),
      runs,
    );
  });

  test("neither lose nor make a unit, whenever they are killed", () => {
    fc.assert(
      fc.property(nodes, steps(kill, kill), (count, some) => worldAfter(some, count).converge()),
      runs,
    );
  });

  test("learn again the counts that a loss of power took from a disk", () => {
    fc.assert(
      fc.property(steps(), steps(), steps(), (before, lost, after) => {
        const world = worldAfter(before);
        const counts = [...world.node(0).disk].filter(([key]) => key.includes("/counts/"));
        script(world, lost);
        const kept = [...world.node(0).disk].filter(([key]) => !key.includes("/counts/"));
        world.restart(0, new Map([...kept, ...counts]));
        script(world, after);
        world.converge();
      }),
      { numRuns: 60 },
    );
  });

  test("never know less than before, while they run", () => {
    fc.assert(
      fc.property(nodes, steps(), (count, some) => {
        const world = new ReplicaWorld(count);
        const known = world.nodes.map(() => new Map<string, readonly [number, number]>());
        for (const step of some) {
          world.step(step);
          for (const [at, { replica }] of world.nodes.entries())
            for (const [account, gifts, counts] of replica.digest().known) {
              const [giftsBefore, countsBefore] = known[at]?.get(account) ?? [0, 0];
              expect(gifts).toBeGreaterThanOrEqual(giftsBefore);
              expect(counts).toBeGreaterThanOrEqual(countsBefore);
              known[at]?.set(account, [gifts, counts]);
            }
        }
      }),
      { numRuns: 100 },
    );
  });

  test("know all that a peer knows after two round trips, whatever they knew before", () => {
    fc.assert(
      fc.property(steps(), (some) => {
        const world = worldAfter(some);
        for (const at of world.nodes.keys()) world.publish(at);
        expect(world.exchange(0, 1)).toBeLessThanOrEqual(4);
        expect(world.exchange(1, 0)).toBe(1);
        const [one, other] = [world.node(0).replica, world.node(1).replica];
        expect([...one.registers()].sort()).toEqual([...other.registers()].sort());
      }),
      { numRuns: 100 },
    );
  });
});

describe("a node whose disk is not the one it wrote last", () => {
  const second = fc.integer({ min: 1, max: 3 });

  test("is noticed as soon as anybody who heard of its later gifts speaks with it, if it has been rolled back", () => {
    fc.assert(
      fc.property(steps(kill), second, fc.boolean(), (some, peer, peerBegins) => {
        const world = worldAfter(some);
        const disk = new Map(world.node(0).disk);
        world.step({ kind: "record", at: 0, room: 0, count: 1 });
        world.give(0, peer, { resource: "active", room: SPARE_ROOM, units: 1 });
        world.publish(0);
        world.exchange(0, peer);
        expect(world.node(0).alarms).toEqual([]);
        world.restart(0, disk);
        world.exchange(...((peerBegins ? [peer, 0] : [0, peer]) as [number, number]));
        expect(world.node(0).alarms.length).toBeGreaterThan(0);
      }),
      { numRuns: 100 },
    );
  });

  test("is noticed even if it has published again before", () => {
    fc.assert(
      fc.property(steps(kill), second, fc.boolean(), (some, peer, isSameRoom) => {
        const world = worldAfter(some);
        const disk = new Map(world.node(0).disk);
        world.give(0, peer, { resource: "active", room: SPARE_ROOM, units: 1 });
        world.publish(0);
        world.exchange(0, peer);
        world.restart(0, disk);
        // The same gift once more would be told in the same words, and has made no unit.
        world.give(0, (peer % 3) + 1, { resource: "active", room: isSameRoom ? SPARE_ROOM : OTHER_ROOM, units: 1 });
        world.publish(0);
        world.exchange(0, peer);
        expect(world.node(0).alarms.length).toBeGreaterThan(0);
      }),
      { numRuns: 100 },
    );
  });
});

describe("a fenced account", () => {
  test("changes nothing where it is fenced, from any sender", () => {
    fc.assert(
      fc.property(steps(), steps(), (before, after) => {
        const world = worldAfter(before);
        const { replica, fenced } = world.node(3);
        fenced.add(world.node(0).account);
        const row = () => [
          replica.ledger.row(world.node(0).account),
          replica.digest().known.filter(([account]) => account === world.node(0).account),
        ];
        const atFence = row();
        script(world, after);
        for (const at of [0, 1, 2]) world.exchange(at, 3);
        expect(row()).toEqual(atFence);
      }),
      { numRuns: 100 },
    );
  });
});

describe("a node that passes rows on", () => {
  const forgery = fc.oneof(
    fc.record({ kind: fc.constant("bytes" as const), at: fc.nat(), bits: fc.integer({ min: 1, max: 255 }) }),
    fc.record({ kind: fc.constant("signature" as const), at: fc.nat(), bits: fc.integer({ min: 1, max: 255 }) }),
    fc.constant({ kind: "account" as const }),
    fc.constant({ kind: "section" as const }),
  );

  test("cannot change what they say, and is to blame for trying", () => {
    fc.assert(
      fc.property(steps(), forgery, (some, forged) => {
        const world = worldAfter(some);
        world.give(0, 1, { resource: "active", room: SPARE_ROOM, units: 1 });
        const message = world.node(0).replica.publish(world.nowMs);
        const log = message?.logs[0];
        const pair = log?.parts[0];
        if (message === undefined || log === undefined || pair === undefined) throw new Error("nothing published");
        const flipped = (bytes: Uint8Array, { at, bits }: { at: number; bits: number }) =>
          bytes.map((byte, index) => (index === at % bytes.length ? byte ^ bits : byte));
        const changed = {
          ...log,
          ...(forged.kind === "bytes" ? { parts: [[flipped(pair[0], forged), pair[1]] as const] } : {}),
          ...(forged.kind === "signature" ? { parts: [[pair[0], flipped(pair[1], forged)] as const] } : {}),
          ...(forged.kind === "account" ? { account: world.node(2).account } : {}),
          ...(forged.kind === "section" ? { section: "counts" as const } : {}),
          to: Number.MAX_SAFE_INTEGER,
        };
        const before = contents(world.node(3).replica, world.minute);
        const known = world.node(3).replica.digest();
        const heard = world
          .node(3)
          .replica.heard({ kind: "rows", logs: [changed], registers: [] }, world.node(1).id, world.nowMs);
        expect(contents(world.node(3).replica, world.minute)).toEqual(before);
        expect(world.node(3).replica.digest()).toEqual(known);
        expect(heard.changed).toBe(false);
        // Changed bytes may by chance carry an older version, which no node looks at.
        if (forged.kind === "signature" || forged.kind === "section") expect(heard.faults).toBeGreaterThan(0);
      }),
      { numRuns: 150 },
    );
  });
});
