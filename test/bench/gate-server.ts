/**
 * The gate under test: an anteroom with a room that is full and one that is as good as unlimited.
 *
 * Its own count of outcomes (`/metrics`) proves afterwards that the load met what it was meant to meet.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Up } from "../../cmd/child.ts";
import { type Server, toldBy } from "./programs.ts";

export type RoomName = "full" | "open";

export interface GateServer {
  readonly server: Server;
  /** URL of a page in a room. */
  readonly url: (room: RoomName) => string;
  /** Requests so far by outcome. */
  readonly outcomes: (room: RoomName) => Promise<Map<string, number>>;
}

/** Nobody leaves the line while it is measured, and a stay lasts longer than any round. */
const ROOM = { host: "*", json_response_enabled: true, refresh_interval_seconds: 600, session_duration: 30 };

/** Most that wait in the full room: at 40,000 new visitors a second, more than a round can bring. */
const QUEUE_MAX = 1_000_000;

const LIMIT_MAX = 10_000_000;

const ROOMS = [
  { ...ROOM, name: "full", path: "/full", total_active_users: 1, new_users_per_minute: 1, queue_max: QUEUE_MAX },
  { ...ROOM, name: "open", path: "/open", total_active_users: LIMIT_MAX, new_users_per_minute: LIMIT_MAX },
];

/**
 * Starts anteroom by `command` in the new folder `folder`, before the origin on `originPort`, and waits until it
 * answers.
 */
export async function startGate(
  command: readonly string[],
  { folder, originPort }: { readonly folder: string; readonly originPort: number },
): Promise<GateServer> {
  mkdirSync(folder);
  const roomsFile = join(folder, "rooms.json");
  writeFileSync(roomsFile, JSON.stringify({ rooms: ROOMS }));
  const addresses = ["--listen", "--admin", "--mesh"].flatMap((flag) => [flag, "127.0.0.1:0"]);
  // A gate that sheds load answers something else than what is measured.
  const own = ["--rooms", roomsFile, "--data", join(folder, "data"), "--pressure", "off", "--log-level", "error"];
  const serve = [...command, "serve", "--origin", `http://127.0.0.1:${originPort}`, ...addresses, ...own];
  const [server, { gate, admin }] = await toldBy<Up>(serve, "server");
  return {
    server,
    url: (room) => `http://${gate}/${room}/`,
    outcomes: async (room) => outcomesIn(await (await fetch(`http://${admin}/metrics`)).text(), room),
  };
}

function outcomesIn(metrics: string, room: RoomName): Map<string, number> {
  const lines = metrics.matchAll(/^anteroom_requests_total\{room="(\w+)",outcome="(\w+)"\} (\d+)$/gm);
  return new Map([...lines].filter((line) => line[1] === room).map((line) => [line[2] ?? "", Number(line[3])]));
}
