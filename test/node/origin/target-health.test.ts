import { describe, expect, test } from "vitest";
import { Target, TargetHealth, WindowCount } from "../../../node/origin/target.ts";

/** `p` and `P`: a probe that failed, or went well; `r` and `R`: a visitor's request. */
function healthBy(steps: string): TargetHealth {
  const health = new TargetHealth(0);
  [...steps].forEach((step, index) => {
    if (step === "P") health.probed(undefined, index + 1);
    else if (step === "p") health.probed("refused", index + 1);
    else if (step === "R") health.answered();
    else health.failed("no answer", index + 1);
  });
  return health;
}

describe("a target", () => {
  test.each([
    ["", "is up until the contrary is known"],
    ["ppPpp", "counts failed probes in a row only"],
    ["rrrrRrrrr", "counts failed requests in a row only"],
    ["pprrrr", "does not add up probes and requests"],
    ["pppPP", "is up again after two good probes"],
    ["rrrrrPP", "is up again after two good probes, whatever took it down"],
    ["pppPPpp", "needs as many failures as before once it is up again"],
  ])("%s: %s", (steps) => expect(healthBy(steps)).toMatchObject({ isUp: true, reason: "" }));

  test.each([
    ["ppp", "refused", 3],
    ["rrrrr", "no answer", 5],
    ["PrPrPrPrPr", "no answer", 10],
    ["pppP", "refused", 3],
    ["pppRRRR", "refused", 3],
    ["pppPPppp", "refused", 8],
  ])("%s: is down as %s since %i", (steps, reason, sinceMs) =>
    expect(healthBy(steps)).toMatchObject({ isUp: false, reason, sinceMs }),
  );
});

test("a target is not taken down by requests that an origin breaks off, though they count as failed", () => {
  const address = { hostname: "a.example", port: 80, tls: false, basePath: "", authority: "a.example" };
  const target = new Target({ url: "http://a.example", address }, { nowMs: 0, minuteMs: 60_000 });
  for (let request = 0; request < 20; request++) target.failed({ kind: "bad-response", detail: "broken" }, 1);
  expect(target).toMatchObject({ failures: 20, health: { isUp: true } });
  for (let request = 0; request < 5; request++) target.failed({ kind: "timeout", detail: "no answer" }, 1);
  expect(target.health).toMatchObject({ isUp: false, reason: "no answer" });
});

const START_MS = 1_200_000_000_000;

test("a count has what is within the window, and forgets it part by part", () => {
  const count = new WindowCount(12_000);
  for (let second = 0; second < 20; second++) count.add(START_MS + second * 1_000);
  expect(count.sum(START_MS + 19_000)).toBe(12);
  expect(count.sum(START_MS + 25_000)).toBe(6);
  expect(count.sum(START_MS + 40_000)).toBe(0);
});

test("a count is empty after a long pause, after a clock that went back, and when cleared", () => {
  const count = new WindowCount(12_000);
  count.add(START_MS);
  expect(count.sum(START_MS + 3_600_000)).toBe(0);
  count.add(START_MS + 3_600_000);
  expect(count.sum(START_MS)).toBe(0);
  count.add(START_MS);
  count.clear();
  expect(count.sum(START_MS)).toBe(0);
});
