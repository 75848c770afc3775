import { describe, expect, test } from "vitest";
import { Origin, pause, TestNode, until } from "./process.ts";
import { Visitor } from "./visitor.ts";

const LIMIT = 40;
/** No session ends, and no place lapses, while a node starts again on a busy machine. */
const MINUTE_MS = 5_000;
const ROOM = {
  name: "shop",
  host: "*",
  total_active_users: LIMIT,
  new_users_per_minute: 1_000,
  session_duration: 30,
  refresh_interval_seconds: 2,
  json_response_enabled: true,
  enabled_origin_commands: ["revoke"],
};

/** What is saved of the line lags by half a second; this is longer. */
const SAVED_MS = 700;

describe.concurrent.each(["SIGKILL", "SIGTERM"] as const)(
  "%s in mid-spike, and a new start on the same data",
  (signal) => {
    test("throws nobody out, and the limit holds across it", async () => {
      const known = new Set<string>();
      let isSpiking = (): void => undefined;
      const spike = new Promise<void>((resolve) => {
        isSpiking = resolve;
      });
      const origin = await Origin.start((request, response) => {
        known.add(String(request.headers["x-visitor"]));
        if (known.size === LIMIT - 5) isSpiking();
        response.end("welcome");
      });
      const before = await TestNode.start({ origin: origin.url, rooms: [ROOM], minuteMs: MINUTE_MS });
      const early = visitors(before, "early", LIMIT - 10);
      for (const visitor of early) await visitor.get();
      expect(known.size).toBe(LIMIT - 10);

      // Ten more fit in, and nobody knows what becomes of each answer when the process ends.
      const crowd = visitors(before, "crowd", 60);
      const answers = Promise.allSettled(crowd.map(async (visitor) => ({ visitor, seen: await visitor.get() })));
      await spike;
      const { code } = await before.process.end(signal);
      expect(code).toBe(signal === "SIGTERM" ? 0 : null);
      const answered = (await answers).flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
      const letIn = answered.filter(({ seen }) => seen.position === undefined).map(({ visitor }) => visitor);

      const after = await TestNode.start({ origin: origin.url, rooms: [ROOM], minuteMs: MINUTE_MS, data: before.data });
      const inside = [...early, ...letIn];
      const seen = await Promise.all(inside.map((visitor) => visitor.at(after.gate).get()));
      expect(seen.map(({ text }) => text)).toEqual(inside.map(() => "welcome"));

      await Promise.all(visitors(after, "late", 30).map((visitor) => visitor.get()));
      expect(known.size).toBeLessThanOrEqual(LIMIT);
      const room = await after.room();
      expect(room.inside).toBeLessThanOrEqual(LIMIT);
      expect(room.inside).toBeGreaterThanOrEqual(inside.length);
    });

    test("calls those in line in their old order", async () => {
      const calledIn: string[] = [];
      const origin = await Origin.start((request, response) => {
        const visitor = String(request.headers["x-visitor"]);
        if (request.url === "/leave") response.setHeader("Anteroom-Command", "revoke");
        else if (visitor.startsWith("waiting")) calledIn.push(visitor);
        response.end("welcome");
      });
      const rooms = [{ ...ROOM, total_active_users: 2 }];
      const before = await TestNode.start({ origin: origin.url, rooms, minuteMs: MINUTE_MS });
      const inside = visitors(before, "inside", 2);
      for (const visitor of inside) await visitor.get();
      const waiting = visitors(before, "waiting", 6);
      for (const visitor of waiting) await visitor.get();
      await pause(SAVED_MS);
      await before.process.end(signal);

      const after = await TestNode.start({ origin: origin.url, rooms, minuteMs: MINUTE_MS, data: before.data });
      const back = waiting.map((visitor) => visitor.at(after.gate));
      // The last in line asks first: it must not gain by that.
      for (const visitor of [...back].reverse()) await visitor.get();
      expect(back.map(({ positions }) => positions)).toEqual([1, 2, 3, 4, 5, 6].map((place) => [place, place]));
      expect((await new Visitor(after.gate, "new").get()).position).toBe(7);

      // The two may leave in different minutes: then their slots come free one after the other.
      for (const visitor of inside) await visitor.at(after.gate).get("/leave");
      await until(async () => {
        for (const visitor of [...back].reverse()) await visitor.get();
        return new Set(calledIn).size >= 2;
      });
      expect(new Set(calledIn)).toEqual(new Set(["waiting 0", "waiting 1"]));
    });
  },
);

test("a restart later than every stay loses no place in line", async () => {
  const origin = await Origin.start();
  const rooms = [{ ...ROOM, queue_all: true }];
  const before = await TestNode.start({ origin: origin.url, rooms, minuteMs: 100 });
  const visitor = new Visitor(before.gate, "patient");
  await visitor.get();
  await before.process.end("SIGTERM");
  // Longer than a session of the room lasts.
  await pause(300);
  const after = await TestNode.start({ origin: origin.url, rooms, minuteMs: 100, data: before.data });
  const back = visitor.at(after.gate);
  await back.get();
  expect(back.positions).toEqual([1, 1]);
});

function visitors(node: TestNode, name: string, count: number): Visitor[] {
  return Array.from({ length: count }, (_, at) => new Visitor(node.gate, `${name} ${at}`));
}
