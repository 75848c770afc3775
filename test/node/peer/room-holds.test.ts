import { expect, test } from "vitest";
import type { Minute, RoomId } from "../../../mesh/core/ids.ts";
import type { MeshRoom } from "../../../node/admission/mesh/mesh-room.ts";
import type { PowerLoss } from "../../../node/peer/power-loss.ts";
import { type LostCounts, RoomHolds } from "../../../node/peer/room-holds.ts";

const [A, B] = ["a", "b"] as RoomId[] as [RoomId, RoomId];
const NOW = 7;

function roomOf(id: RoomId, minute = NOW): MeshRoom {
  return { id, admission: { sessions: { record: { minute: minute as Minute } } } } as MeshRoom;
}

/** Holds of two rooms, with what was held and logged. */
function open({ isPowerLost = false, isTrusted = true } = {}) {
  const held: RoomId[] = [];
  const logged: string[] = [];
  let losses = 0;
  const holds = new RoomHolds({
    rooms: new Map([A, B].map((id) => [id, roomOf(id)])),
    lost: {
      note: (id) => !held.includes(id) && held.push(id) > 0,
      isHeld: (id) => held.includes(id),
    } as Partial<LostCounts> as LostCounts,
    powerLoss: () =>
      ({
        isOpen: isPowerLost,
        noteLoss: () => {
          losses += 1;
        },
      }) as Partial<PowerLoss> as PowerLoss,
    time: { isTrusted, isYetToCome: (minute) => minute > NOW },
    changed: () => {},
    log: (_fields, text) => logged.push(text),
  });
  return { holds, held, logged, losses: () => losses };
}

test("a disk that lacks counts of one room may lack more: all rooms are held, and all others are asked for gifts", () => {
  const { holds, held, logged, losses } = open();
  holds.lostCommits();
  holds.lostCommits();
  expect([held, losses()]).toEqual([[A, B], 2]);
  // Each room is named once.
  expect(logged.map((text) => text.includes("lost admissions"))).toEqual([true, true]);
});

test.each([
  { what: "of this minute", minute: NOW, holds: false },
  { what: "of a minute that is yet to come", minute: NOW + 1, holds: true },
  { what: "of such a minute, while no member's clock is known", minute: NOW + 1, isTrusted: false, holds: false },
  { what: "after a loss of power", minute: NOW, isPowerLost: true, holds: true },
])("a room that is added $what: held is $holds", ({ minute, holds: isHeld, ...options }) => {
  const { holds, held } = open(options);
  holds.add(roomOf(A, minute));
  expect(held).toEqual(isHeld ? [A] : []);
});
