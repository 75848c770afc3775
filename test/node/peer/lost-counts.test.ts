import { expect, test } from "vitest";
import type { RoomId } from "../../../mesh/core/ids.ts";
import { Outbox } from "../../../mesh/core/wire/outbox.ts";
import type { MeshRoom } from "../../../node/admission/mesh/mesh-room.ts";
import { LostCounts } from "../../../node/peer/room-holds.ts";

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
  const lost = new LostCounts({ minuteMs: MINUTE_MS, restored, outbox, rooms, longest: () => longest, now: instant() });
  const pass = (ms: number): void => {
    nowMs += ms;
    lost.tick(instant(), nowMs);
  };
  return { lost, outbox, held, pass, rooms, room: room as unknown as MeshRoom };
}

test("a room whose admissions were lost is not used until their sessions are over", () => {
  const { lost, held, pass } = open();
  expect(lost.isHeld(ROOM)).toBe(false);
  expect([lost.note(ROOM), lost.note(ROOM)]).toEqual([true, false]);
  expect([lost.isHeld(ROOM), held]).toEqual([true, []]);
  pass(0);
  pass(0);
  expect([lost.isHeld(ROOM), held]).toEqual([true, [0]]);
  pass(HELD_MS - 1);
  expect(lost.isHeld(ROOM)).toBe(true);
  pass(1);
  expect(lost.isHeld(ROOM)).toBe(false);
});

test.each([0, 3_600_000])(
  "the time that has passed before a restart counts, and by how much %i ms the clock is wrong does not",
  (wrongByMs) => {
    const first = open();
    first.lost.note(ROOM);
    first.pass(0);
    first.pass(MINUTE_MS);
    const again = open(new Map(first.outbox.take().writes), { wrongByMs });
    again.pass(HELD_MS - MINUTE_MS - 1);
    expect(again.lost.isHeld(ROOM)).toBe(true);
    again.pass(1);
    expect(again.lost.isHeld(ROOM)).toBe(false);
  },
);

test("counts that are lost while the room is held have it held from then on", () => {
  const { lost, held, pass } = open();
  lost.note(ROOM);
  pass(0);
  pass(HELD_MS - 1);
  lost.note(ROOM);
  pass(0);
  pass(HELD_MS - 1);
  expect([lost.isHeld(ROOM), held]).toEqual([true, [0, HELD_MS - 1]]);
  pass(1);
  expect(lost.isHeld(ROOM)).toBe(false);
});

test("a room that is not known yet is held when it comes", () => {
  const { lost, held, room, rooms, pass } = open(new Map(), { isKnown: false });
  lost.note(ROOM);
  pass(HELD_MS);
  expect([lost.isHeld(ROOM), held]).toEqual([true, []]);
  rooms.set(ROOM, room);
  pass(1);
  expect([lost.isHeld(ROOM), held]).toEqual([true, [HELD_MS + 1]]);
  pass(HELD_MS);
  expect(lost.isHeld(ROOM)).toBe(false);
});

test("a room whose sessions were made shorter is held for as long as the earlier ones last", () => {
  const { lost, pass } = open(new Map(), { longest: 20 });
  lost.note(ROOM);
  pass(0);
  pass(HELD_MS + 15 * MINUTE_MS - 1);
  expect(lost.isHeld(ROOM)).toBe(true);
  pass(1);
  expect(lost.isHeld(ROOM)).toBe(false);
});
