import { expect, test } from "vitest";
import { LEVELS, Pressure } from "../../../node/gate/pressure.ts";
import { createLog } from "../../../node/log.ts";
import { pressureLook } from "../../../node/process/pressure-look.ts";
import { TICK_MS } from "../../../node/process/shell.ts";

function start(setting: "on" | "off" = "on") {
  const pressure = new Pressure(0);
  const state = { steadyMs: 0, memoryBytes: 10, looks: 0 };
  const look = pressureLook(
    {
      settings: { pressure: setting },
      clock: () => state.steadyMs,
      steadyClock: () => state.steadyMs,
      memoryBytes: () => {
        state.looks += 1;
        return state.memoryBytes;
      },
      memoryBytesMax: 100,
      log: createLog({ level: "error", format: "text", write: () => {} }),
    },
    pressure,
  );
  const tick = (times: number, lateMs = 0): void => {
    for (let left = times; left > 0; left--) {
      state.steadyMs += TICK_MS + lateMs;
      look(lateMs);
    }
  };
  return { pressure, state, tick };
}

test("memory is looked at twice a second, and counts at each tick", () => {
  const { pressure, state, tick } = start();
  tick(20);
  expect(state.looks).toBe(1 + 4);
  state.memoryBytes = 96;
  tick(7);
  expect(pressure.level).toBe(LEVELS.bare);
  expect(pressure.memory).toBe(0.96);
});

test("how late a timer comes counts at each tick", () => {
  const { pressure, tick } = start();
  tick(2, 600);
  expect(pressure.level).toBe(LEVELS.none);
  tick(1, 600);
  expect(pressure.level).toBe(LEVELS.plain);
  expect(pressure.lagMs).toBe(600);
});

test("with --pressure off neither late timers nor full memory count", () => {
  const { pressure, state, tick } = start("off");
  state.memoryBytes = 100;
  tick(50, 60_000);
  expect(pressure.level).toBe(LEVELS.none);
});
