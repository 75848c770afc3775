/** Cloudflare's SDK against real nodes: what it has made is kept. `test/node/adapters/cloudflare/` has the rest. */

import { isDeepStrictEqual } from "node:util";
import Cloudflare from "cloudflare";
import { expect, test } from "vitest";
import { TestNode, until } from "./process.ts";

const ZONE = { zone_id: "023e105f4ecef8ad9ca31a8372d0c353" };
const ROOM = {
  ...ZONE,
  ...{ name: "shop", host: "*", total_active_users: 1, new_users_per_minute: 1_000, session_duration: 30 },
  json_response_enabled: true,
};

function clientOf(node: TestNode): Cloudflare {
  return new Cloudflare({ apiToken: node.token, baseURL: `http://${node.admin}/client/v4`, maxRetries: 0 });
}

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
  const second = await TestNode.start({ origin: "http://127.0.0.1:9", flags: await first.joining() });
  await until(async () => (await clientOf(second).waitingRooms.list(ZONE)).result.length > 0);
  await until(async () => isDeepStrictEqual(await all(second), before));
  await second.process.end("SIGTERM");
  await first.process.end("SIGTERM");
  const again = await TestNode.start({ origin: "http://127.0.0.1:9", data: first.data });
  const after = await all(again);
  expect(after).toEqual(before);
  expect([after.events[0]?.id, after.rules.length]).toEqual([event, 3]);
});
