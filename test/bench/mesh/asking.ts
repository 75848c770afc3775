/**
 * What a gate asks of another node: a node of the binary on one core, on the other a process of the benchmark that asks
 * it, and beside them Redis without persistence, as fast as it gets.
 */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { freePort, installed, Server, toldBy, until } from "../programs.ts";
import type { Asked } from "./asked.ts";
import type { AskPlan } from "./asker.ts";
import { type Place, startNode } from "./nodes.ts";

const ROOM = "shop";

/** Measures in `rounds` rounds. */
export async function measureAsking(
  { folder, ...place }: Place,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): Promise<Asked[]> {
  mkdirSync(folder);
  const node = await startNode({ ...place, folder: join(folder, "counter"), core: "server", rooms: [ROOM] });
  const redis = installed("redis-server") === undefined ? undefined : await startRedis();
  const plan: AskPlan = {
    join: {
      database: join(folder, "asker.db"),
      meshKey: node.meshKey,
      address: node.up.mesh,
      counter: node.up.node as AskPlan["join"]["counter"],
      room: ROOM,
    },
    redisPort: redis?.port,
    rounds,
    seconds,
  };
  const command = [process.execPath, join(import.meta.dirname, "asker.ts"), JSON.stringify(plan)];
  const [asker, asked] = await toldBy<Asked[]>(command, "load");
  await Promise.all([asker, node.server, redis?.server].map((server) => server?.stop()));
  return asked;
}

async function startRedis(): Promise<{ readonly server: Server; readonly port: number }> {
  const port = freePort();
  const settings = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
  const server = new Server([installed("redis-server") ?? "", ...settings], "server");
  await until("Redis", () => isListening(port));
  return { server, port };
}

async function isListening(port: number): Promise<boolean> {
  try {
    const socket = await Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } });
    socket.end();
    return true;
  } catch {
    // Not yet: asked again in a moment.
    return false;
  }
}
