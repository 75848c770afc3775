import { describe, expect, test } from "vitest";
import type { Minute, RoomId } from "../../../mesh/core/ids.ts";
import type { AdmissionRecord } from "../../../node/admission/admission-record.ts";
import type { LineSummary } from "../../../node/admission/line.ts";
import { ADMISSION, LINE as LINES, REVOKED } from "../../../node/admission/mesh/stored-room.ts";
import { StoredRooms } from "../../../node/storage/stored-rooms.ts";

const MINUTE_MS = 60_000;
const M = 29_000_000;
const SHOP = "shop" as RoomId;
const BAR = "bar" as RoomId;

const RECORD: AdmissionRecord = { slots: [[M as Minute, 3]], minute: M as Minute, admittedInMinute: 2 };
const LINE: LineSummary = { horizon: 1, lastKey: 3, ranges: [[2, 3, 2]] };

/** What is on disk for `room` at the start of minute M. */
function restored(entries: Readonly<Record<string, unknown>>, room = SHOP) {
  return new StoredRooms(new Map(Object.entries(entries)), MINUTE_MS).restored(room, M * MINUTE_MS);
}

describe("what a data directory holds of a room", () => {
  test("is nothing where nothing was put", () => {
    expect(restored({ alive: 1, "members/view": {} })).toEqual({
      record: undefined,
      line: undefined,
      revoked: [],
    });
  });

  test("are its slots and its line, either without the other", () => {
    const record = { [ADMISSION.at(SHOP)]: RECORD };
    const line = { [LINES.at(SHOP)]: LINE };
    expect(restored({ ...record, ...line })).toEqual({ record: RECORD, line: LINE, revoked: [] });
    expect(restored(record).line).toBeUndefined();
    expect(restored(line).record).toBeUndefined();
  });

  test("are the sessions that were ended, as long as their cookies could be good", () => {
    const entries = {
      [REVOKED.at(SHOP, "over")]: M - 1,
      [REVOKED.at(SHOP, "last-minute")]: M,
      [REVOKED.at(SHOP, "later_-")]: M + 5,
    };
    expect(restored(entries).revoked).toEqual([
      { id: "last-minute", lastGood: M },
      { id: "later_-", lastGood: M + 5 },
    ]);
  });

  test("is not another room's", () => {
    const entries = {
      [ADMISSION.at(SHOP)]: RECORD,
      [LINES.at(SHOP)]: LINE,
      [REVOKED.at(SHOP, "anna")]: M,
    };
    expect(restored(entries, BAR)).toEqual({ record: undefined, line: undefined, revoked: [] });
  });
});
