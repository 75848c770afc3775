/** What is read of a room besides, mesh-room-disk.test.ts and rooms.test.ts show. */

import { expect, test } from "vitest";
import type { RoomId } from "../../../mesh/core/ids.ts";
import { REVOKED } from "../../../node/admission/mesh/stored-room.ts";
import { StoredRooms } from "../../../node/storage/stored-rooms.ts";

const MINUTE_MS = 60_000;
const M = 29_000_000;
const SHOP = "shop" as RoomId;

test("of the sessions that were ended, those of the room are read whose cookies could be good", () => {
  const entries = {
    [REVOKED.at(SHOP, "over")]: M - 1,
    [REVOKED.at(SHOP, "last-minute")]: M,
    [REVOKED.at(SHOP, "later_-")]: M + 5,
    [REVOKED.at("bar" as RoomId, "anna")]: M,
  };
  expect(new StoredRooms(new Map(Object.entries(entries)), MINUTE_MS).restored(SHOP, M * MINUTE_MS)).toEqual({
    record: undefined,
    line: undefined,
    revoked: [
      { id: "last-minute", lastGood: M },
      { id: "later_-", lastGood: M + 5 },
    ],
  });
});
