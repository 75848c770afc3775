/** A Redis server to compare with, without persistence: as fast as it gets. */

import { freePort, installed, Server } from "../programs.ts";
import { until } from "./until.ts";

/** Starts it on a port of 127.0.0.1 and waits until it listens. */
export async function startRedis(): Promise<{ readonly server: Server; readonly port: number }> {
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
