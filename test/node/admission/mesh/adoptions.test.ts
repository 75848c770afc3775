/**
 * A session that asked to be adopted and found no slot: whatever happens when one comes free, it has that slot first.
 */

import { describe, expect, test } from "vitest";
import type { Minute } from "../../../../mesh/core/ids.ts";
import { GRACE_MS } from "../../../../mesh/core/minute.ts";
import { StoredRooms } from "../../../../node/storage/stored-rooms.ts";
import { at, FakeRoomNode, M, MINUTE_MS, ROOM, roomAt } from "./fake-room-node.ts";

const LAST_GOOD = (M + 6) as Minute;
/** The only session before is over, and its slot free. */
const FREE = at(6 * 60) + GRACE_MS;

/** A room with one slot, which is taken, where anna has asked to be adopted. */
function asked() {
  const roomNode = new FakeRoomNode();
  const room = roomAt(roomNode, { totalActiveUsers: 1 });
  const kinds: string[] = [];
  room.arrive("before", at(1), ({ kind }) => kinds.push(kind));
  expect(kinds.splice(0)).toEqual(["admitted"]);
  expect(room.admission.sessions.adopt("anna", LAST_GOOD, at(2)).kind).toBe("not-mine");
  roomNode.outbox.take();
  return { room, roomNode, kinds, slots: () => room.admission.sessions.record.slots };
}

describe("a session that asked to be adopted has the next free slot", () => {
  test("before free slots are moved to other nodes, and without anybody's request", () => {
    const { room, slots } = asked();
    room.tick(FREE - 1);
    expect(slots()).not.toEqual([[LAST_GOOD, 1]]);
    room.tick(FREE);
    expect(slots()).toEqual([[LAST_GOOD, 1]]);
  });

  test("before a new visitor", () => {
    const { room, kinds, slots } = asked();
    room.arrive("bert", FREE, ({ kind }) => kinds.push(kind));
    expect([kinds, slots()]).toEqual([["waiting"], [[LAST_GOOD, 1]]]);
  });

  test("and still has it after a restart", () => {
    const { room, roomNode } = asked();
    room.tick(FREE);
    const disk = new Map<string, unknown>(JSON.parse(JSON.stringify([...roomNode.outbox.take().writes])));
    expect(new StoredRooms(disk, MINUTE_MS).restored(ROOM, FREE)?.record?.slots).toEqual([[LAST_GOOD, 1]]);
  });
});
