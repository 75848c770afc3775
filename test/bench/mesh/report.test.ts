import { expect, test } from "vitest";
import { aimLines } from "../report.ts";
import { type Asked, INCREMENT, TICKET } from "./asked.ts";
import { meshAims } from "./report.ts";

const asked = (name: string, p50Ms: number, p99Ms: number): Asked => ({ name, p50Ms, p99Ms });

test("aims on several nodes are judged by what was measured, and left out where nothing was", () => {
  const rounds = [asked(TICKET, 0.3, 2), asked(INCREMENT, 0.05, 0.4)];
  expect(aimLines(meshAims({ asked: rounds, whole: { idleCore: 0.02, seenMs: [999] } }))).toEqual([
    "missed  ticket p50 at most 3 times Redis INCR's: 6.00",
    "met     ticket p99 under 5 ms: 2.00",
    "met     an admission seen everywhere, of 10 nodes, p99 under 1,000 ms: 999",
    "met     idle node of 10 under 3 % of a core: 2.00",
  ]);
  expect(meshAims({ asked: [asked(TICKET, 0.3, 7)], whole: undefined })).toEqual([
    { text: "ticket p99 under 5 ms", measured: 7, isMet: false },
  ]);
});
