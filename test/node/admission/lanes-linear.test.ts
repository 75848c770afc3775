/** A visitor of a lane who joins a long line costs as much as one who joins a short one. */

import { test } from "vitest";
import { Line } from "../../../node/admission/line.ts";
import { lanesOf } from "../../../node/config/lane-fields.ts";
import { expectSteps } from "../../linear.ts";

const NOW_MS = Date.UTC(2026, 10, 22);

/** Four times what each takes. A look at everybody in the line takes 50,000. */
const STEPS_EACH_MAX = 10_000;

test("many join by a lane while many wait without one", () => {
  const line = new Line(undefined, { shares: lanesOf({ 1: 50, 2: 20 }) });
  const join = (count: number, lane: number): void => {
    for (let visitor = 0; visitor < count; visitor++) line.join(NOW_MS, lane);
  };
  join(50_000, 0);
  expectSteps(1_000 * STEPS_EACH_MAX, () => join(1_000, 1));
});
