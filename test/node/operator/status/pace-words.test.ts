import { expect, test } from "vitest";
import type { Holding } from "../../../../node/admission/pace/pace.ts";
import { rampOf } from "../../../../node/config/ramp.ts";
import { holdingIn, paceWords } from "../../../../node/operator/status/pace-words.ts";
import type { LiveRoom } from "../../../../node/rooms/live-room.ts";

const SHOP = { name: "shop", ramp: rampOf("500/min/50/5") };

const CASES: [Holding, string][] = [
  [{ reason: "ramp", perMinute: 1_687.5 }, "letting in at most 1,687 new visitors a minute of shop: ramp 500/min/50/5"],
  [{ reason: "paced", perMinute: 60 }, "letting in at most 60 new visitors a minute of shop, evenly: pace"],
  [{ reason: "down", perMinute: 0 }, "letting in nobody to shop: its origin is down"],
  [
    { reason: "failing", perMinute: 60, share: 0.4, answers: true },
    "holding back 40 % of new visitors of shop: origin answers 5xx",
  ],
  [
    { reason: "failing", perMinute: 0, share: 0.994, answers: false },
    "holding back 99 % of new visitors of shop: origin does not answer",
  ],
  [
    { reason: "failing", perMinute: 75, share: 0 },
    "letting in at most 75 new visitors a minute of shop, more each minute: origin failed",
  ],
  [
    { reason: "slow", perMinute: 0, recentMs: 1_840, usualMs: 60.4 },
    "holding back new visitors of shop: origin takes 1,840 ms, usually 60 ms",
  ],
  [
    { reason: "slow", perMinute: 0, recentMs: Number.POSITIVE_INFINITY, usualMs: 60 },
    "holding back new visitors of shop: origin takes too long, usually 60 ms",
  ],
  [
    { reason: "slow", perMinute: 12, recentMs: 70, usualMs: 60 },
    "letting in at most 12 new visitors a minute of shop: origin was slow",
  ],
];

test.each(CASES)("%j in words", (holding, words) => {
  expect(paceWords(SHOP, holding)).toBe(words);
});

test.each([
  [{ queueingMethod: "fifo" }, true],
  [{ queueingMethod: "passthrough", queueAll: true }, true],
  [{ queueingMethod: "passthrough" }, false],
  [{ queueingMethod: "reject" }, false],
  [{ queueingMethod: "fifo", suspended: true }, false],
])("a room with %j is held back: %s", (fields, isHeldBack) => {
  const holding: Holding = { reason: "down", perMinute: 0 };
  const live = { room: fields, meshRoom: { pace: { holding } } } as unknown as LiveRoom;
  expect(holdingIn(live)).toBe(isHeldBack ? holding : undefined);
});
