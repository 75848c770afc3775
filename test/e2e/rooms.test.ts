import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type NodeChoice, Origin, TestNode, until } from "./process.ts";
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

describe("what an operator has ordered survives", () => {
  const HELD = { state: "held", total_active_users: 7, operator_order: { order: "hold" } };

  async function ordered(choice: NodeChoice): Promise<TestNode> {
    const node = await TestNode.start(choice);
    await node.run(["room", "update", "shop", "total_active_users=7"]);
    const { stdout, stderr } = await node.run(["room", "hold", "shop"]);
    expect(stdout + stderr).toMatch(/Only anteroom room resume shop or room open shop, on any node, lifts this/);
    return node;
  }

  test.concurrent("kill -9 and the same start again, and SIGHUP leaves hold alone", async () => {
    const choice = { origin: "http://127.0.0.1:9", rooms: [SHOP] };
    const node = await ordered(choice);
    await node.process.end("SIGKILL");
    const again = await TestNode.start({ ...choice, data: node.data });
    expect(await again.room()).toMatchObject(HELD);
    expect((await again.status()).rooms_file?.state).toBe("unchanged");
    again.process.kill("SIGHUP");
    await again.process.logged("rooms file applied");
    expect(await again.room()).toMatchObject({ ...HELD, total_active_users: 1 });
    expect((await again.process.logged("changed a field")).field).toBe("total_active_users");
    expect((await again.run(["status"])).stdout).toContain("shop.total_active_users 7 → 1");
  });

  test.concurrent("a node that joins with the same file, one with an empty disk, and one with the file of before", async () => {
    const common = { origin: "http://127.0.0.1:9" };
    const founder = await ordered({ ...common, rooms: [SHOP] });
    const flags = await founder.joining();
    const joined = async (rooms: readonly object[], data?: string): Promise<TestNode> => {
      const node = await TestNode.start({ ...common, rooms, flags, ...(data !== undefined && { data }) });
      await until(async () => {
        const { view, rooms_file: file } = await node.status();
        return view !== null && file?.state !== "waiting";
      });
      return node;
    };
    const same = await joined([SHOP]);
    expect(await same.room()).toMatchObject(HELD);
    expect(await founder.room()).toMatchObject(HELD);
    const later = [{ ...SHOP, description: "later" }];
    writeFileSync(founder.roomsFile, JSON.stringify({ rooms: later }));
    founder.process.kill("SIGHUP");
    await founder.process.logged("rooms file applied");
    await founder.run(["room", "update", "shop", "total_active_users=7"]);
    // It had 7 before, too.
    await until(async () => (await same.run(["room", "get", "shop"])).stdout.includes("later"));
    await until(async () => (await same.room()).total_active_users === 7);
    // The file is the one that this node has seen itself: it does not go back to it.
    await same.process.end("SIGKILL");
    const restarted = await joined([SHOP], same.data);
    expect([(await restarted.status()).rooms_file?.state, await restarted.room()]).toMatchObject(["superseded", HELD]);
    await restarted.process.end("SIGKILL");
    // It rolls to the file that others have applied.
    const rolled = await joined(later, same.data);
    expect([(await rolled.status()).rooms_file?.state, await rolled.room()]).toMatchObject(["unchanged", HELD]);
    await rolled.run(["leave"]);
    // An empty disk with the file of before.
    const empty = await joined([SHOP]);
    expect([(await empty.status()).rooms_file?.state, await empty.room()]).toMatchObject(["superseded", HELD]);
    expect(await founder.room()).toMatchObject(HELD);
    // A file that nobody has seen is applied, and hold stays.
    await empty.run(["leave"]);
    const fresh = await joined([{ ...SHOP, description: "fresh" }]);
    expect([(await fresh.status()).rooms_file?.state, await fresh.room()]).toMatchObject([
      "applied",
      { state: "held" },
    ]);
    expect((await fresh.room()).total_active_users).toBe(1);
    // Six starts one after the other, each of which joins.
  });
});
