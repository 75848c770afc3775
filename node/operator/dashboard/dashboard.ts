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
import type { Actor, AdminEnv } from "../audit.ts";
import type { NodeStatus } from "../status.ts";
import appScript from "./app.script" with { type: "text" };
import appStyle from "./dashboard.css" with { type: "text" };
import appPage from "./dashboard.html" with { type: "text" };
import loginPage from "./login.html" with { type: "text" };
import { CSRF_FIELD, type Logins, SESSION_COOKIE } from "./session.ts";
import type { Timeline } from "./timeline.ts";

export interface DashboardParts {
  readonly logins: Logins;
  readonly timeline: Timeline;
}

export interface DashboardOptions extends DashboardParts {
  readonly status: () => NodeStatus;
  readonly note: (by: Actor, action: string) => void;
  readonly actorOf: (c: Context<AdminEnv>) => Actor;
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

export function dashboardRoutes(app: Hono<AdminEnv>, options: DashboardOptions): void {
  const { logins, timeline, status, note, actorOf } = options;
  const sessionOf = (c: Context<AdminEnv>): string | undefined => logins.sessionIn(c.req.header("Cookie"));
  const login = (c: Context<AdminEnv>, problem: string, code: 200 | 401 | 413 | 429) =>
    c.html(String(loginPage).replace("{{problem}}", problem), code, HEADERS);
  let readers = 0;

  app.get("/", (c) => c.redirect("/dashboard", 302));
  app.get("/dashboard", (c) => {
    const session = sessionOf(c);
    if (session === undefined) return login(c, "", 200);
    return c.html(String(appPage).replace("{{csrf}}", logins.csrfOf(session)), 200, HEADERS);
  });
  // Anybody may send this form: a long one is not read.
  const short = bodyLimit({ maxSize: FORM_BYTES_MAX, onError: (c) => login(c, "This is not the admin token.", 413) });
  app.post("/dashboard/login", short, async (c) => {
    const text = await c.req.text();
    // A browser says whether its own page sent the form. An old one says nothing, and has no cookie to misuse yet.
    if (!["same-origin", "none", undefined].includes(c.req.header("Sec-Fetch-Site")))
      return login(c, "Log in here.", 401);
    const token = (new URLSearchParams(text).get("token") ?? "").trim();
    const made = logins.logIn(token);
    if (made === "wait") return login(c, "Too many wrong tokens: wait a minute.", 429);
    if (made === "wrong") {
      note(actorOf(c), "dashboard: wrong token");
      return login(c, "This is not the admin token.", 401);
    }
    const secure = new URL(c.req.url).protocol === "https:" ? "; Secure" : "";
    c.header("Set-Cookie", `${SESSION_COOKIE}=${made.cookie}; Path=/; HttpOnly; SameSite=Strict${secure}`);
    return c.redirect("/dashboard", 303);
  });
  app.post("/dashboard/logout", (c) => {
    const session = sessionOf(c);
    if (session === undefined || !logins.isCsrf(session, c.req.header(CSRF_FIELD))) return c.body(null, 403);
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
    if (sessionOf(c) === undefined) return c.body(null, 401);
    if (readers >= READERS_MAX) return c.body(null, 503);
    readers += 1;
    return streamSSE(c, async (stream) => {
      let counted = -1;
      try {
        while (!stream.aborted && sessionOf(c) !== undefined) {
          const news = timeline.count === counted ? {} : { timeline: timeline.entries };
          counted = timeline.count;
          await stream.writeSSE({ data: JSON.stringify({ status: status(), ...news }) });
          await stream.sleep(LIVE_MS);
        }
      } finally {
        readers -= 1;
      }
    });
  });
}
