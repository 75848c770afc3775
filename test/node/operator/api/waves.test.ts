import { expect, test } from "vitest";
import type { NodeStatus } from "../../../../node/operator/status/status.ts";
import { adminWorld } from "../admin-world.ts";

const MINUTE_MS = 60_000;

test("a wave is started, seen in the status, paused, resumed and ended by calls of the API", async () => {
  const { ask, world, status } = adminWorld();
  const order = async (body: object): Promise<number> => (await ask("POST", "/v1/rooms/shop/wave", body)).status;
  const seen = (): unknown => (status() as NodeStatus).rooms.map(({ waves }) => waves)[0];
  const startMs = world.nowMs;
  const wave = { name: "spring", count: 1_200, paused: false };
  expect(await order({ wave: "spring", rate: "500/10m", count: 1_200 })).toBe(200);
  expect(seen()).toEqual([{ ...wave, good: 500, next_ms: startMs + 10 * MINUTE_MS, next: 1_000 }]);
  world.nowMs += 11 * MINUTE_MS;
  expect(seen()).toEqual([{ ...wave, good: 1_000, next_ms: startMs + 20 * MINUTE_MS, next: 1_200 }]);
  expect(await order({ wave: "spring", pause: true })).toBe(200);
  world.nowMs += 60 * MINUTE_MS;
  expect(seen()).toEqual([{ ...wave, paused: true, good: 1_000, next_ms: null, next: null }]);
  expect(await order({ wave: "spring", resume: true })).toBe(200);
  expect(seen()).toEqual([{ ...wave, good: 1_200, next_ms: null, next: null }]);
  expect(await order({ wave: "autumn", end: true })).toBe(409);
  expect(await order({ wave: "spring", end: true })).toBe(200);
  expect(seen()).toBeUndefined();
});

test("a rooms file that says nothing about waves leaves them as they are", async () => {
  const { ask, world } = adminWorld();
  const { name, host } = world.room().declared;
  await ask("POST", "/v1/rooms/shop/wave", { wave: "spring", rate: "500/10m" });
  const rooms = [{ name, host, total_active_users: 7, new_users_per_minute: 7 }];
  expect((await ask("POST", "/v1/rooms/apply", { rooms })).status).toBe(200);
  expect(world.room().declared).toMatchObject({ totalActiveUsers: 7, waves: [{ name: "spring", rate: "500/10m" }] });
});
