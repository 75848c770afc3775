import { describe, expect, test } from "vitest";
import { RequestWindow } from "../../../../node/admission/pace/request-window.ts";
import { heldBackShare } from "../../../../node/admission/pace/throttle.ts";
import { UsualLatency } from "../../../../node/admission/pace/usual-latency.ts";
import { rampLevel, rampOf, rampText } from "../../../../node/config/ramp.ts";

const MINUTE_MS = 60_000;

describe("a ramp", () => {
  test("CT-2: 500/50/5 starts at 500 and reaches about 740,000 after 90 minutes", () => {
    const ramp = rampOf("500/s/50/5");
    const perSecond = (minutes: number) => rampLevel(ramp, minutes) / 60;
    expect([0, 4.99, 5, 10, 15].map(perSecond)).toEqual([500, 500, 750, 1_125, 1_687.5]);
    expect(Math.round(perSecond(90) / 10_000)).toBe(74);
  });

  test("does not begin below its start for a clock that is behind", () => {
    expect(rampLevel(rampOf("7/min/50/5"), -3)).toBe(7);
  });

  test("is read as it is written", () => {
    for (const text of ["500/s/12.5/5", "30000/min/50/5"]) expect(rampText(rampOf(text))).toBe(text);
  });
});

test.each([
  [{ requests: 100, accepts: 100 }, 2, 0],
  [{ requests: 100, accepts: 50 }, 2, 0],
  [{ requests: 100, accepts: 40 }, 2, 20 / 101],
  [{ requests: 100, accepts: 0 }, 2, 100 / 101],
  [{ requests: 100, accepts: 90 }, 1.1, 1 / 101],
  [{ requests: 9, accepts: 0 }, 2, 0],
])("CT-10: of %j with K = %f a share of %f is held back", (counts, k, share) => {
  expect(heldBackShare(counts, k)).toBeCloseTo(share, 9);
});

test("the window of requests forgets what is older than it, and leaves out what was sent just now", () => {
  const window = new RequestWindow(10, 1_000);
  window.sent(500);
  window.accepted(10, 600);
  window.sent(9_500);
  expect(window.totals(9_900)).toMatchObject({ sent: 2, accepted: 1 });
  expect(window.totals(9_900, 1)).toMatchObject({ sent: 1, accepted: 1 });
  expect(window.totals(10_000)).toMatchObject({ sent: 1, accepted: 0 });
  expect(window.totals(30_000)).toEqual({ sent: 0, accepted: 0, failed: 0, medianMs: undefined });
});

describe("the usual latency", () => {
  const at = (seconds: number) => ({ nowMs: seconds * 1_000, minuteMs: MINUTE_MS });

  test("tenfold is slow, and stays so for longer than a session lasts", () => {
    const usual = new UsualLatency();
    for (let second = 0; second < 60; second++) expect(usual.gradient(50, 3, at(second))).toBe(1);
    for (let second = 60; second < 660; second++) expect(usual.gradient(500, 3, at(second))).toBe(0.95);
    expect(usual.gradient(160, 3, at(661))).toBe(1);
  });

  test("an origin of which every request fails is slow, once it is known otherwise", () => {
    const usual = new UsualLatency();
    expect(usual.gradient(Number.POSITIVE_INFINITY, 3, at(0))).toBe(1);
    usual.gradient(50, 3, at(1));
    expect(usual.gradient(Number.POSITIVE_INFINITY, 3, at(2))).toBe(0.95);
    expect(usual.usualMs).toBe(50);
  });
});
