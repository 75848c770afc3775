import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { QueueItKeys, tokenTimes } from "../../../../node/adapters/queue-it/token.ts";

const NOW_MS = Date.UTC(2026, 10, 27, 10);

describe("the times of a token", () => {
  test("a cookie that the connector gives in the token's last moment ends before the session does", () => {
    const leftMs = fc.integer({ min: -60_000, max: 31 * 60_000 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 59_999 }), leftMs, fc.boolean(), (ms, left, isRenewable) => {
        const nowMs = NOW_MS + ms;
        const times = tokenTimes(nowMs, nowMs + left, isRenewable);
        if (times === undefined) {
          expect(left).toBeLessThan(83_000);
          return;
        }
        const { untilSeconds, cookieMinutes } = times;
        // The connector reads its clock in whole seconds, and takes a token in its last one, and a cookie too.
        expect((untilSeconds + cookieMinutes * 60 + 1) * 1_000).toBeLessThanOrEqual(nowMs + left);
        expect(cookieMinutes).toBeGreaterThanOrEqual(1);
        expect(Number.isInteger(cookieMinutes) && Number.isInteger(untilSeconds)).toBe(true);
        expect(untilSeconds * 1_000 - nowMs).toBeGreaterThanOrEqual(20_000);
        expect(untilSeconds * 1_000 - nowMs).toBeLessThan(61_001);
      }),
    );
  });

  test.each([
    [2, 1],
    [5, 2],
    [20, 10],
    [30, 15],
  ])("a session of %i minutes that was extended just now is extended again after %i", (session, minutes) => {
    for (const intoMinuteMs of [0, 30_000, 59_999])
      expect(tokenTimes(NOW_MS + intoMinuteMs, NOW_MS + (session + 1) * 60_000, true)?.cookieMinutes).toBeOneOf([
        minutes,
        Math.max(1, minutes - 1),
      ]);
  });

  test("a session that is not extended lasts to its last whole minute", () => {
    expect(tokenTimes(NOW_MS, NOW_MS + 6 * 60_000, false)?.cookieMinutes).toBe(5);
  });
});

describe("a token", () => {
  const keys = new QueueItKeys({ secret: "ours", apiKey: "the key" });
  const content = {
    eventId: "tickets",
    queueId: "4QK7-X2MD",
    redirectType: "queue",
    times: { untilSeconds: NOW_MS / 1_000 + 60, cookieMinutes: 2 },
  } as const;

  test("has the form that connectors read", () => {
    expect(keys.token(content)).toMatch(/^e_tickets~q_4QK7-X2MD~ts_\d{10}~ce_false~cv_2~rt_queue~h_[0-9a-f]{64}$/);
  });

  test("is known again until its time, for its event and under its key only", () => {
    const token = keys.token(content);
    expect(keys.isGood(token, "tickets", NOW_MS)).toBe(true);
    expect(keys.isGood(token, "tickets", NOW_MS + 60_001)).toBe(false);
    expect(keys.isGood(token, "ticket", NOW_MS)).toBe(false);
    expect(keys.isGood(token.replace("cv_2", "cv_9"), "tickets", NOW_MS)).toBe(false);
    expect(new QueueItKeys({ secret: "theirs", apiKey: undefined }).isGood(token, "tickets", NOW_MS)).toBe(false);
  });

  test("of any text is good or not, and nothing is thrown", () => {
    fc.assert(fc.property(fc.string(), (text) => keys.isGood(text, "tickets", NOW_MS) === false));
  });

  test("the API key is compared whole, and none is accepted where there is none", () => {
    expect(["the key", "the ke", "", "the key "].map((key) => keys.isApiKey(key))).toEqual([true, false, false, false]);
    expect(new QueueItKeys({ secret: "ours", apiKey: undefined }).isApiKey("")).toBe(false);
  });
});
