import { expect, test } from "vitest";
import { Origin, TestNode } from "./process.ts";
import { Visitor } from "./visitor.ts";

const SHOP = {
  name: "shop",
  host: "*",
  total_active_users: 1,
  new_users_per_minute: 100,
  session_duration: 30,
  json_response_enabled: true,
};

test.concurrent("a room's life by commands: create, get, update, hold, resume, open, delete", async () => {
  const origin = await Origin.start();
  const node = await TestNode.start({ origin: origin.url });
  const visit = async () => (await new Visitor(node.gate, "new").get()).position;
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await node.run(["room", ...args]);
    expect([args, code, stderr.includes("Cannot")]).toEqual([args, 0, false]);
    return stdout + stderr;
  };

  expect(await visit()).toBeUndefined();
  const fields = ["name=shop", "host=*", "total_active_users=1", "new_users_per_minute=100", "session_duration=30"];
  // No place lapses, however slow the commands are.
  fields.push("refresh_interval_seconds=600");
  expect(await run("create", ...fields, "json_response_enabled=true")).toContain("Created room shop");
  expect([await visit(), await visit()]).toEqual([undefined, 1]);
  expect(await run("get", "shop")).toContain("total_active_users: 1");
  expect(await run("list")).toMatch(/shop +\*\/ +1 +100 +fifo/);

  expect(await run("hold", "shop")).toMatch(/holds all new visitors[\s\S]*Undo: anteroom room resume shop/);
  expect(await node.room()).toMatchObject({ state: "held", inside: 1, waiting: 1, wait_seconds: null });
  expect(await run("resume", "shop")).toContain("keeps its limits");
  expect(await visit()).toBe(2);
  await run("open", "shop");
  expect(await visit()).toBeUndefined();
  await run("resume", "shop");
  await run("update", "shop", "total_active_users=5", "queue_max=3");
  expect(await node.room()).toMatchObject({ total_active_users: 5, inside: 2, waiting: 2 });

  expect(await run("delete", "shop")).toContain("Deleted room shop");
  expect((await node.status()).rooms).toEqual([]);
  expect(await visit()).toBeUndefined();
  expect(origin.requests.length).toBe(4);
});

test.concurrent("what an operator has ordered survives kill -9 and the same start again, and SIGHUP leaves hold alone", async () => {
  const choice = { origin: "http://127.0.0.1:9", rooms: [SHOP] };
  const held = { state: "held", total_active_users: 7, operator_order: { order: "hold" } };
  const node = await TestNode.start(choice);
  await node.run(["room", "update", "shop", "total_active_users=7"]);
  const { stdout, stderr } = await node.run(["room", "hold", "shop"]);
  expect(stdout + stderr).toMatch(/Only anteroom room resume shop or room open shop, on any node, lifts this/);
  await node.process.end("SIGKILL");
  const again = await TestNode.start({ ...choice, data: node.data });
  expect(await again.room()).toMatchObject(held);
  expect((await again.status()).rooms_file?.state).toBe("unchanged");
  again.process.kill("SIGHUP");
  await again.process.logged("rooms file applied");
  expect(await again.room()).toMatchObject({ ...held, total_active_users: 1 });
  expect((await again.process.logged("changed a field")).field).toBe("total_active_users");
  expect((await again.run(["status"])).stdout).toContain("shop.total_active_users 7 → 1");
});
