import { describe, expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import type { LogEntry } from "../../../../node/admission/call-log.ts";
import { ENTRIES_MAX, type KeptEntry } from "../../../../node/admission/mesh/kept-log.ts";
import { MeshRoom } from "../../../../node/admission/mesh/mesh-room.ts";
import { signedStatement } from "../../../../node/admission/statement.ts";
import { parseRoom } from "../../../../node/config/room-document.ts";
import { notaryOf } from "../../../../node/notary.ts";
import { StoredRooms } from "../../../../node/storage/stored-rooms.ts";
import { plainSignatures } from "../../../mesh/core/replica/plain-signatures.ts";
import { at, FakeRoomNode, MINUTE_MS, ROOM, SELF } from "./fake-room-node.ts";
import { RoomsWorld } from "./rooms-world.ts";

/** Three nodes of a locality, a room that admits twelve a minute, and so many visitors who ask every five seconds. */
function fullWorld(waiting: number, localities = ["a", "a", "a"]) {
  const world = new RoomsWorld(localities, {
    ...{
      totalActiveUsers: 1_000,
      newUsersPerMinute: 12,
      sessionDuration: 5,
      refreshIntervalSeconds: 5,
      publicLog: true,
    },
  });
  world.pass(5_000);
  const line: { id: string; key: number; inMs?: number }[] = [];
  for (let visitor = 0; visitor < waiting; visitor++) {
    world.arrive(visitor % 3, (id, decision) => {
      if (decision.kind === "waiting") line.push({ id, key: decision.place.key });
    });
    world.pass(50);
  }
  const pollFor = (seconds: number, gates = [0, 1, 2]) => {
    for (let second = 0; second < seconds; second += 5) {
      for (const [index, one] of line.entries())
        if (one.inMs === undefined)
          world.poll(gates[index % gates.length] ?? 0, one.id, one.key, ({ kind }) => {
            if (kind === "admitted") one.inMs = world.nowMs;
          });
      world.pass(5_000);
    }
  };
  const keeper = world.nodes.findIndex(({ id }) => world.node(0).room.counters()[0] === id);
  const others = [0, 1, 2].filter((index) => index !== keeper);
  return { world, line, pollFor, keeper, others, logOf: (index: number) => world.node(index).room.publicLog.entries };
}

function fieldsOf(entries: readonly KeptEntry[]): readonly LogEntry[] {
  return entries.map(({ entry }) => entry);
}

function expectChained(entries: readonly KeptEntry[]): void {
  for (const [index, { entry }] of entries.entries()) {
    const before = entries[index - 1];
    if (before === undefined) continue;
    expect(entry.number).toBe(before.entry.number + 1);
    expect(entry.previous).toBe(before.digest);
    if (entry.gap === undefined) expect(entry.from).toBe(before.entry.to);
  }
}

describe("the public log of a line", () => {
  test("says up to which key the line was called, how many were let in, and when", () => {
    const { world, line, pollFor, keeper, logOf } = fullWorld(60);
    pollFor(240);
    world.pass(11_000);
    const entries = fieldsOf(logOf(keeper));
    expect(entries[0]).toMatchObject({ number: 1, gap: "start", previous: "", line: "a", order: "arrival" });
    expectChained(logOf(keeper));
    const entered = line.filter(({ inMs }) => inMs !== undefined);
    expect(entered.length).toBeGreaterThan(15);
    expect(entries.reduce((sum, { let_in }) => sum + let_in, 0)).toBe(entered.length);
    for (const { key, inMs = 0 } of entered) {
      const call = entries.find(({ called_up_to }) => called_up_to >= key);
      expect(Date.parse(call?.from ?? "")).toBeLessThanOrEqual(inMs);
    }
    for (const { let_in_up_to, called_up_to } of entries) expect(let_in_up_to).toBeLessThanOrEqual(called_up_to);
    // One in ten seconds at most.
    for (const [index, { to }] of entries.entries())
      expect(Date.parse(entries[index + 1]?.to ?? "9999-12-31") - Date.parse(to)).toBeGreaterThanOrEqual(10_000 - 500);
  });

  test("is the same at every node of the locality, and at none of another", () => {
    const { pollFor, keeper, others, logOf, world } = fullWorld(40, ["a", "a", "a", "b"]);
    pollFor(180);
    world.pass(1_100);
    const digests = (index: number) => logOf(index).map(({ digest }) => digest);
    for (const other of others) expect(digests(other)).toEqual(digests(keeper));
    expect(digests(keeper).length).toBeGreaterThan(2);
    expect(fieldsOf(logOf(3)).every(({ line }) => line === "b")).toBe(true);
  });

  test("is made up for by a node that missed entries, and by one that missed all", () => {
    const { pollFor, keeper, others, logOf, world } = fullWorld(60);
    const [deaf = 0, other = 0] = others;
    let isDeaf = true;
    world.loses = ({ kind }, to) => isDeaf && kind === "log" && to === world.node(deaf).id;
    pollFor(150);
    expect(logOf(deaf)).toHaveLength(1);
    isDeaf = false;
    pollFor(100);
    world.pass(2_100);
    expect(logOf(deaf).map(({ digest }) => digest)).toEqual(logOf(other).map(({ digest }) => digest));
    expect(logOf(keeper).length).toBeGreaterThan(4);
  });

  test("is continued by the next keeper of the line, which says from when", () => {
    const { pollFor, keeper, others, logOf, world } = fullWorld(60);
    pollFor(120);
    const before = logOf(keeper).length;
    const lost = world.node(keeper).id;
    world.kill(keeper);
    pollFor(180, others);
    world.pass(2_100);
    const [one = 0, other = 0] = others;
    const entries = fieldsOf(logOf(one));
    expectChained(logOf(one));
    expect(logOf(other).map(({ digest }) => digest)).toEqual(logOf(one).map(({ digest }) => digest));
    const takeover = entries.find(({ node }) => node !== lost);
    expect(takeover).toMatchObject({ gap: "takeover", number: before + 1 });
    const last = entries[before - 1];
    expect((takeover?.from ?? "") > (last?.to ?? "")).toBe(true);
    expect(entries.length).toBeGreaterThan(before + 1);
  });

  test("names the entry of another node that kept the line at the same time", () => {
    const { pollFor, keeper, others, logOf, world } = fullWorld(30);
    pollFor(60);
    const [one = 0] = others;
    const entries = logOf(one);
    // The other branch: the same log without its last entry, continued elsewhere.
    const stranger = forked(entries, world.node(one).id);
    world
      .node(keeper)
      .room.receive(
        world.node(one).id,
        { kind: "log", room: ROOM, lines: [stranger.text], isAnswer: false },
        world.nowMs,
      );
    pollFor(60);
    const named = fieldsOf(logOf(keeper)).filter(({ other }) => other !== undefined);
    expect(named.map(({ other }) => other)).toEqual([
      { node: world.node(one).id, number: entries.length, digest: stranger.digest },
    ]);
  });

  test("does not take in what its node has not signed, nor what another room's is", () => {
    const { pollFor, keeper, others, logOf, world } = fullWorld(20);
    pollFor(40);
    const [one = 0] = others;
    const next = forked(logOf(one), world.node(one).id, { number: logOf(one).length + 1 });
    const changed = [
      next.text.replace('"let_in":0', '"let_in":7'),
      forked(logOf(one), world.node(one).id, { room: "other" }).text,
    ];
    const before = logOf(one).length;
    for (const line of changed)
      world
        .node(one)
        .room.receive(world.node(keeper).id, { kind: "log", room: ROOM, lines: [line], isAnswer: true }, world.nowMs);
    expect(logOf(one)).toHaveLength(before);
  });

  test("is not kept in a room that does not say so, and goes on from the last entry when that says so again", () => {
    const { pollFor, keeper, logOf, world } = fullWorld(30);
    pollFor(60);
    world.configure({});
    const last = logOf(keeper).at(-1)?.entry.number ?? 0;
    world.configure({ publicLog: false });
    pollFor(20);
    expect(logOf(keeper)).toHaveLength(0);
    world.configure({ publicLog: true });
    pollFor(30);
    const entries = fieldsOf(logOf(keeper));
    expect(entries[0]?.number).toBe(last);
    expect(entries[1]).toMatchObject({ number: last + 1, gap: "restart" });
    expectChained(logOf(keeper));
  });
});

/** An entry that a node could have made in place of the last one. */
function forked(
  entries: readonly KeptEntry[],
  node: NodeId,
  change: Partial<LogEntry> = {},
): { text: string; digest: string } {
  const last = entries.at(-1);
  if (last === undefined) throw new Error("no entries");
  const fields = { ...last.entry, let_in: 0, let_in_up_to: 0, node, ...change };
  if (change.number !== undefined) fields.previous = last.digest;
  const notary = notaryOf(plainSignatures(node));
  const text = signedStatement(fields, notary);
  return { text, digest: notary.digest(text) };
}

describe("the log on the disk", () => {
  /** A room at a node alone, and the same after the process was killed. */
  function open(disk = new Map<string, unknown>()) {
    const roomNode = new FakeRoomNode();
    const parsed = parseRoom({
      name: "shop",
      host: "*",
      total_active_users: 1,
      new_users_per_minute: 1,
      public_log: true,
    });
    if (!parsed.ok) throw new Error("unreachable");
    const restored = new StoredRooms(disk, MINUTE_MS).restored(ROOM, at(1));
    const room = new MeshRoom({ id: ROOM, room: parsed.value, roomNode, nowMs: at(1), restored });
    const save = () => {
      for (const [key, value] of roomNode.outbox.take().writes) {
        if (value === undefined) disk.delete(key);
        else disk.set(key, JSON.parse(JSON.stringify(value)));
      }
    };
    return { room, save, disk, kept: () => [...disk.keys()].filter((key) => key.startsWith("call-log/")).length };
  }

  /** Something to tell in each of so many spans of ten seconds. */
  function work(room: MeshRoom, fromSeconds: number, spans: number): number {
    for (let span = 0; span < spans; span++) {
      room.admission.calls.noteCalled(at(fromSeconds + 10 * span) * 1_000);
      room.tick(at(fromSeconds + 10 * span));
    }
    return fromSeconds + 10 * spans;
  }

  test("survives the process, and a new one says that it was started again", () => {
    const first = open();
    const seconds = work(first.room, 10, 5);
    first.save();
    const before = first.room.publicLog.entries.map(({ text }) => text);
    expect(before.length).toBeGreaterThan(2);
    const second = open(first.disk);
    expect(second.room.publicLog.entries.map(({ text }) => text)).toEqual(before);
    work(second.room, seconds, 3);
    const added = fieldsOf(second.room.publicLog.entries)[before.length];
    expect(added).toMatchObject({ number: before.length + 1, gap: "restart", node: SELF });
    expectChained(second.room.publicLog.entries);
  });

  test("has a bound, in memory and on the disk", () => {
    const { room, save, kept } = open();
    work(room, 10, ENTRIES_MAX + 50);
    save();
    expect(room.publicLog.entries).toHaveLength(ENTRIES_MAX);
    expect(kept()).toBe(ENTRIES_MAX);
    expect(room.publicLog.entries[0]?.entry.number).toBeGreaterThan(40);
  });

  test("never goes back with a clock that is set back", () => {
    const { room } = open();
    work(room, 1_000, 5);
    work(room, 300, 10);
    const entries = fieldsOf(room.publicLog.entries);
    for (const [index, { from, to }] of entries.entries()) {
      expect(from <= to).toBe(true);
      expect(to >= (entries[index - 1]?.to ?? "")).toBe(true);
    }
    expectChained(room.publicLog.entries);
  });

  test("has no entry that ends before it begins, when the clock is set back while a new keeper listens", () => {
    const { room } = open();
    work(room, 1_000, 1);
    work(room, 990, 3);
    const entries = fieldsOf(room.publicLog.entries);
    expect(entries[0]).toMatchObject({ number: 1, gap: "start" });
    for (const { from, to } of entries) expect(from <= to).toBe(true);
  });
});
