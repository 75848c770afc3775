/**
 * The demo's gate when there is only one: a node in this process that keeps nothing on disk.
 */

import { addressText } from "../../node/config/readers.ts";
import { resolveSettings, type Settings } from "../../node/config/settings.ts";
import { ListenError } from "../../node/listening.ts";
import { createLog } from "../../node/log.ts";
import { type RunningNode, startNode } from "../../node/node.ts";
import type { DemoOptions } from "../demo-options.ts";
import { Failure } from "../failure.ts";
import type { Io } from "../io.ts";
import { memoryBytesMax } from "../memory-limit.ts";
import { endNow } from "../uncaught.ts";
import { VERSION } from "../version.ts";
import type { Shop } from "./shop.ts";
import { demoRoom, demoRoomIn, type Stage } from "./stage.ts";

/**
 * The gate before `shop`; on a free port when the default one is taken. Throws `Failure` when a port that was asked for
 * is.
 */
export async function startOneGate(options: DemoOptions, shop: Shop, io: Io): Promise<Stage> {
  const node = await startGate(options, shop, io);
  const room = () => demoRoomIn(node.status().rooms);
  return {
    gates: [`http://${addressText({ host: options.listen.host || "127.0.0.1", port: node.gatePort })}`],
    room,
    admittedThisMinute: () => room().admitted_this_minute,
    kill: () => undefined,
    processes: () => [],
    stop: () => node.drain(0),
  };
}

async function startGate(options: DemoOptions, shop: Shop, io: Io): Promise<RunningNode> {
  const { listen, listenGiven } = options;
  try {
    return await startNode(nodeOptions(options, shop, listen.port));
  } catch (error) {
    if (!(error instanceof ListenError)) throw error;
    if (listenGiven) throw new Failure(error.message, { hint: "choose another one with --listen", cause: error });
    io.talk(`Port ${listen.port} is taken: using a free one.`);
    return await startNode(nodeOptions(options, shop, 0));
  }
}

function nodeOptions(options: DemoOptions, shop: Shop, port: number): Parameters<typeof startNode>[0] {
  return {
    settings: settingsOf({
      origin: shop.url,
      listen: addressText({ host: options.listen.host, port }),
      admin: "127.0.0.1:0",
      mesh: "127.0.0.1:0",
      ephemeral: "true",
      "minute-ms": String(options.minuteMs),
    }),
    rooms: [demoRoom(options)],
    version: VERSION,
    tls: undefined,
    originTls: undefined,
    connectionsMax: 10_000,
    log: createLog({ level: "error", format: "text", write: (line) => void process.stderr.write(line) }),
    clock: Date.now,
    steadyClock: () => performance.now(),
    memoryBytes: () => process.memoryUsage.rss(),
    memoryBytesMax: memoryBytesMax(),
    endNow,
  };
}

function settingsOf(flags: Readonly<Record<string, string>>): Settings {
  const given = new Map(Object.entries(flags).map(([flag, value]) => [flag, [value]] as const));
  const resolved = resolveSettings({ flags: given, environment: {}, file: undefined });
  if (!resolved.ok) throw new Error(`Cannot start the demo: ${JSON.stringify(resolved.problems)}`);
  return resolved.value.settings;
}
