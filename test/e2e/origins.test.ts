/** Origins behind two real nodes: a rollout through its steps. */

import { expect, test } from "vitest";
import type { RoomStatus } from "../../node/operator/status/status.ts";
import { Origin, TestNode, until } from "./process.ts";

const ROOM = {
  name: "shop",
  host: "*",
  total_active_users: 10_000,
  new_users_per_minute: 10_000,
  // The most that an answer may take: a busy machine is no origin that is down.
  health_check: { path: "/healthz", interval_seconds: 5, timeout_seconds: 5 },
};
/** A rollout takes an hour of these. */
const MINUTE_MS = 200;

/**
 * What so many new visitors get, counted. Slots may come late, as in a minute of 0.2 s: for one whom the gate then tells
 * that it is busy, or to wait, another one comes.
 */
async function newcomers(gate: string, count: number): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (let visitor = 0; visitor < count; ) {
    const body = await (await fetch(gate, { headers: { accept: "text/html" } })).text();
    if (body.startsWith("<!doctype")) continue;
    found[body] = (found[body] ?? 0) + 1;
    visitor += 1;
  }
  return found;
}

test("a rollout that is ordered at one node goes through at both, and at its end the new origin is the room's", async () => {
  const [old, next] = [await Origin.start(), await Origin.start((_, response) => response.end("new"))];
  const one = await TestNode.start({ minuteMs: MINUTE_MS, rooms: [{ ...ROOM, origin: old.url }] });
  const other = await TestNode.start({ minuteMs: MINUTE_MS, flags: await one.joining() });
  await until(async () => (await other.status()).rooms.length === 1);
  const { code, stdout } = await one.run(["room", "rollout", "shop", "--to", next.url]);
  expect([code, stdout]).toEqual([0, expect.stringContaining(`new sessions go to ${next.url}`)]);
  /** Before the node has heard of it, there is no rollout either. */
  const isOver = (origin: RoomStatus["origin"]): boolean =>
    origin?.rollout === null && origin.targets.some(({ url, weight }) => url === next.url && weight > 0);
  const percents = new Set<number>();
  await until(async () => {
    const { origin } = await other.room();
    if (origin?.rollout) percents.add(origin.rollout.percent);
    return isOver(origin);
  });
  // How many of the steps are seen depends on the machine; none comes before an earlier one.
  expect([...percents]).toEqual([...percents].sort((left, right) => left - right));
  for (const node of [one, other]) {
    await until(async () => isOver((await node.room()).origin));
    expect(await newcomers(node.gate, 20)).toEqual({ new: 20 });
    const document = (await node.run(["room", "get", "shop", "--json"])).stdout;
    expect(JSON.parse(document).origin).toEqual([
      { url: next.url, weight: 1 },
      { url: old.url, weight: 0 },
    ]);
  }
});
