/**
 * Any body at any route: an answer in the envelope, never an internal error, and nothing changed where it is refused.
 */

import fc from "fast-check";
import { expect, test } from "vitest";
import { CloudflareWorld, idOf, present, SHOP, ZONE } from "./cloudflare-world.ts";

const FIELDS = [
  ...["name", "host", "path", "description", "total_active_users", "new_users_per_minute", "session_duration"],
  ...["additional_routes", "cookie_attributes", "enabled_origin_commands", "turnstile_mode", "turnstile_action"],
  ...["custom_page_html", "queueing_method", "anteroom", "id", "position", "expression", "action", "enabled"],
  ...["event_start_time", "event_end_time", "prequeue_start_time", "custom_html", "search_engine_crawler_bypass"],
  ...["rollout", "operator_order", "origin", "crawlers", "proof_of_work_mode", "draw", "ramp", "rules", "events"],
];
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(
    0,
    1,
    200,
    -1,
    "",
    "shop",
    "fifo",
    "2027-01-01T10:00:00Z",
    "off",
    "invisible",
    "{{#x}}",
    "ip.src in {10.0.0.1}",
  ),
  fc.constantFrom("bypass_waiting_room", "queue", null, [], {}, ["revoke"], [{ host: "a.example" }], { index: 1 }),
);
const fields = fc.dictionary(fc.constantFrom(...FIELDS), value, { maxKeys: 6 });
const body = fc.oneof(
  fields,
  fc.array(fields, { maxLength: 3 }),
  fc.record({ anteroom: fields }),
  fc.tuple(fields, fields).map(([one, anteroom]) => ({ ...one, anteroom })),
  value,
);

test("is answered in the envelope", async () => {
  const cloudflare = new CloudflareWorld();
  const { waitingRooms } = cloudflare.client;
  const room = idOf(present(await waitingRooms.create(SHOP)));
  const times = { event_start_time: "2027-01-01T10:00:00Z", event_end_time: "2027-01-01T11:00:00Z" };
  const event = idOf(present(await waitingRooms.events.create(room, { zone_id: ZONE, name: "sale", ...times })));
  const rules = [{ action: "bypass_waiting_room", expression: "ip.src in {10.0.0.1}" }] as const;
  const rule = idOf((await waitingRooms.rules.update(room, { zone_id: ZONE, rules: [...rules] })).result[0] ?? {});
  const at = `/zones/${ZONE}/waiting_rooms`;
  const routes = fc.constantFrom(
    ...([
      ["POST", at],
      ["PUT", `${at}/${room}`],
      ["PATCH", `${at}/${room}`],
      ["POST", `${at}/${room}/events`],
    ] as const),
    ...([
      ["PUT", `${at}/${room}/events/${event}`],
      ["PATCH", `${at}/${room}/events/${event}`],
    ] as const),
    ...([
      ["POST", `${at}/${room}/rules`],
      ["PUT", `${at}/${room}/rules`],
    ] as const),
    ...([
      ["PATCH", `${at}/${room}/rules/${rule}`],
      ["PUT", `${at}/settings`],
      ["PATCH", `${at}/settings`],
    ] as const),
    ["POST", `${at}/preview`] as const,
  );
  await fc.assert(
    fc.asyncProperty(routes, body, async ([method, path], sent) => {
      const before = cloudflare.snapshot();
      cloudflare.recorded.length = 0;
      const { status } = await cloudflare.raw(method, path, sent);
      expect([200, 400, 404]).toContain(status);
      if (status !== 200) expect(cloudflare.snapshot()).toBe(before);
      expect(cloudflare.schemaFaults()).toEqual([]);
    }),
    { numRuns: Number(process.env.RUNS ?? 300) },
  );
});
