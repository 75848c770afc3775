/**
 * Chaos in short: three nodes behind a real HAProxy with the fast lane, one of them killed and the keys rotated; the
 * origin counts.
 */

import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { endFronts, Front, HeadOrigin, missingFor } from "./fronts.ts";
import { endAll, pause, TestNode, until } from "./process.ts";
import { Visitor } from "./visitor.ts";

const MINUTE_MS = 6_000;
const LIMIT = 12;
const VISITORS = 30;
const RUN_MS = 45_000;
const TEST_MS = 240_000;

const ROOM = {
  ...{ name: "shop", host: "*", total_active_users: LIMIT, new_users_per_minute: 100, session_duration: 1 },
  ...{ json_response_enabled: true, refresh_interval_seconds: 1, new_places_per_address_per_minute: 0 },
};

afterAll(() => {
  endFronts();
  endAll();
});

const missing = missingFor("haproxy");

test.runIf(missing === undefined)(
  `no limit is exceeded behind HAProxy with the fast lane, and each visitor comes to a gate once a minute${missing === undefined ? "" : ` (${missing} is not installed)`}`,
  async () => {
    const origin = await HeadOrigin.start();
    const times = ["--lease", "3s", "--island", "20s", "--trusted-proxies", "127.0.0.1"];
    const common = { origin: origin.url, minuteMs: MINUTE_MS };
    const first = await TestNode.start({ ...common, rooms: [ROOM], flags: times });
    const { mesh_address } = await first.process.logged("anteroom is up");
    const joining = ["--join", String(mesh_address), "--mesh-key", join(first.data, "mesh.key")];
    const nodes = [first];
    for (let count = 0; count < 2; count++)
      nodes.push(await TestNode.start({ ...common, flags: [...times, ...joining] }));
    await until(async () => {
      const told = await Promise.all(nodes.map((node) => node.status()));
      return told.every(({ view, rooms }) => view?.members === nodes.length && rooms.length === 1);
    }, 60_000);
    const gates = nodes.flatMap(({ gate }) => ["--gate", new URL(gate).host]);
    const front = await Front.start("haproxy", { node: first, flags: gates });

    const endMs = Date.now() + RUN_MS;
    /** One visitor after the other: each waits, looks around for some seconds, and never returns. */
    const chair = async (seat: number): Promise<void> => {
      for (let round = 0; Date.now() < endMs; round++) {
        const visitor = new Visitor(front.url, `visitor-${seat}-${round}`);
        const leaveMs = 3_000 + ((seat * 7 + round * 3) % 10) * 1_000;
        let insideMs: number | undefined;
        while (Date.now() < endMs && (insideMs === undefined || Date.now() - insideMs < leaveMs)) {
          // A gate that was killed refuses a connection now and then.
          const seen = await visitor.get("/").catch(() => undefined);
          if (insideMs === undefined && seen?.text.includes("byLane") === true) insideMs = Date.now();
          await pause(insideMs === undefined ? 500 : 150);
        }
      }
    };
    const chairs = Array.from({ length: VISITORS }, (_, seat) => chair(seat));
    await pause(12_000);
    nodes[2]?.process.kill("SIGKILL");
    await pause(8_000);
    expect((await first.run(["lane", "key", "--rotate"])).code).toBe(0);
    await Promise.all(chairs);

    /** By visitor: when the origin saw them first and last, and how often by way of a gate in each minute. */
    const stays = new Map<string, { from: number; to: number }>();
    const atGate = new Map<string, number>();
    let byLane = 0;
    for (const { fields, atMs, isByLane } of origin.heads) {
      const name = fields.find(([field]) => field === "x-visitor")?.[1] ?? "";
      stays.set(name, { from: stays.get(name)?.from ?? atMs, to: atMs });
      const minute = `${name} ${Math.floor(atMs / MINUTE_MS)}`;
      if (isByLane) byLane += 1;
      atGate.set(minute, (atGate.get(minute) ?? 0) + (isByLane ? 0 : 1));
    }
    const most = Math.max(
      ...Array.from(
        stays.values(),
        ({ from }) => [...stays.values()].filter((stay) => stay.from <= from && from <= stay.to).length,
      ),
    );
    const perMinute = Array.from(atGate.values()).reduce((sum, count) => sum + count, 0) / atGate.size;
    expect(most).toBeLessThanOrEqual(LIMIT);
    expect(stays.size).toBeGreaterThan(LIMIT);
    expect(byLane / origin.heads.length).toBeGreaterThan(0.6);
    expect(perMinute).toBeLessThan(1.5);
  },
  TEST_MS,
);
