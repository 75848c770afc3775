import { beforeEach, describe, expect, test } from "vitest";
import { startNode } from "../admin-node.ts";
import { anteroom } from "../fake-io.ts";

const MINUTE_MS = 60_000;
const TO = "http://10.0.0.2:3000";

let node: ReturnType<typeof startNode>;
beforeEach(async () => {
  node = startNode();
  await node.run("room create name=shop host=* origin=http://old.example total_active_users=5 new_users_per_minute=5");
});

describe("anteroom room rollout", () => {
  test("says what is now so, how to watch it and how to go back", async () => {
    const { exit, answer, talk } = await node.run(`room rollout shop --to ${TO}`);
    expect([exit, answer]).toEqual([
      0,
      `Room shop: new sessions go to ${TO}, 1 % at first, half as much again every 5 minutes, all after an hour.\n`,
    ]);
    expect(talk).toMatch(/anteroom status --watch.*anteroom room rollout shop --back.*rooms file/);
  });

  test.each([
    [
      "--stop",
      "Room shop: 3.4 % of new sessions follow the rollout, until you go on (--to URL) or go back (--back).\n",
    ],
    ["--back", "Room shop: new sessions go by the old weights again; those that a new origin has stay there.\n"],
    ["--now", "Room shop: all new sessions go by the declared weights.\n"],
  ])("%s says what is now so", async (order, said) => {
    await node.run(`room rollout shop --to ${TO}`);
    node.world.nowMs += 17 * MINUTE_MS;
    expect(await node.run(`room rollout shop ${order}`)).toEqual({ exit: 0, answer: said, talk: "" });
  });

  test.each(["", "--stop --back", `--to ${TO} --back`])("needs one order, not %j, and asks nobody", async (orders) => {
    const { exit, talk } = await anteroom(`room rollout shop ${orders} --admin 127.0.0.1:1 --token x`);
    expect(exit).toBe(2);
    expect(talk).toContain("write anteroom room rollout shop --to URL, --stop, --back or --now");
  });
});
