import { expect, test } from "vitest";
import type { Minute, RoomId } from "../../../mesh/core/ids.ts";
import { Outbox } from "../../../mesh/core/wire/outbox.ts";
import type { MeshRoom } from "../../../node/admission/mesh/mesh-room.ts";
import { HandedTables, type RoomTable } from "../../../node/peer/peer-tables.ts";
import { MINUTE_MS, START_MS } from "../rooms/room-shelf.ts";

const ROOM = "shop" as RoomId;
const SITE = "all" as RoomId;
const NOW = (START_MS / MINUTE_MS) as Minute;

function table(room: RoomId, slots: number): RoomTable {
  return { room, record: { slots: [[NOW, slots]], minute: NOW, admittedInMinute: 0 }, revoked: [] };
}

/** A room that remembers what it was handed. */
function newRoom(siteId?: RoomId) {
  const taken: number[] = [];
  const takeOver = ({ record }: RoomTable) => taken.push(...record.slots.map(([, slots]) => slots));
  return { room: { id: ROOM, siteId, takeOver } as unknown as MeshRoom, taken };
}

/** The tables, and what is on the disk of those handed over. */
function open(disk = new Map<string, unknown>()) {
  const outbox = new Outbox();
  const handed = new HandedTables({ minuteMs: MINUTE_MS, restored: disk, outbox });
  const commit = () => {
    for (const [key, value] of outbox.take().writes) {
      if (value === undefined) disk.delete(key);
      else disk.set(key, value);
    }
    return disk;
  };
  return { handed, commit };
}

test("what two leavers held in a room that is not known yet is held when it is, restarts included, once", () => {
  const first = open();
  for (const slots of [1, 2]) first.handed.takeOver([table(ROOM, slots)], new Map(), START_MS);
  const again = open(first.commit());
  const { room, taken } = newRoom();
  again.handed.add(room, START_MS);
  again.handed.add(room, START_MS);
  expect(taken).toEqual([1, 2]);
  const last = open(again.commit());
  last.handed.add(room, START_MS);
  expect(taken).toEqual([1, 2]);
});

test("what was held in a room that is known is held at once, and needs no disk", () => {
  const { handed, commit } = open();
  const { room, taken } = newRoom();
  handed.takeOver([table(ROOM, 3)], new Map([[ROOM, room]]), START_MS);
  expect(taken).toEqual([3]);
  expect(commit().size).toBe(0);
});

test.each([
  ["of that site", SITE, []],
  ["of another site", "other" as RoomId, [3]],
  ["that is not known", undefined, [3]],
])("what a site counted at another node, it holds itself where the room is one %s", (_, siteId, taken) => {
  const { handed } = open();
  const [room, site] = [newRoom(siteId), newRoom()];
  const rooms = new Map([[SITE, site.room]]);
  if (siteId !== undefined) rooms.set(ROOM, room.room);
  const left = { ...table(ROOM, 3).record, site: SITE };
  handed.takeOver([{ ...table(ROOM, 3), record: left }], rooms, START_MS);
  handed.add(room.room, START_MS);
  expect([site.taken, room.taken]).toEqual([taken, [3]]);
});

test("a leaver hands on what is stored of rooms that are not loaded, and what waits for its room, while a slot may be in use", () => {
  const held = { slots: [[NOW, 4]], minute: NOW, admittedInMinute: 0 };
  const over = { slots: [[(NOW - 2) as Minute, 5]], minute: NOW, admittedInMinute: 0 };
  const inPot = { slots: [], pots: [["view 2", [[NOW, 6]]]], minute: NOW, admittedInMinute: 0 };
  const disk = new Map<string, unknown>([
    ["admission/deleted", held],
    [`revoked/deleted/anna`, NOW],
    ["admission/over", over],
    ["admission/pot", inPot],
    ["handed/shop", [table(ROOM, 1), table(ROOM, 2)]],
  ]);
  const rooms = new Map([
    ["pot" as RoomId, { id: "pot", admission: { sessions: { record: held, revoked: [] } } } as never],
  ]);
  expect(open(disk).handed.all(rooms, START_MS)).toEqual([
    { room: "pot", record: held, revoked: [] },
    { room: "deleted", record: held, revoked: [{ id: "anna", lastGood: NOW }] },
    table(ROOM, 1),
    table(ROOM, 2),
  ]);
  expect(open(disk).handed.all(new Map(), START_MS)).toContainEqual({ room: "pot", record: inPot, revoked: [] });
});
