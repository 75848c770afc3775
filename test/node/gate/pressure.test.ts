import { describe, expect, test } from "vitest";
import { LEVELS, Pressure } from "../../../node/gate/pressure.ts";

const CALM = { lagMs: 2, memory: 0.1 };

/** The level after each look. */
function levels(pressure: Pressure, looks: readonly { lagMs?: number; memory?: number }[]): number[] {
  return looks.map((look, index) => {
    pressure.look({ ...CALM, ...look }, index);
    return pressure.level;
  });
}

function times<Value>(count: number, value: Value): Value[] {
  return Array.from({ length: count }, () => value);
}

describe("pressure", () => {
  test.each([
    ["none", { lagMs: 499 }, { memory: 0.79 }],
    ["plain", { lagMs: 500 }, { memory: 0.8 }],
    ["closed", { lagMs: 1_000 }, { memory: 0.9 }],
    ["bare", { lagMs: 2_000 }, { memory: 0.95 }],
  ] as const)("is %s at the third look in a row that finds %o or %o", (level, lag, memory) => {
    for (const look of [lag, memory]) expect(levels(new Pressure(0), times(3, look))).toEqual([0, 0, LEVELS[level]]);
  });

  test("is none after one long pause, however long", () => {
    expect(levels(new Pressure(0), [{ lagMs: 30_000 }, {}, { lagMs: 30_000 }, { lagMs: 30_000 }, {}])).toEqual(
      times(5, 0),
    );
  });

  test("is what all of three looks ask for", () => {
    expect(levels(new Pressure(0), [{ lagMs: 5_000 }, { lagMs: 600 }, { lagMs: 1_500 }]).at(-1)).toBe(LEVELS.plain);
  });

  test("ends after two seconds well below it, and not before", () => {
    const pressure = new Pressure(0);
    levels(pressure, times(3, { lagMs: 2_400 }));
    expect(levels(pressure, times(50, { lagMs: 1_200 })).at(-1)).toBe(LEVELS.bare);
    expect(levels(pressure, times(19, { lagMs: 800 })).at(-1)).toBe(LEVELS.bare);
    expect(levels(pressure, [{ lagMs: 800 }])).toEqual([LEVELS.plain]);
    expect(levels(pressure, times(20, {})).at(-1)).toBe(LEVELS.none);
  });

  test("is reported once per change, with what is no longer done", () => {
    const pressure = new Pressure(0);
    const told = [...times(5, { lagMs: 1_200, memory: 0.3 }), ...times(25, CALM)].flatMap(
      (look) => pressure.look(look, 1) ?? [],
    );
    expect(told).toEqual([
      "this node is hard-pressed (timers 1200 ms late, 30 % of memory taken): new visitors are asked to come back later",
      "this node is no longer under pressure: all visitors are served again",
    ]);
    expect(pressure.words).toBeUndefined();
  });
});
