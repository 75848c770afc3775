/** The admin API of a node in memory at a port of loopback, for commands; and others that may listen at such a port. */

import { onTestFinished } from "vitest";
import type { MemberStatus, NodeStatus } from "../../node/operator/status/status.ts";
import { GateWorld } from "../node/gate/gate-world.ts";
import { type AdminExtras, adminWorld, TOKEN } from "../node/operator/admin-world.ts";
import { anteroom, type FakeOptions } from "./fake-io.ts";

export { TOKEN };

/** The node that answers, as a member. */
export const SELF: MemberStatus = {
  node: "12D3KooWJq3f2a91c0",
  locality: "default",
  state: "alive",
  self: true,
  round_trip_ms: null,
  clock_offset_ms: null,
  lease: "held",
  lease_seconds_left: null,
  voter: true,
};

export const STATUS: NodeStatus = {
  version: "0.1.0",
  node: SELF.node,
  locality: "default",
  mesh: "00112233aabbccdd",
  uptime_seconds: 7_990,
  minute_ms: 60_000,
  now_ms: 1_700_000_000_000,
  warnings: [],
  view: { number: 1, members: 1, voters: 1 },
  lease: "held",
  clock: { offset_ms: null, holds_back: false },
  wire: { speaks: 1, newest: 1 },
  rooms: [],
  members: [SELF],
};

/** A node with the rooms of `world`; `run` has a command call it. */
export function startNode(world = new GateWorld({ rooms: [] }), extras: AdminExtras = {}) {
  const there = adminWorld(world, extras);
  const { run, ...served } = startStranger((request) => there.app.fetch(request));
  return { ...there, ...served, run };
}

/** Something else that listens there; like the node above, it ends with its test. */
export function startStranger(
  answer: (request: Request) => Response | Promise<Response> = () => new Response("<h1>Hi</h1>"),
) {
  const served = { calls: 0 };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => {
      served.calls += 1;
      return answer(request);
    },
  });
  const stop = () => server.stop(true);
  onTestFinished(stop);
  const address = `127.0.0.1:${server.port}`;
  const flags = ["--admin", address, "--token", TOKEN];
  const run = (line: string | readonly string[], options?: FakeOptions) =>
    anteroom([...(typeof line === "string" ? line.split(" ").filter((word) => word !== "") : line), ...flags], options);
  return { served, address, flags: flags.join(" "), run, stop };
}
