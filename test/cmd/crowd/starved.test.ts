import { describe, expect, test } from "vitest";
import { Starved, starvedText } from "../../../cmd/crowd/starved.ts";

/**
 * Ten seconds of looks 100 ms apart, in which one process waits for so many ms of each second, and this one's timers
 * are late at 5 s.
 */
function figures(waitsMs: number, { lateMs = 0, isKnown = true } = {}) {
  let nowMs = 0;
  const waitedMs: Record<number, number> = { 1: 0, 2: 0 };
  const processes = [
    { name: "this process", pid: 1 },
    { name: "node 2", pid: 2 },
    { name: "node 3", pid: undefined },
  ];
  const starved = new Starved(
    () => processes,
    (pid) => (isKnown ? waitedMs[pid] : undefined),
  );
  for (let look = 0; look <= 100; look++) {
    nowMs += look === 50 ? 100 + lateMs : 100;
    waitedMs[1] = 0.02 * nowMs;
    waitedMs[2] = (waitsMs / 1_000) * nowMs;
    starved.look(nowMs);
  }
  return starved.figures;
}

describe("a run is starved", () => {
  test.each([
    ["nobody waits for long", figures(30), false, 3],
    ["a node waits for a core half of the time", figures(500), true, 50],
    ["its own timers are late", figures(30, { lateMs: 900 }), true, 3],
    ["nothing tells, and the timers are in time", figures(500, { isKnown: false }), false, null],
  ])("%s", (_, found, isStarved, waited) => {
    expect(found).toMatchObject({ is_starved: isStarved, waited_percent: waited });
  });

  test("by its worst second too", () => {
    let waitedMs = 0;
    const starved = new Starved(
      () => [{ name: "node 1", pid: 7 }],
      () => waitedMs,
    );
    for (let look = 0; look <= 300; look++) {
      if (look > 100 && look <= 110) waitedMs += 90;
      starved.look(100 * look);
    }
    expect(starved.figures).toMatchObject({ worst_second_percent: 90, waited_percent: 3, is_starved: true });
  });

  test("by many timers that are a little late, where the kernel says nothing", () => {
    const lateEach = (every: number) => {
      const starved = new Starved(() => []);
      for (let [look, nowMs] = [1, 0]; look <= 100; look++) {
        nowMs += look % every === 0 ? 160 : 100;
        starved.look(nowMs);
      }
      return starved.figures;
    };
    expect(lateEach(5)).toMatchObject({ late_timers_percent: 20, longest_lag_ms: 60, is_starved: true });
    expect(lateEach(20)).toMatchObject({ late_timers_percent: 5, is_starved: false });
  });

  test("and not because a process was started again, whose count begins at nothing", () => {
    let pid = 1;
    const starved = new Starved(
      () => [{ name: "node 1", pid }],
      () => (pid === 1 ? 100 : 5_000),
    );
    for (let look = 0; look <= 40; look++) {
      if (look === 20) pid = 2;
      starved.look(100 * look);
    }
    expect(starved.figures).toMatchObject({ waited_percent: 0, is_starved: false });
  });

  test("as text: who waited, for how long", () => {
    expect(starvedText(figures(500))).toBe(
      "node 2 waited for a core 50 % of its time, 50 % of a second at worst; 0 % of the timers of this process were late, by up to 0 ms",
    );
    expect(starvedText(figures(500, { isKnown: false }))).toBe(
      "0 % of the timers of this process were late, by up to 0 ms",
    );
  });

  test("is found out on this machine too: the kernel counts, where there is one that does", () => {
    const starved = new Starved(() => [{ name: "this process", pid: process.pid }]);
    for (let look = 0; look <= 40; look++) starved.look(100 * look);
    expect(starved.figures.waited_percent === null).toBe(process.platform !== "linux");
  });
});
