/**
 * `anteroom demo`: a shop, a gate in front of it and a crowd, in one process, for as long as a spike lasts.
 *
 * Minutes are shortened so that a run of two real minutes shows many. The shop counts who is inside without knowing of
 * the gate; the verdict rests on its count. Nothing is left on disk.
 */

import { addressText } from "../node/config/readers.ts";
import type { Room } from "../node/config/room.ts";
import { parseRoom } from "../node/config/room-document.ts";
import type { Settings } from "../node/config/settings.ts";
import { resolveSettings } from "../node/config/settings.ts";
import { createLog } from "../node/log.ts";
import { ListenError, type RunningNode, startNode } from "../node/node.ts";
import type { RoomStatus } from "../node/status.ts";
import type { Invocation } from "./command.ts";
import { Crowd } from "./demo/crowd.ts";
import { type Shop, startShop } from "./demo/shop.ts";
import { type Summary, summaryOf, summaryText } from "./demo/summary.ts";
import { timelineHeading, timelineRow } from "./demo/timeline.ts";
import { type DemoOptions, readDemoOptions } from "./demo-options.ts";
import { EXIT } from "./exit.ts";
import { Failure } from "./failure.ts";
import type { Io } from "./io.ts";
import { VERSION } from "./version.ts";

const ROOM = "shop";

/** Real ms between two looks at the room: short against the shortest minute, so that no peak is missed. */
const LOOK_MS = 50;

/** Lines of the timeline in a whole run. */
const LINES = 40;

/** Refresh interval of a real room, scaled to the shortened minute. */
const REFRESH_SECONDS = 20;

export async function demo(invocation: Invocation): Promise<number> {
  const options = readDemoOptions(invocation);
  const problems = [...invocation.problems, ...(options.ok ? [] : options.problems)];
  if (!options.ok || problems.length > 0) throw new Failure("the demo was not started", { problems });
  const summary = await play(options.value, invocation.io);
  invocation.io.answer(
    options.value.json ? JSON.stringify(summary) : `\n${summaryText(summary, tableOptions(invocation.io))}`,
  );
  return summary.never_over ? EXIT.ok : EXIT.checkFailed;
}

async function play(options: DemoOptions, io: Io): Promise<Summary> {
  const { limit, perMinute, minuteMs, minutes, rate, seed, json } = options;
  const shop = startShop({ hostname: "127.0.0.1", port: 0, sessionMs: minuteMs });
  const node = await startGate(options, shop, io);
  const address = addressText({ host: options.listen.host || "127.0.0.1", port: node.gatePort });
  const say = json ? io.talk : io.answer;
  say(
    `A shop for ${limit} visitors at a time, ${perMinute} new ones a minute (a minute lasts ${minuteMs / 1_000} s here).`,
  );
  say(`Open http://${address}/ in a browser and queue with the others. Ctrl-C ends the demo.\n`);
  say(timelineHeading());

  const runMs = minutes * 60_000;
  const crowd = new Crowd({ gate: `http://${address}`, rate, runMs, minuteMs, seed });
  const stop = (): void => void crowd.stop();
  process.on("SIGINT", stop).on("SIGTERM", stop);
  let peakAdmitted = 0;
  let room = roomOf(node);
  const startMs = performance.now();
  let nextLineMs = startMs;
  const looking = setInterval(() => {
    room = roomOf(node);
    peakAdmitted = Math.max(peakAdmitted, room.admitted_this_minute);
    if (performance.now() < nextLineMs) return;
    nextLineMs += runMs / LINES;
    say(timelineRow({ seconds: (performance.now() - startMs) / 1_000, came: crowd.came, room }, tableOptions(io)));
  }, LOOK_MS);
  try {
    await crowd.run(() => shop.count.inside(Date.now()) === 0);
    const stillWaiting = roomOf(node).waiting;
    await crowd.stop();
    return summaryOf({
      came: crowd.came,
      stories: crowd.stories,
      stillWaiting,
      peakInside: shop.count.peakInside,
      limit,
      peakAdmitted,
      perMinute,
    });
  } finally {
    clearInterval(looking);
    process.off("SIGINT", stop).off("SIGTERM", stop);
    await node.drain(0);
    await shop.stop();
  }
}

/** The gate before `shop`; on a free port when the default one is taken. */
async function startGate(options: DemoOptions, shop: Shop, io: Io): Promise<RunningNode> {
  const { listen, listenGiven } = options;
  try {
    return startNode(nodeOptions(options, shop, listen.port));
  } catch (error) {
    if (!(error instanceof ListenError)) throw error;
    if (listenGiven) {
      // A shop that is still open would keep the process from ending.
      await shop.stop();
      throw new Failure(error.message, { hint: "choose another one with --listen", cause: error });
    }
    io.talk(`Port ${listen.port} is taken: using a free one.`);
    return startNode(nodeOptions(options, shop, 0));
  }
}

function nodeOptions(options: DemoOptions, shop: Shop, port: number): Parameters<typeof startNode>[0] {
  return {
    settings: settingsOf({
      origin: shop.url,
      listen: addressText({ host: options.listen.host, port }),
      admin: "127.0.0.1:0",
      ephemeral: "true",
      "minute-ms": String(options.minuteMs),
    }),
    rooms: [demoRoom(options)],
    version: VERSION,
    tls: undefined,
    originCa: undefined,
    connectionsMax: 10_000,
    log: createLog({ level: "error", format: "text", write: (line) => void process.stderr.write(line) }),
    clock: Date.now,
    memoryBytes: () => process.memoryUsage.rss(),
  };
}

function settingsOf(flags: Readonly<Record<string, string>>): Settings {
  const given = new Map(Object.entries(flags).map(([flag, value]) => [flag, [value]] as const));
  const resolved = resolveSettings({ flags: given, environment: {}, file: undefined });
  if (!resolved.ok) throw new Error(`Cannot start the demo: ${JSON.stringify(resolved.problems)}`);
  return resolved.value.settings;
}

function demoRoom({ limit, perMinute, minuteMs }: DemoOptions): Room {
  const room = parseRoom({
    name: ROOM,
    host: "*",
    total_active_users: limit,
    new_users_per_minute: perMinute,
    session_duration: 1,
    refresh_interval_seconds: Math.max(1, Math.round((REFRESH_SECONDS * minuteMs) / 60_000)),
    json_response_enabled: true,
  });
  if (!room.ok) throw new Error(`Cannot make the demo's room: ${JSON.stringify(room.problems)}`);
  return room.value;
}

function roomOf(node: RunningNode): RoomStatus {
  const [room] = node.status().rooms;
  if (room === undefined) throw new Error("Cannot run the demo as its room is gone");
  return room;
}

function tableOptions({ terminal }: Io): { color: boolean; width: number } {
  return { color: terminal.color, width: terminal.size().columns };
}
