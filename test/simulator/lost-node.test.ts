/**
 * What the loss of a node costs, in cases that take a second; all of them run with `npm run simulate -- --scenario
 * lost-node`.
 */

import { describe, expect, test } from "vitest";
import { LOST_CASES, LOST_ROOM, type LostResult, lostCasesOf, runLost } from "../sim/lost-node.ts";
import { lostPage, lostText, lostVerdict } from "../sim/lost-node-report.ts";

function runOf(name: string): LostResult {
  const [one] = lostCasesOf(name);
  if (one === undefined) throw new Error(`Cannot run ${name} as there is no such case`);
  return runLost(one, 1);
}

describe("the cases", () => {
  test.each([
    ["", LOST_CASES.length],
    ["gone", 36],
    ["third-gone-3x1", 3],
    ["gone-3x1-third-calm", 1],
    ["gone-3x1-third-calm,cut-5x3-ninetenths-line", 2],
    ["gone-cut", 0],
    ["nonsense", 0],
  ])("with the words %j are %i", (words, count) => {
    expect(lostCasesOf(words)).toHaveLength(count);
  });
});

describe("a node that is lost for good", () => {
  test("costs what visitors who wait for it cannot have, and all of it is usable in the end", () => {
    const result = runOf("gone-3x1-third-rush");
    const { usable, free } = result;
    expect(usable[0]).toBe(LOST_ROOM);
    expect(usable[5]).toBe(LOST_ROOM - free);
    expect(usable.at(-1)).toBe(LOST_ROOM);
    // Above all that the crowd has taken all that is counted as usable.
    expect(lostVerdict([result]).filter(({ ok }) => !ok)).toEqual([]);
  });
});

describe("a process that is started again at once", () => {
  const results = lostCasesOf("restart-3x3-third").map((one) => runLost(one, 1));

  test("costs nothing for longer than a moment, and its visitors are spoken for again", () => {
    for (const { usable, away, held } of results) {
      expect(usable.slice(5).every((slots) => slots === LOST_ROOM)).toBe(true);
      expect(away[0]).toBe(held);
      expect(away.at(-1)).toBeLessThan(held / 2);
    }
    expect(lostVerdict(results).filter(({ ok }) => !ok)).toEqual([]);
  });

  test("is shown as a table and on a page, with the aims", () => {
    const text = lostText(results, { color: false, width: 160 });
    for (const { name } of results) expect(text).toContain(name);
    expect(text).toContain("below 95 % for");
    expect(lostPage(results)).toContain("Usable slots: restart 3x3");
  });
});

describe("the verdict", () => {
  const calm: LostResult = {
    ...{ name: "gone-3x1-third-rush", seed: 1, broken: null, held: 30, free: 70 },
    ...{ usable: Array(1_000).fill(LOST_ROOM), inside: Array(1_000).fill(LOST_ROOM), away: Array(1_000).fill(0) },
  };
  const failed = (result: LostResult): string[] => lostVerdict([result]).flatMap(({ ok, name }) => (ok ? [] : name));

  test("fails where slots are called usable that a waiting crowd cannot have", () => {
    expect(failed(calm)).toEqual([]);
    expect(failed({ ...calm, inside: Array(1_000).fill(230) })).toEqual([
      "in a rush: usable for 60 s, and taken by nobody",
    ]);
  });

  test("fails where a process that is only started again costs slots for long", () => {
    const low = calm.usable.map((slots, second) => (second > 0 && second < 6 ? 200 : slots));
    expect(failed({ ...calm, name: "restart-3x1-third-calm", usable: low })).toEqual([
      "killed and started within the lease: below 95 % for",
    ]);
  });

  test("fails where a promise was broken", () => {
    expect(failed({ ...calm, broken: "seed 1, 3.0 s: never over: 301 sessions inside, 300 allowed" })).toEqual([
      "runs that broke a promise",
    ]);
  });
});
