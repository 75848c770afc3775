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
  fc.constantFrom(0, 1, 200, -1, "", "shop", "fifo", "2027-01-01T10:00:00Z", "off", "invisible", "{{#x}}"),
  fc.constantFrom("ip.src in {10.0.0.1}"),
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
  const changes = [`POST ${at}`, `POST ${at}/preview`, `POST ${at}/${room}/events`, `POST ${at}/${room}/rules`];
  for (const method of ["PUT", "PATCH"])
    changes.push(`${method} ${at}/${room}`, `${method} ${at}/${room}/events/${event}`, `${method} ${at}/settings`);
  changes.push(`PUT ${at}/${room}/rules`, `PATCH ${at}/${room}/rules/${rule}`);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...changes), body, async (change, sent) => {
      const [method = "", path = ""] = change.split(" ");
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
