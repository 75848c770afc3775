import { afterEach, expect, test } from "vitest";
import { endAll, Origin, pause, TestNode } from "./process.ts";
import { Visitor } from "./visitor.ts";

afterEach(endAll);

const ROOM = {
  name: "shop",
  host: "*",
  total_active_users: 1,
  new_users_per_minute: 100,
  session_duration: 1,
  refresh_interval_seconds: 1,
  json_response_enabled: true,
  enabled_origin_commands: ["revoke"],
};

/** What a busy machine may add to any wait. */
const LAG_MS = 750;

test("who leaves the line is skipped within two and a half refresh intervals", async () => {
  const origin = await Origin.start((request, response) => {
    if (request.url === "/leave") response.setHeader("Anteroom-Command", "revoke");
    response.end("welcome");
  });
  const node = await TestNode.start({ origin: origin.url, rooms: [ROOM], minuteMs: 300 });
  const [inside, gone, patient] = ["inside", "gone", "patient"].map((name) => new Visitor(node.gate, name));
  if (inside === undefined || gone === undefined || patient === undefined) throw new Error("Three visitors");
  await inside.get();
  await gone.get();
  const leftMs = performance.now();
  await patient.get();
  expect([gone.positions, patient.positions]).toEqual([[1], [2]]);
  await inside.get("/leave");
  await patient.waitUntilIn();
  // 2.5 intervals until the one who left counts as gone, and one more until the next asks again.
  expect(performance.now() - leftMs).toBeLessThan(3_500 + LAG_MS);
});

test("an active visitor keeps the session for many times its duration, though others wait", async () => {
  const origin = await Origin.start();
  const node = await TestNode.start({ origin: origin.url, rooms: [ROOM], minuteMs: 1_000 });
  const [busy, waiting] = [new Visitor(node.gate, "busy"), new Visitor(node.gate, "waiting")];
  for (let visit = 0; visit < 24; visit += 1) {
    expect((await busy.get()).position).toBeUndefined();
    expect((await waiting.get()).position).toBe(1);
    await pause(250);
  }
});

test("a room that is full shows who waits, in status and on the page", async () => {
  const origin = await Origin.start();
  const node = await TestNode.start({
    origin: origin.url,
    rooms: [{ ...ROOM, session_duration: 30 }],
  });
  await new Visitor(node.gate, "inside").get();
  const page = await new Visitor(node.gate, "waiting").get("/", { accept: "text/html" });
  const refresh = page.headers.get("refresh");
  expect([page.status, refresh, page.headers.get("cache-control")]).toEqual([
    ...[200, "1; url=/?__anteroom=again", "no-store"],
  ]);
  expect(page.text).toContain("You are next");
  expect(page.headers.getSetCookie()[0]).toMatch(/^__anteroom_shop=.*; Path=\/; .*HttpOnly; SameSite=Lax$/);
  expect(await node.room()).toMatchObject({ state: "queueing", inside: 1, waiting: 1 });
  expect(origin.requests).toHaveLength(1);
});
