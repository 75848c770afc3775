/** Cloudflare's routes for a zone as a whole: its settings, and previews of waiting pages. */

import type { Hono } from "hono";
import { isObject } from "../../config/is-object.ts";
import { problemAt } from "../../config/problem.ts";
import { unknownFields } from "../../config/unknown-keys.ts";
import { needs } from "../../operator/access/principal.ts";
import type { AdapterParts } from "../../operator/admin-api.ts";
import { sampleComplaint } from "../../operator/api/page-sample.ts";
import { type AdminEnv, actorOf } from "../../operator/logs/audit.ts";
import { CODES, invalidBody, refusedFor, succeeded } from "./envelope.ts";
import { PREVIEW_HEADERS, Previews, previewPage } from "./previews.ts";
import { type Asked, bodyOf, CHANGES, refusedChange, wordingFor, ZONE_PATH } from "./zone.ts";
import { doCrawlersBypass, readSettings, setCrawlersBypass } from "./zone-settings.ts";

const SETTINGS_PATH = `${ZONE_PATH}/settings`;

export function zoneRoutes(app: Hono<AdminEnv>, parts: AdapterParts): void {
  const { rooms } = parts;
  const settings = (zone: string): Response =>
    succeeded({ search_engine_crawler_bypass: doCrawlersBypass(rooms, zone) });
  app.get(SETTINGS_PATH, needs("read"), (c) => settings(c.req.param("zone")));
  for (const [method, kind] of CHANGES)
    app.on(method, SETTINGS_PATH, needs("configure"), async (c) => changeSettings(c, parts, kind));

  const previews = new Previews();
  const nowMs = () => parts.status().now_ms;
  app.post(`${ZONE_PATH}/preview`, needs("configure"), async (c) => {
    const read = await bodyOf(c);
    if (read instanceof Response) return read;
    const template = templateIn(read.body);
    if (template instanceof Response) return template;
    const complaint = sampleComplaint(template, nowMs());
    if (complaint !== undefined) return invalidBody([{ path: FIELD, ...complaint }]);
    // The process of a host with workers has passed the request on, and says by which name it came.
    const { host } = c.env ?? {};
    const { protocol, host: own } = new URL(c.req.url);
    return succeeded({
      preview_url: `${protocol}//${host ?? own}/preview/${previews.keep(template, c.req.param("zone"), nowMs())}`,
    });
  });
  // Everybody who has the address may look: no token, as with theirs.
  app.get("/preview/:id", (c) => {
    const template = previews.template(c.req.param("id"), nowMs());
    if (template === undefined) return c.text("There is no such preview, or no longer.\n", 404, PREVIEW_HEADERS);
    return c.html(previewPage(template, c.req.query(), nowMs()), 200, PREVIEW_HEADERS);
  });
}

const FIELD = "custom_html";

async function changeSettings(c: Asked, { rooms, audit }: AdapterParts, kind: "whole" | "part"): Promise<Response> {
  const zone = c.req.param("zone") ?? "";
  const { principal } = c.var;
  if (principal.rooms !== undefined) {
    const message = "Cannot change the settings of a zone with a token of some rooms: use one of the whole zone";
    return refusedFor(403, CODES.forbidden, message);
  }
  const read = await bodyOf(c);
  if (read instanceof Response) return read;
  const wanted = readSettings(read.body, { kind, now: doCrawlersBypass(rooms, zone) });
  if (!wanted.ok) return invalidBody(wanted.problems);
  const set = () => setCrawlersBypass(rooms, zone, wanted.value);
  const changed = audit.tracked(actorOf(c), "zone settings changed", set);
  if (!changed.ok)
    return refusedChange(
      changed.refusal,
      wordingFor(c, (path) => path),
    );
  return succeeded({ search_engine_crawler_bypass: doCrawlersBypass(rooms, zone) });
}

function templateIn(body: unknown): string | Response {
  if (!isObject(body)) {
    const problem = { problem: "is not an object", repair: `send {${FIELD}: "<p>…</p>"}` };
    return invalidBody([problemAt("", body, problem)]);
  }
  const problems = unknownFields(body, { known: [FIELD] });
  const template = body[FIELD];
  const problem = template === undefined ? "is missing" : "is not a text";
  if (typeof template !== "string")
    problems.push(problemAt(FIELD, template, { problem, repair: "send the template as a string" }));
  return typeof template === "string" && problems.length === 0 ? template : invalidBody(problems);
}
