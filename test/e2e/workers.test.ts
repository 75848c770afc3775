import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { NodeStatus } from "../../node/operator/status/status.ts";
import { Anteroom, Origin, type OriginHandler, TestNode, until } from "./process.ts";

const ROOM = { name: "shop", host: "*", total_active_users: 1_000, new_users_per_minute: 1_000 };

describe("workers", () => {
  test.concurrent("share the port, are one node to the operator, and end together", async () => {
    const host = await startHost(3);
    const gate = await host.gate();
    // The system chooses the worker of each connection.
    await until(async () => {
      await fetch(gate, { headers: { connection: "close" } });
      return host.workersThatServed().size === 3;
    });
    await host.together();
    const members = (await host.status()).members.map(({ state, locality }) => [state, locality]);
    expect(members).toEqual(Array(3).fill(["alive", "default"]));

    host.process.kill("SIGINT");
    expect((await host.process.finished).code).toBe(0);
    expect(
      host.process
        .linesWith('"stopped"')
        .map(({ worker }) => worker)
        .sort(),
    ).toEqual([1, 2, 3]);
    await expect(fetch(gate)).rejects.toThrow();
  });

  test.concurrent("stop when the process that keeps them is killed, and give the port free", async () => {
    const host = await startHost(2);
    const gate = await host.gate();
    await host.process.end("SIGKILL");
    await until(() =>
      fetch(gate).then(
        () => false,
        () => true,
      ),
    );
    await until(() => !isRunning(host.pidOf(1)) && !isRunning(host.pidOf(2)));
  });

  test.concurrent("end at once at the second signal", async () => {
    const host = await startHost(2, (_, response) => response.write("never whole"));
    await host.together();
    const gate = await host.gate();
    let response = await fetch(gate);
    await until(async () => {
      if (host.origin.requests.length === 0) response = await fetch(gate);
      return host.origin.requests.length > 0;
    });
    const broken = expect(response.text()).rejects.toThrow();
    host.process.kill("SIGTERM");
    await host.process.logged("stopping: running requests finish");
    host.process.kill("SIGTERM");
    expect((await host.process.finished).code).toBe(1);
    await broken;
    await until(() => !isRunning(host.pidOf(1)) && !isRunning(host.pidOf(2)));
  });

  test.concurrent("pass on the dashboard's stream, which does not hold up the end", async () => {
    const host = await startHost(2, undefined, ["--drain-timeout", "1h"]);
    const { admin } = await host.process.logged("all workers are up");
    const token = readFileSync(join(host.data, "worker-1", "admin.token"), "utf8").trim();
    const form = { method: "POST", body: new URLSearchParams({ token }), redirect: "manual" } as const;
    const login = await fetch(`http://${admin}/dashboard/login`, form);
    const cookie = login.headers.get("set-cookie")?.split(";")[0] ?? "";
    const live = (await fetch(`http://${admin}/dashboard/live`, { headers: { cookie } })).body?.getReader();
    expect(new TextDecoder().decode((await live?.read())?.value)).toContain('"name":"shop"');
    // It would last until the drain is over.
    host.process.kill("SIGTERM");
    expect((await host.process.finished).code).toBe(0);
  });

  test.concurrent("that are started again undo nothing that an operator has ordered, whatever the rooms file says by then", async () => {
    const host = await startHost(2);
    await host.together();
    await host.command("room", "update", "shop", "total_active_users=7");
    await host.command("room", "hold", "shop");
    writeFileSync(host.roomsFile, JSON.stringify({ rooms: [{ ...ROOM, total_active_users: 9 }] }));
    for (const worker of [2, 1]) {
      process.kill(host.pidOf(worker), "SIGKILL");
      await until(() => host.ups(worker).length === 2);
      await host.together();
      const [room] = (await host.status()).rooms;
      expect(room).toMatchObject({ total_active_users: 7, state: "held", operator_order: { order: "hold" } });
    }
  });
});

/** A host with workers, and an origin behind it. */
async function startHost(workers: number, handle?: OriginHandler, more: readonly string[] = []) {
  const origin = await Origin.start(handle);
  const flags = ["--workers", String(workers), "--access-log", ...more];
  const { process, data, roomsFile } = await TestNode.start({ origin: origin.url, rooms: [ROOM], flags });
  const up = () => process.logged("all workers are up");
  const command = async (...args: readonly string[]) =>
    new Anteroom([...args, "--admin", String((await up()).admin), "--data", data]).finished;
  const status = async (): Promise<NodeStatus> => JSON.parse((await command("status", "--json")).stdout);
  return {
    ...{ process, data, roomsFile, origin, command, status },
    /** The gate's URL, once all workers are up. */
    gate: async () => `http://${(await up()).gate}`,
    /** Waits until all workers are one mesh. */
    together: () =>
      until(async () => {
        const { view, members } = await status();
        return view?.members === workers && members.every(({ state }) => state === "alive");
      }),
    /** The lines by which a worker said that it is up. */
    ups: (worker: number) => process.linesWith("anteroom is up").filter((line) => line.worker === worker),
    workersThatServed: () => new Set(process.linesWith('"access"').map(({ worker }) => worker)),
    /** The process that a worker is now. */
    pidOf: (worker: number) =>
      Number(process.linesWith("worker started").findLast((line) => line.worker === worker)?.pid),
  };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
