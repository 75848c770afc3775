import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatMinutes, type WaitingView, waitingJson } from "../../../node/gate/waiting-view.ts";
import { anyView, VIEW } from "./waiting-views.ts";

const room = (view: Partial<WaitingView>) => JSON.parse(waitingJson({ ...VIEW, ...view })).cfWaitingRoom;

describe("the JSON answer to a waiting visitor", () => {
  test("has all 25 documented fields, in their order and with their types", () => {
    expect(room({})).toStrictEqual({
      inWaitingRoom: true,
      waitTimeKnown: true,
      waitTime: 5,
      waitTime25Percentile: 5,
      waitTime50Percentile: 5,
      waitTime75Percentile: 5,
      waitTimeFormatted: "5 minutes",
      queueIsFull: false,
      queueAll: false,
      lastUpdated: "2020-08-03T23:46:00.000Z",
      refreshIntervalSeconds: 20,
      queueingMethod: "fifo",
      isFIFOQueue: true,
      isRandomQueue: false,
      isPassthroughQueue: false,
      isRejectQueue: false,
      isEventActive: false,
      isEventPrequeueing: false,
      timeUntilEventStart: 0,
      timeUntilEventStartFormatted: "unavailable",
      timeUntilEventEnd: 0,
      timeUntilEventEndFormatted: "unavailable",
      shuffleAtEventStart: false,
      turnstile: "",
      infiniteQueue: false,
    });
    expect(Object.keys(room({}))).toHaveLength(25);
  });

  test("has the percentiles of the wait, in whole minutes and in seconds", () => {
    const answer = JSON.parse(waitingJson({ ...VIEW, waitRange: [119, 601] }));
    expect(answer.cfWaitingRoom).toMatchObject({
      waitTime25Percentile: 2,
      waitTime50Percentile: 5,
      waitTime75Percentile: 11,
    });
    expect(answer.anteroom).toMatchObject({ waitSeconds25Percentile: 119, waitSeconds75Percentile: 601 });
  });

  test("is valid JSON and agrees with itself for every view", () => {
    fc.assert(
      fc.property(anyView, (view) => {
        const { cfWaitingRoom, anteroom } = JSON.parse(waitingJson(view));
        expect(Object.keys(cfWaitingRoom)).toHaveLength(25);
        expect(cfWaitingRoom.waitTimeKnown).toBe(view.waitSeconds !== null);
        expect(cfWaitingRoom.waitTime * 60).toBeGreaterThanOrEqual(view.waitSeconds ?? 0);
        expect(cfWaitingRoom.queueIsFull).toBe(view.kind === "full");
        expect(anteroom.message ?? "").toBe(view.message);
        expect(anteroom.ahead).toBe(Math.max(0, anteroom.position - 1));
      }),
    );
  });
});

test.each([
  [1, "1 minute"],
  [10, "10 minutes"],
  [60, "1 hour"],
  [61, "1 hour 1 minute"],
  [65, "1 hour 5 minutes"],
  [120, "2 hours"],
])("%i minutes read as %s", (minutes, words) => expect(formatMinutes(minutes)).toBe(words));
