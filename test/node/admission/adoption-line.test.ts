import { expect, test } from "vitest";
import type { Minute } from "../../../mesh/core/ids.ts";
import { AdoptionLine } from "../../../node/admission/adoption-line.ts";

const until = (lastGood: number) => ({ lastGood: lastGood as Minute });

test("who asks again keeps the place, and counts by the newer cookie", () => {
  const line = new AdoptionLine();
  line.join("anna", until(5));
  line.join("bert", until(5));
  line.join("anna", until(6));
  expect([...line.asked]).toEqual([
    ["anna", until(6)],
    ["bert", until(5)],
  ]);
  expect(line.next(5 as Minute, () => true)).toMatchObject({ id: "anna", lastGood: 6 });
});

test("no more than ten thousand are remembered; those that are may still ask again", () => {
  const line = new AdoptionLine();
  for (let session = 0; session < 10_001; session++) line.join(`session ${session}`, until(5));
  line.join("session 0", until(6));
  const { asked } = line;
  expect([asked.size, asked.get("session 0"), asked.has("session 10000")]).toEqual([10_000, until(6), false]);
});
