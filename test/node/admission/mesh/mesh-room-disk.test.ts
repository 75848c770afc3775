/** What a room has put on the disk with the step that decided it, by what a start from that disk knows. */

import { expect, test } from "vitest";
import { accountOf, type Minute } from "../../../../mesh/core/ids.ts";
import { GRACE_MS } from "../../../../mesh/core/minute.ts";
import { StoredRooms } from "../../../../node/storage/stored-rooms.ts";
import { at, FakeRoomNode, M, MINUTE_MS, ROOM, roomAt, SELF } from "./fake-room-node.ts";

/** The pots of one view, in which two sessions of a removed node may exist. */
const GROUP = "view 7";
const POT = new Map<string, unknown>([
  [`admission/${ROOM}`, { slots: [], pots: [[GROUP, [[M + 5, 2]]]], minute: M, admittedInMinute: 0 }],
]);

const HOME = accountOf(SELF);

/** A room at a node, and the same after the process was killed: all that is left is what was put. */
function open(disk = new Map<string, unknown>(), group?: string) {
  const roomNode = new FakeRoomNode();
  roomNode.potOf = () => group;
  const restored = new StoredRooms(disk, MINUTE_MS).restored(ROOM, at(1));
  const room = roomAt(roomNode, { totalActiveUsers: 5, newUsersPerMinute: 5 }, { restored });
  const restart = () => {
    for (const [key, value] of roomNode.outbox.take().writes) {
      if (value === undefined) disk.delete(key);
      else disk.set(key, JSON.parse(JSON.stringify(value)));
    }
    return open(disk, group);
  };
  const stay = (id: string, seconds = 62) => {
    let kind = "no answer";
    room.checkIn({ id, home: HOME, lastGood: (M + 5) as Minute }, at(seconds), (told) => {
      kind = told.kind;
    });
    return kind;
  };
  return { room, restart, stay, inside: () => room.admission.inside(at(1)) };
}

test("an admission, and as which minute's", () => {
  const { room, restart } = open();
  room.arrive("anna", at(1), () => {});
  const again = restart();
  expect([again.inside(), again.room.admission.admittedInMinute(at(1))]).toEqual([1, 1]);
});

test("an extension", () => {
  const first = open();
  first.room.arrive("anna", at(1), () => {});
  expect(first.stay("anna")).toBe("acknowledged");
  // Its slot is held a minute longer than it was admitted for.
  expect(first.restart().room.admission.inside(at(6 * 60 + 10))).toBe(1);
});

test("that the origin has ended a session: it is refused after the restart, not taken for one that is not known", () => {
  const { room, restart } = open();
  room.arrive("anna", at(1), () => {});
  expect(room.revoke("anna", HOME, at(2))).toBe(true);
  const again = restart();
  expect([again.stay("anna", 3), again.inside()]).toEqual(["revoked", 1]);
});

test("what a leaver's sessions hold, and which of them its origin has ended", () => {
  const { room, restart } = open();
  const record = { slots: [[(M + 5) as Minute, 2]] as const, minute: M, admittedInMinute: 2 };
  room.takeOver({ record, revoked: [{ id: "bert", lastGood: (M + 5) as Minute }] }, at(1));
  const again = restart();
  expect([again.room.admission.admittedInMinute(at(1)), again.inside(), again.stay("bert")]).toEqual([2, 2, "revoked"]);
});

test("that all slots are held, as admissions were lost: each once", () => {
  const { room, restart } = open();
  room.arrive("anna", at(1), () => {});
  room.holdAll(at(1));
  const again = restart();
  expect([again.inside(), again.room.admission.inside(at(3 * 60))]).toEqual([5, 5]);
});

test("that the pot's sessions rest on own slots", () => {
  const { room, restart } = open(new Map(POT));
  expect([room.admission.insidePots(at(1)), room.admission.inside(at(1))]).toEqual([2, 0]);
  room.settlePot(GROUP);
  const again = restart();
  expect([again.room.admission.insidePots(at(1)), again.inside()]).toEqual([0, 2]);
});

test("that the origin has ended a session of the pot", () => {
  const first = open(new Map(POT), GROUP);
  expect(first.stay("anna", 2)).toBe("acknowledged");
  expect(first.room.revoke("anna", HOME, at(2))).toBe(true);
  expect(first.restart().stay("anna", 3)).toBe("revoked");
});

test("that a session which asked to be adopted has the next free slot", () => {
  const { room, restart } = open();
  for (let visitor = 0; visitor < 5; visitor++) room.arrive(`visitor ${visitor}`, at(1), () => {});
  expect(room.admission.sessions.adopt("anna", (M + 6) as Minute, at(2)).kind).toBe("not-mine");
  restart();
  room.tick(at(6 * 60) + GRACE_MS);
  expect(restart().room.admission.sessions.record.slots).toEqual([[M + 6, 1]]);
});
