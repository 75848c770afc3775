/** Cloudflare's SDK against a real node: what it orders there, visitors see at the gate. */

import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import Cloudflare from "cloudflare";
import { afterEach, expect, test } from "vitest";
import { endAll, Origin, TestNode, until } from "./process.ts";
import { Visitor } from "./visitor.ts";

afterEach(endAll);

const ZONE = { zone_id: "023e105f4ecef8ad9ca31a8372d0c353" };
const ROOM = {
  ...ZONE,
  ...{ name: "shop", host: "*", total_active_users: 1, new_users_per_minute: 1_000, session_duration: 30 },
  json_response_enabled: true,
};

function clientOf(node: TestNode): Cloudflare {
  return new Cloudflare({ apiToken: node.token, baseURL: `http://${node.admin}/client/v4`, maxRetries: 0 });
}

test("a room of the SDK queues at the gate: limit, hold, rule, event, preview, deletion", async () => {
  const origin = await Origin.start();
  const node = await TestNode.start({ origin: origin.url });
  const { waitingRooms } = clientOf(node);
  const visit = async (path = "/") => (await new Visitor(node.gate, "new").get(path)).position;
  const patient = new Visitor(node.gate, "patient");
  const { id = "" } = (await waitingRooms.create(ROOM)) ?? {};
  const edit = (fields: object) => waitingRooms.edit(id, { ...ROOM, ...fields });
  const status = () => waitingRooms.statuses.get(id, ZONE);

  expect([await visit(), (await patient.get()).position]).toEqual([undefined, 1]);
  const queueing = { status: "queueing", estimated_total_active_users: 1, estimated_queued_users: 1, event_id: "" };
  await until(async () => {
    await patient.get();
    return isMatch(await status(), queueing);
  });
  // The limit of 3 has a slot for the one in line, and another.
  await edit({ total_active_users: 3 });
  await until(async () => (await visit()) === undefined);

  await edit({ total_active_users: 1_000, queue_all: true });
  expect(await visit("/api/7")).toBeGreaterThan(0);
  const rules = { action: "bypass_waiting_room", expression: 'http.request.uri.path starts_with "/api/"' } as const;
  await waitingRooms.rules.create(id, { ...ZONE, rules });
  expect([await visit("/api/7"), (await visit()) === undefined]).toEqual([undefined, false]);
  await edit({ total_active_users: 1_000, queue_all: false });
  await until(async () => (await visit()) === undefined);

  // Its start is an hour away until it is moved to the past.
  const nowMs = Date.now();
  const inHours = (hours: number) => new Date(nowMs + hours * 3_600_000).toISOString();
  const sale = { ...ZONE, name: "sale", prequeue_start_time: inHours(-2), event_end_time: inHours(2) };
  const event = await waitingRooms.events.create(id, { ...sale, event_start_time: inHours(1) });
  await until(async () => (await status())?.status === "event_prequeueing");
  expect([(await status())?.event_id, (await visit()) === undefined]).toEqual([event?.id, false]);
  const started = { ...sale, waiting_room_id: id, event_start_time: inHours(-1) };
  await waitingRooms.events.edit(event?.id ?? "", started);
  await until(async () => (await visit()) === undefined);

  const preview = await waitingRooms.page.preview({ ...ZONE, custom_html: "<p>{{waitTime}} minutes</p>" });
  const page = await fetch(preview?.preview_url ?? "");
  expect([page.status, await page.text()]).toEqual([200, "<p>10 minutes</p>"]);

  await waitingRooms.delete(id, ZONE);
  await until(async () => (await node.status()).rooms.length === 0);
  expect(await visit()).toBeUndefined();
});

test("what the SDK made is there at another node and after a restart, with the same ids and dates", async () => {
  const first = await TestNode.start({ origin: "http://127.0.0.1:9" });
  const { waitingRooms } = clientOf(first);
  const { id = "" } = (await waitingRooms.create(ROOM)) ?? {};
  const rules = [1, 2, 3].map(
    (at) => ({ action: "bypass_waiting_room", expression: `ip.src in {10.0.0.${at}}` }) as const,
  );
  await waitingRooms.rules.update(id, { ...ZONE, rules });
  const times = { event_start_time: "2036-01-01T10:00:00Z", event_end_time: "2036-01-01T11:00:00Z" };
  const { id: event = "" } = (await waitingRooms.events.create(id, { ...ZONE, name: "sale", ...times })) ?? {};
  await waitingRooms.events.edit(event, { ...ZONE, waiting_room_id: id, ...times, name: "renamed" });
  await waitingRooms.settings.update({ zone_id: "later", search_engine_crawler_bypass: true });
  const all = async (node: TestNode) => {
    const { waitingRooms: there } = clientOf(node);
    return {
      rooms: (await there.list(ZONE)).result,
      rules: (await there.rules.get(id, ZONE)).result,
      events: (await there.events.list(id, ZONE)).result,
      settings: await there.settings.get({ zone_id: "later" }),
    };
  };
  const before = await all(first);
  const { mesh_address } = await first.process.logged("anteroom is up");
  const joining = ["--join", String(mesh_address), "--mesh-key", join(first.data, "mesh.key")];
  const second = await TestNode.start({ origin: "http://127.0.0.1:9", flags: joining });
  await until(async () => (await clientOf(second).waitingRooms.list(ZONE)).result.length > 0);
  await until(async () => isDeepStrictEqual(await all(second), before));
  await second.process.end("SIGTERM");
  await first.process.end("SIGTERM");
  const again = await TestNode.start({ origin: "http://127.0.0.1:9", data: first.data });
  const after = await all(again);
  expect(after).toEqual(before);
  expect([after.events[0]?.id, after.rules.length]).toEqual([event, 3]);
});

/** Whether `value` has the fields of `fields`. */
function isMatch(value: object | null | undefined, fields: object): boolean {
  return isDeepStrictEqual({ ...value, ...fields }, { ...value });
}
