import { expect, test } from "vitest";
import { longestWait } from "../../../cmd/chaos/shares.ts";
import type { RoomStatus } from "../../../node/operator/status/status.ts";
import { STATUS } from "../admin-node.ts";

test.each([
  [[12, 40, 3], 40],
  [[0, null], 0],
  [[null, null], null],
  [[], null],
])("of the waits %j that nodes tell the longest is %j", (waits, longest) => {
  const statuses = waits.map((wait_seconds) => ({ ...STATUS, rooms: [{ wait_seconds } as RoomStatus] }));
  expect(longestWait([...statuses, STATUS])).toBe(longest);
});
