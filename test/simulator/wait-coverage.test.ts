import { expect, test } from "vitest";
import { WaitCoverage } from "../sim/wait-coverage.ts";

const range = (seconds: number) => ({ seconds, lowSeconds: seconds - 10, highSeconds: seconds + 10 });

test("a true wait is compared with each range that was shown before", () => {
  const coverage = new WaitCoverage<object>();
  const anna = {};
  coverage.shows(anna, range(60), 0);
  coverage.shows(anna, range(80), 20_000);
  coverage.shows(anna, undefined, 30_000);
  coverage.enters(anna, 65_000);
  expect(coverage.counts).toMatchObject({
    first: { below: 0, within: 1, above: 0 },
    all: { below: 1, within: 1, above: 0 },
  });
});
