/**
 * Chaos in short: three nodes behind a real HAProxy with the fast lane, one of them killed and the keys rotated; the
 * origin counts.
 */

import { expect, test } from "vitest";
import { Front, type Head, HeadOrigin, missingFor } from "./fronts.ts";
import { endLater, pause, TestNode, until } from "./process.ts";
import { Visitor } from "./visitor.ts";

const MINUTE_MS = 6_000;
const LIMIT = 12;
const VISITORS = 30;
/** Visitors inside before a node is killed, before the keys are rotated, and in all. */
const STAYS = { kill: LIMIT, rotate: LIMIT + 4, all: LIMIT + 10 };

const ROOM = {
  ...{ name: "shop", host: "*", total_active_users: LIMIT, new_users_per_minute: 100, session_duration: 1 },
  ...{ json_response_enabled: true, refresh_interval_seconds: 1, new_places_per_address_per_minute: 0 },
};

const missing = missingFor("haproxy");

test.runIf(missing === undefined)(
  `no limit is exceeded behind HAProxy with the fast lane${missing === undefined ? "" : ` (${missing} is not installed)`}`,
  async () => {
    const origin = await HeadOrigin.start();
    const times = ["--lease", "20s", "--trusted-proxies", "127.0.0.1"];
    const common = { origin: origin.url, minuteMs: MINUTE_MS };
    const first = await TestNode.start({ ...common, rooms: [ROOM], flags: times });
    const nodes = [first];
    for (let count = 0; count < 2; count++)
      nodes.push(await TestNode.start({ ...common, flags: [...times, ...(await first.joining())] }));
    await until(async () => {
      const told = await Promise.all(nodes.map((node) => node.status()));
      return told.every(({ view, rooms }) => view?.members === nodes.length && rooms.length === 1);
    });
    const gates = nodes.flatMap(({ gate }) => ["--gate", new URL(gate).host]);
    const front = await Front.start("haproxy", { node: first, flags: gates });

    /** Visitors that the origin has seen. */
    const seenInside = () => new Set(origin.heads.map(visitorOf)).size;
    let isOver = false;
    endLater(() => {
      isOver = true;
    });
    /** One visitor after the other: each waits, looks around for some seconds, and never returns. */
    const chair = async (seat: number): Promise<void> => {
      for (let round = 0; !isOver; round++) {
        const visitor = new Visitor(front.url, `visitor-${seat}-${round}`);
        const leaveMs = 3_000 + ((seat * 7 + round * 3) % 10) * 1_000;
        let insideMs: number | undefined;
        while (!isOver && (insideMs === undefined || Date.now() - insideMs < leaveMs)) {
          // A gate that was killed refuses a connection now and then.
          const seen = await visitor.get("/").catch(() => undefined);
          if (insideMs === undefined && seen?.text.includes("byLane") === true) insideMs = Date.now();
          await pause(insideMs === undefined ? 500 : 150);
        }
      }
    };
    const chairs = Array.from({ length: VISITORS }, (_, seat) => chair(seat));
    await until(() => seenInside() >= STAYS.kill);
    nodes[2]?.process.kill("SIGKILL");
    await until(() => seenInside() >= STAYS.rotate);
    expect((await first.run(["key", "--rotate"])).code).toBe(0);
    await until(() => seenInside() >= STAYS.all);
    isOver = true;
    await Promise.all(chairs);

    /** When the origin saw a visitor first and last, without a pause in which the session may have ended. */
    const stays: { from: number; to: number }[] = [];
    const lastOf = new Map<string, { from: number; to: number }>();
    for (const head of origin.heads) {
      const { atMs } = head;
      const last = lastOf.get(visitorOf(head));
      if (last !== undefined && atMs - last.to < MINUTE_MS) last.to = atMs;
      else {
        const stay = { from: atMs, to: atMs };
        stays.push(stay);
        lastOf.set(visitorOf(head), stay);
      }
    }
    const insideAt = (atMs: number) => stays.filter(({ from, to }) => from <= atMs && atMs <= to).length;
    expect(Math.max(...stays.map(({ from }) => insideAt(from)))).toBeLessThanOrEqual(LIMIT);
    expect(origin.heads.filter(({ isByLane }) => isByLane).length).toBeGreaterThan(seenInside());
  },
);

function visitorOf({ fields }: Head): string {
  return fields.find(([field]) => field === "x-visitor")?.[1] ?? "";
}
