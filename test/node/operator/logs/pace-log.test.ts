import { expect, test } from "vitest";
import type { Holding } from "../../../../node/admission/pace/pace.ts";
import type { Log } from "../../../../node/log.ts";
import { PaceLog } from "../../../../node/operator/logs/pace-log.ts";
import type { LiveRoom } from "../../../../node/rooms/live-room.ts";

/** What is logged about a room that is held back like this, second by second. */
function told(holdings: readonly (Holding | undefined)[]): string[] {
  const lines: string[] = [];
  const say = (level: string) => (_fields: object, text: string) => void lines.push(`${level} ${text}`);
  const log = { info: say("info"), warn: say("warn") } as unknown as Log;
  const paceLog = new PaceLog(log);
  for (const [second, holding] of holdings.entries()) {
    const room = { id: "1", room: { name: "shop", queueingMethod: "fifo" }, meshRoom: { pace: { holding } } };
    paceLog.tick([room as unknown as LiveRoom], 1e12 + second * 1_000);
  }
  return lines;
}

const FAILING: Holding = { reason: "failing", perMinute: 0, share: 0.99, answers: false };

test("the beginning and the end of holding back are reported once each", () => {
  const seconds = Array.from({ length: 60 }, (_, second) => (second >= 5 && second < 30 ? FAILING : undefined));
  expect(told(seconds)).toEqual([
    "warn holding back 99 % of new visitors of shop: origin does not answer",
    "info new visitors are no longer held back",
  ]);
});

test("an origin on the edge does not fill the log", () => {
  const seconds = Array.from({ length: 60 }, (_, second) => (second % 2 === 0 ? FAILING : undefined));
  expect(told(seconds).length).toBeLessThanOrEqual(7);
});

test("a measure that moves is reported now and then", () => {
  const seconds = Array.from({ length: 61 }, (_, second) => ({ ...FAILING, share: second / 100 }));
  expect(told(seconds).length).toBe(3);
});
