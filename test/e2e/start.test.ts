import { statSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Anteroom, Origin, serveArguments, TestNode, temporaryDirectory, until } from "./process.ts";

const ROOM = { name: "shop", host: "*", total_active_users: 5, new_users_per_minute: 5 };
const ORIGIN = "http://127.0.0.1:9";
/** Running requests get longer than any test takes. */
const PATIENT = ["--drain-timeout", "1h"];

describe("a second process", () => {
  test("on one data directory is refused by name, and the first one continues", async () => {
    const origin = await Origin.start();
    const node = await TestNode.start({ origin: origin.url, rooms: [ROOM] });
    const second = await new Anteroom(serveArguments({ origin: origin.url }, node.data, "")).finished;
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`Cannot use ${join(node.data, "anteroom.db")} as another process uses it`);
    expect(second.stderr).toContain("--data");
    expect(await (await fetch(node.gate)).text()).toBe("hello");
  });
});

test("a data directory that cannot be used is named, with exit code 1", async () => {
  const data = temporaryDirectory();
  writeFileSync(join(data, "anteroom.db"), "this is no database, but it is as long as a file of one".repeat(20));
  const { code, stderr } = await new Anteroom(serveArguments({ origin: ORIGIN }, data, "")).finished;
  expect([code, stderr]).toEqual([1, expect.stringContaining(join(data, "anteroom.db"))]);
  expect(stderr).not.toMatch(/^ +at .*\.ts:/m);
});

describe("SIGHUP", () => {
  test("applies a good rooms file, and keeps the old rooms when it has problems", async () => {
    const origin = await Origin.start();
    const node = await TestNode.start({ origin: origin.url, rooms: [ROOM] });
    const put = (rooms: readonly object[]) => writeFileSync(node.roomsFile, JSON.stringify({ rooms }));

    put([{ ...ROOM, total_active_users: 7 }, { name: "bad" }]);
    node.process.kill("SIGHUP");
    const refused = await node.process.logged("rooms file refused");
    expect(refused).toMatchObject({ level: "error" });
    expect(JSON.stringify(refused.problems)).toContain("rooms[1].host");
    expect((await node.status()).rooms).toMatchObject([{ name: "shop", total_active_users: 5 }]);

    put([
      { ...ROOM, total_active_users: 7 },
      { ...ROOM, name: "bar", host: "bar.example" },
    ]);
    node.process.kill("SIGHUP");
    await node.process.logged("rooms file applied");
    const { rooms } = await node.status();
    expect(rooms.map(({ name, total_active_users }) => [name, total_active_users])).toEqual([
      ["shop", 7],
      ["bar", 5],
    ]);
  });
});

test("what an operator has ordered survives kill -9 and the same start again, and SIGHUP leaves hold alone", async () => {
  const choice = { origin: ORIGIN, rooms: [ROOM] };
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
  expect(await again.room()).toMatchObject({ ...held, total_active_users: 5 });
  expect((await again.process.logged("changed a field")).field).toBe("total_active_users");
  expect((await again.run(["status"])).stdout).toContain("shop.total_active_users 7 → 5");
});

describe("a signal of others", () => {
  test("such as tools for logs and timers send ends no node, and no worker", async () => {
    const origin = await Origin.start();
    const node = await TestNode.start({ origin: origin.url, rooms: [ROOM], flags: ["--workers", "2"] });
    await node.process.logged("all workers are up");
    const started = node.process.linesWith("worker started").map(({ pid }) => Number(pid));
    for (const signal of ["SIGUSR1", "SIGUSR2", "SIGALRM", "SIGVTALRM", "SIGPROF", "SIGIO", "SIGHUP"] as const) {
      node.process.kill(signal);
      for (const pid of started) process.kill(pid, signal);
    }
    await until(async () => (await (await fetch(node.gate)).text()) === "hello");
    expect((await node.process.end("SIGTERM")).code).toBe(0);
    expect(node.process.linesWith("worker ended unexpectedly")).toEqual([]);
  });
});

describe("SIGTERM", () => {
  test("lets a slow request finish, takes no new ones, and ends with exit code 0", async () => {
    const answers: ServerResponse[] = [];
    const origin = await Origin.start((_, response) => {
      response.write("first half, ");
      answers.push(response);
    });
    const node = await TestNode.start({ origin: origin.url, rooms: [ROOM], flags: PATIENT });
    const idle = connect(node.gatePort, "127.0.0.1");
    const isClosed = new Promise((closed) => idle.on("close", closed));
    const slow = fetch(node.gate);
    await until(() => origin.requests.length === 1);
    node.process.kill("SIGTERM");
    await node.process.logged("stopping");
    await expect(fetch(node.gate, { headers: { connection: "close" } })).rejects.toThrow();
    for (const answer of answers) answer.end("second half");
    expect(await (await slow).text()).toBe("first half, second half");
    expect((await node.process.finished).code).toBe(0);
    await isClosed;
  });

  test("ends what takes longer than the drain timeout, and still exits with 0", async () => {
    const origin = await Origin.start((_, response) => response.write("never whole"));
    const flags = ["--drain-timeout", "300ms"];
    const node = await TestNode.start({ origin: origin.url, rooms: [ROOM], flags });
    const broken = fetch(node.gate).then((response) => response.text());
    const isBroken = expect(broken).rejects.toThrow();
    await until(() => origin.requests.length === 1);
    expect((await node.process.end("SIGTERM")).code).toBe(0);
    await isBroken;
  });
});

test("the first start makes what only this user may read, and needs the admin token from then on", async () => {
  const node = await TestNode.start({ origin: ORIGIN, rooms: [ROOM] });
  for (const file of ["admin.token", "mesh.key"]) expect(statSync(join(node.data, file)).mode & 0o777).toBe(0o600);
  expect((await fetch(`http://${node.admin}/v1/status`)).status).toBe(401);
  expect((await fetch(`http://${node.admin}/healthz`)).status).toBe(200);
  expect(node.process.log).not.toContain(node.token);
});
