import { afterEach, expect, test } from "vitest";
import { endAll, Origin, pause, TestNode } from "./process.ts";
import { Visitor } from "./visitor.ts";

afterEach(endAll);

const MINUTE_MS = 1_000;
const LIMIT = 10;
const ROOM = {
  name: "shop",
  host: "*",
  total_active_users: LIMIT,
  new_users_per_minute: 3 * LIMIT,
  session_duration: 1,
  refresh_interval_seconds: 1,
  json_response_enabled: true,
  enabled_origin_commands: ["revoke"],
};

/** How late this process may see a request, by its own load: the origin's clock is read here. */
const LAG_MS = 250;

/** The visitors inside, as an origin counts them: seen within the session's duration, and not signed out. */
class Heads {
  readonly #seenMs = new Map<string, number>();
  readonly calledIn: string[] = [];
  peak = 0;

  seen(visitor: string, isLeaving: boolean): void {
    const nowMs = performance.now();
    if (!this.calledIn.includes(visitor)) this.calledIn.push(visitor);
    this.#seenMs.set(visitor, nowMs);
    const inside = [...this.#seenMs.values()].filter((seenMs) => nowMs - seenMs < MINUTE_MS - LAG_MS);
    this.peak = Math.max(this.peak, inside.length);
    if (isLeaving) this.#seenMs.delete(visitor);
  }
}

test("sixty visitors, ten at once: never more inside as the origin counts, called in the order of arrival", async () => {
  const heads = new Heads();
  const origin = await Origin.start((request, response) => {
    const isLeaving = request.url === "/leave";
    heads.seen(String(request.headers["x-visitor"]), isLeaving);
    if (isLeaving) response.setHeader("Anteroom-Command", "revoke");
    response.end("welcome");
  });
  const node = await TestNode.start({ origin: origin.url, rooms: [ROOM], minuteMs: MINUTE_MS });

  const visitors = Array.from({ length: 60 }, (_, at) => new Visitor(node.gate, String(at)));
  for (const visitor of visitors) await visitor.get();
  expect(heads.calledIn).toHaveLength(LIMIT);
  // Every sixth leaves the line at once; the others wait, look around, and most of them sign out.
  const staying = visitors.filter((_, at) => at < LIMIT || at % 6 !== 0);
  await Promise.all(
    staying.map(async (visitor) => {
      await visitor.waitUntilIn();
      await pause(100);
      await visitor.get(Number(visitor.name) % 5 === 0 ? "/basket" : "/leave");
    }),
  );

  expect(heads.peak).toBeLessThanOrEqual(LIMIT);
  expect(heads.calledIn).toHaveLength(staying.length);
  // Of those called in at once the first to ask is the first inside, so the order holds up to one call.
  const places = heads.calledIn.map((name) => staying.findIndex((visitor) => visitor.name === name));
  const ahead = places.map((place, at) => places.slice(at + 1).filter((later) => later < place).length);
  expect(Math.max(...ahead)).toBeLessThan(LIMIT);
  for (const { positions } of staying) expect(positions).toEqual([...positions].sort((one, other) => other - one));
});
