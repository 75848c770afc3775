/**
 * The management API in Cloudflare's form: waiting rooms, events, rules, settings, status and previews, under
 * `/client/v4` at the admin address. docs/cloudflare.md says what differs.
 *
 * A zone is a namespace: the room `shop` of zone `z` is our room `z:shop`. The schema of requests and answers is the
 * one that Cloudflare publishes, so these routes are not in our own OpenAPI document.
 */

import type { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { Adapter, AdapterParts } from "../../operator/admin-api.ts";
import type { AdminEnv } from "../../operator/logs/audit.ts";
import { CODES, refusedFor } from "./envelope.ts";
import { eventRoutesThere } from "./event-routes.ts";
import { inEnvelope } from "./in-envelope.ts";
import { roomRoutes } from "./room-routes.ts";
import { ruleRoutes } from "./rule-routes.ts";
import { BODY_BYTES_MAX, noSuchZone, ZONE_PATH } from "./zone.ts";
import { zoneRoutes } from "./zone-routes.ts";

export const CLOUDFLARE: Adapter = { path: "/client/v4", around: inEnvelope, routes: cloudflareRoutes };

/** Adds the routes; who asks must be known before (`identified`), and `inEnvelope` be around all. */
export function cloudflareRoutes(app: Hono<AdminEnv>, parts: AdapterParts): void {
  const onError = () => refusedFor(413, CODES.tooLarge, `Cannot read a body of more than ${BODY_BYTES_MAX} bytes`);
  app.use("/client/v4/*", bodyLimit({ maxSize: BODY_BYTES_MAX, onError }));
  for (const path of [ZONE_PATH, `${ZONE_PATH}/*`])
    app.use(path, async (c, next) => noSuchZone(c.req.param("zone") ?? "", c.var.principal) ?? next());
  // Before the routes of a room: `preview` and `settings` stand where its id does.
  zoneRoutes(app, parts);
  roomRoutes(app, parts);
  eventRoutesThere(app, parts);
  ruleRoutes(app, parts);
  for (const path of ["/zones/*", "/accounts/*"])
    app.all(path, () => refusedFor(404, CODES.noRoute, "Cannot route here: end the base URL with /client/v4"));
}
