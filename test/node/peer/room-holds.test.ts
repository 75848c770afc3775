import { expect, test } from "vitest";
import type { RoomId } from "../../../mesh/core/ids.ts";
import { Outbox } from "../../../mesh/core/wire/outbox.ts";
import type { MeshRoom } from "../../../node/admission/mesh/mesh-room.ts";
import type { PowerLoss } from "../../../node/peer/power-loss.ts";
import { RoomHolds } from "../../../node/peer/room-holds.ts";

const ROOM = "shop" as RoomId;
const MINUTE_MS = 60_000;
/** A session of five minutes, the minute it began in, and the grace of 5 s. */
const HELD_MS = 6 * MINUTE_MS + 5_000;

function open(restored = new Map<string, unknown>(), { isKnown = true, wrongByMs = 0, longest = 5 } = {}) {
  let nowMs = 0;
  const instant = () => ({ wallMs: wrongByMs + nowMs, steadyMs: nowMs });
  const held: number[] = [];
  const room = { id: ROOM, room: { sessionDuration: 5 }, holdAll: (atMs: number) => held.push(atMs) };
  const rooms = new Map(isKnown ? [[ROOM, room as unknown as MeshRoom]] : []);
  const outbox = new Outbox();
  const logged: string[] = [];
  const holds = new RoomHolds({
    ...{ minuteMs: MINUTE_MS, restored, outbox, rooms, longest: () => longest, now: instant() },
    powerLoss: () => ({ isOpen: false }) as PowerLoss,
    time: { isTrusted: true, isYetToCome: () => false },
    changed: () => {},
    log: (_fields, text) => logged.push(text),
  });
  const pass = (ms: number): void => {
    nowMs += ms;
    holds.tick(instant(), nowMs);
  };
  return { holds, outbox, held, logged, pass, rooms, room: room as unknown as MeshRoom };
}

test("a room whose admissions were lost is not used until their sessions are over", () => {
  const { holds, held, logged, pass } = open();
  expect(holds.has(ROOM)).toBe(false);
  for (let times = 0; times < 2; times++) holds.hold(ROOM, "lostCounts");
  // It is named once.
  expect(logged).toEqual([expect.stringContaining("lost admissions")]);
  expect([holds.has(ROOM), held]).toEqual([true, []]);
  pass(0);
  pass(0);
  expect([holds.has(ROOM), held]).toEqual([true, [0]]);
  pass(HELD_MS - 1);
  expect(holds.has(ROOM)).toBe(true);
  pass(1);
  expect(holds.has(ROOM)).toBe(false);
});

test.each([0, 3_600_000])(
  "the time that has passed before a restart counts, and by how much %i ms the clock is wrong does not",
  (wrongByMs) => {
    const first = open();
    first.holds.hold(ROOM, "lostCounts");
    first.pass(0);
    first.pass(MINUTE_MS);
    const again = open(new Map(first.outbox.take().writes), { wrongByMs });
    again.pass(HELD_MS - MINUTE_MS - 1);
    expect(again.holds.has(ROOM)).toBe(true);
    again.pass(1);
    expect(again.holds.has(ROOM)).toBe(false);
  },
);

test("counts that are lost while the room is held have it held from then on", () => {
  const { holds, held, pass } = open();
  holds.hold(ROOM, "lostCounts");
  pass(0);
  pass(HELD_MS - 1);
  holds.hold(ROOM, "lostCounts");
  pass(0);
  pass(HELD_MS - 1);
  expect([holds.has(ROOM), held]).toEqual([true, [0, HELD_MS - 1]]);
  pass(1);
  expect(holds.has(ROOM)).toBe(false);
});

test("a room whose sessions were made shorter is held for as long as the earlier ones last", () => {
  const { holds, pass } = open(new Map(), { longest: 20 });
  holds.hold(ROOM, "lostCounts");
  pass(0);
  pass(HELD_MS + 15 * MINUTE_MS - 1);
  expect(holds.has(ROOM)).toBe(true);
  pass(1);
  expect(holds.has(ROOM)).toBe(false);
});
