import { expect, test } from "vitest";
import { IS_FULL } from "./bounds.ts";
import { runSchedule } from "./testimony-model.ts";

const SCHEDULES = IS_FULL ? 400_000 : 6_000;

test("what a node says after its return never lets in more visitors than there are slots", () => {
  const seen = { taken: 0, freed: 0, steps: 0 };
  for (let seed = 1; seed <= SCHEDULES; seed++) {
    const { broken, taken, freed, steps } = runSchedule(seed);
    expect(broken && `schedule ${seed}: ${broken}`).toBeUndefined();
    seen.taken += taken;
    seen.freed += freed;
    seen.steps += steps;
  }
  console.log(
    `testimonies: ${SCHEDULES} schedules, ${seen.steps} steps, ${seen.taken} taken, ${seen.freed} slots freed`,
  );
  expect(seen.taken).toBeGreaterThan(SCHEDULES / 10);
});
