/**
 * The dashboard at the admin address: its pages, log-in and live data. Orders go to the same calls as everybody's,
 * `/v1/…`, with the cookie and the CSRF field in place of the token.
 *
 * Everything is in the binary, and the pages may load nothing from elsewhere.
 */

import type { Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { streamSSE } from "hono/streaming";
import plotScript from "uplot/dist/uPlot.iife.min.js" with { type: "text" };
import plotStyle from "uplot/dist/uPlot.min.css" with { type: "text" };
import type { Identity } from "../access/identity.ts";
import { isLimited, isOneTooMany, maySee, type Principal } from "../access/principal.ts";
import { type AdminEnv, actorOf } from "../logs/audit.ts";
import type { NodeStatus } from "../status/status.ts";
import { statusFor } from "../status/status-for.ts";
import appScript from "./app.script" with { type: "text" };
import appStyle from "./dashboard.css" with { type: "text" };
import appPage from "./dashboard.html" with { type: "text" };
import loginPage from "./login.html" with { type: "text" };
import { CSRF_FIELD, isCsrf, type Logins, SESSION_COOKIE } from "./session.ts";
import type { Timeline } from "./timeline.ts";

export interface DashboardParts {
  readonly logins: Logins;
  readonly timeline: Timeline;
}

export interface DashboardOptions extends DashboardParts {
  readonly identity: Identity;
  readonly status: () => NodeStatus;
  /** Names of all rooms, those that cannot be read included. */
  readonly roomNames: () => readonly string[];
}

const LIVE_MS = 1_000;

/** Open pages: each gets a status per second. */
const READERS_MAX = 50;

/** A token is at most 512 characters. */
const FORM_BYTES_MAX = 2_048;

const HEADERS = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "Cache-Control": "no-store",
} as const;

const ASSETS: Readonly<Record<string, readonly [text: string, type: string]>> = {
  "app.js": [String(appScript), "text/javascript"],
  "plot.js": [plotScript, "text/javascript"],
  "app.css": [`${plotStyle}\n${appStyle}`, "text/css"],
};

const TEXTS = {
  wrong: { text: "This is not a token of this node or mesh.", status: 401 },
  cut: { text: "This is not a whole token: its checksum is wrong.", status: 401 },
  expired: { text: "This token has expired.", status: 401 },
  "no-read": { text: "This token may not read: it takes scope read.", status: 403 },
  unheard: { text: "This node has not heard yet which tokens there are: try again, or use its own.", status: 503 },
} as const;

type LoginStatus = 200 | 413 | (typeof TEXTS)[keyof typeof TEXTS]["status"];

export function dashboardRoutes(app: Hono<AdminEnv>, options: DashboardOptions): void {
  const { logins, identity, timeline, status, roomNames } = options;
  const sessionOf = (c: Context<AdminEnv>) => identity.sessionOf(c);
  const login = (c: Context<AdminEnv>, problem: string, code: LoginStatus) =>
    c.html(String(loginPage).replace("{{problem}}", problem), code, HEADERS);
  const readers: Principal[] = [];
  const isCrowded = (principal: Principal): boolean =>
    readers.length >= READERS_MAX || isOneTooMany(principal, readers, READERS_MAX);

  app.get("/", (c) => c.redirect("/dashboard", 302));
  app.get("/dashboard", (c) => {
    const session = sessionOf(c);
    if (session === undefined) return login(c, "", 200);
    const { scopes } = session.principal;
    const page = String(appPage).replace("{{csrf}}", session.csrf).replace("{{scopes}}", scopes.join(" "));
    return c.html(page, 200, HEADERS);
  });
  // Anybody may send this form: a long one is not read.
  const short = bodyLimit({ maxSize: FORM_BYTES_MAX, onError: (c) => login(c, TEXTS.wrong.text, 413) });
  app.post("/dashboard/login", short, async (c) => {
    const text = await c.req.text();
    // A browser says whether its own page sent the form. An old one says nothing, and has no cookie to misuse yet.
    if (!["same-origin", "none", undefined].includes(c.req.header("Sec-Fetch-Site")))
      return login(c, "Log in here.", 401);
    const token = (new URLSearchParams(text).get("token") ?? "").trim();
    const made = identity.logIn(token, actorOf(c));
    if (typeof made === "string") return login(c, TEXTS[made].text, TEXTS[made].status);
    const secure = new URL(c.req.url).protocol === "https:" ? "; Secure" : "";
    c.header("Set-Cookie", `${SESSION_COOKIE}=${made.cookie}; Path=/; HttpOnly; SameSite=Strict${secure}`);
    return c.redirect("/dashboard", 303);
  });
  app.post("/dashboard/logout", (c) => {
    const session = sessionOf(c);
    if (session === undefined || !isCsrf(session, c.req.header(CSRF_FIELD))) return c.body(null, 403);
    logins.end(c.req.header("Cookie"));
    c.header("Set-Cookie", `${SESSION_COOKIE}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`);
    return c.body(null, 204);
  });
  app.get("/dashboard/:asset{[a-z]+\\.(?:js|css)}", (c) => {
    const [text, type] = ASSETS[c.req.param("asset")] ?? [];
    if (text === undefined || type === undefined) return c.notFound();
    return c.body(text, 200, { ...HEADERS, "Content-Type": `${type}; charset=utf-8` });
  });
  app.get("/dashboard/session", (c) => c.body(null, sessionOf(c) === undefined ? 401 : 204, HEADERS));
  app.get("/dashboard/live", (c) => {
    const reader = sessionOf(c)?.principal;
    if (reader === undefined) return c.body(null, 401);
    if (isCrowded(reader)) return c.body(null, 503);
    readers.push(reader);
    return streamSSE(c, async (stream) => {
      let counted = -1;
      try {
        for (let session = sessionOf(c); !stream.aborted && session !== undefined; session = sessionOf(c)) {
          const { principal } = session;
          const news = timeline.count === counted ? {} : { timeline: entriesFor(principal, timeline) };
          counted = timeline.count;
          const seen = statusFor(principal, status(), roomNames());
          await stream.writeSSE({ data: JSON.stringify({ status: seen, ...news }) });
          await stream.sleep(LIVE_MS);
        }
      } finally {
        readers.splice(readers.indexOf(reader), 1);
      }
    });
  });
}

/** What happened, as far as the principal may know: with a sight of some rooms, what is about these. */
function entriesFor(principal: Principal, { entries }: Timeline): Timeline["entries"] {
  if (!isLimited(principal)) return entries;
  return entries.filter(({ room }) => room !== undefined && maySee(principal, room));
}
