import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { anteroom } from "../fake-io.ts";
import { startFakeNode, TOKEN } from "../fake-node.ts";

const TO = "http://10.0.0.2:3000";

let node: ReturnType<typeof startFakeNode>;
let flags: string;
beforeEach(async () => {
  node = startFakeNode();
  flags = `--admin ${node.address} --token ${TOKEN}`;
  await anteroom(`room create name=shop host=* total_active_users=5 new_users_per_minute=5 ${flags}`);
});
afterEach(() => node.stop());

describe("anteroom room rollout", () => {
  test("says what is now so, how to watch it and how to go back", async () => {
    const { exit, answer, talk } = await anteroom(`room rollout shop --to ${TO} ${flags}`);
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
    await anteroom(`room rollout shop --to ${TO} ${flags}`);
    expect(await anteroom(`room rollout shop ${order} ${flags}`)).toEqual({ exit: 0, answer: said, talk: "" });
  });

  test.each(["", "--stop --back", `--to ${TO} --back`])("needs one order, not %j, and asks nobody", async (orders) => {
    const { exit, talk } = await anteroom(`room rollout shop ${orders} --admin 127.0.0.1:1 --token x`);
    expect(exit).toBe(2);
    expect(talk).toContain("write anteroom room rollout shop --to URL, --stop, --back or --now");
  });

  test("fails in the node's words", async () => {
    const { exit, talk } = await anteroom(`room rollout pub --to ${TO} ${flags}`);
    expect(exit).toBe(1);
    expect(talk).toContain("There is no room pub");
  });
});
