/**
 * The dashboard at the admin address: its pages, log-in and live data. Orders go to the same calls as everybody's,
 * `/v1/…`, with the cookie and the CSRF field in place of the token.
 *
 * Everything is in the binary, and the pages may load nothing from elsewhere.
 */

import type { Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { getCookie } from "hono/cookie";
import { html } from "hono/html";
import { streamSSE } from "hono/streaming";
import plotScript from "uplot/dist/uPlot.iife.min.js" with { type: "text" };
import plotStyle from "uplot/dist/uPlot.min.css" with { type: "text" };
import type { Identity } from "../access/identity.ts";
import { CALLBACK, type NotIn, type People } from "../access/people.ts";
import { isLimited, isOneTooMany, maySee, type Principal } from "../access/principal.ts";
import { type AdminEnv, actorOf } from "../logs/audit.ts";
import type { NodeStatus } from "../status/status.ts";
import { statusFor } from "../status/status-for.ts";
import appStyle from "./dashboard.css" with { type: "text" };
import appPage from "./dashboard.html" with { type: "text" };
import enteredPage from "./entered.html" with { type: "text" };
import loginPage from "./login.html" with { type: "text" };
import { pageScripts } from "./page-scripts.ts" with { type: "macro" };
import { CSRF_FIELD, isCsrf, LOGIN_COOKIE, type Logins, SESSION_COOKIE } from "./session.ts";
import type { Timeline } from "./timeline.ts";

export interface DashboardParts {
  readonly logins: Logins;
  readonly timeline: Timeline;
  /** By whom people log in; left out where tokens alone do. */
  readonly people?: People;
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
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; frame-src 'self'; base-uri 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "Cache-Control": "no-store",
} as const;

/** Of the frame in which a waiting page is previewed: no script, and whatever styles, images and fonts a brand has. */
const FRAME_HEADERS = {
  ...HEADERS,
  "Content-Security-Policy":
    "default-src 'none'; style-src 'unsafe-inline'; img-src http: https: data:; font-src http: https: data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'",
} as const;
const EMPTY_PAGE = "<!doctype html><title>Preview</title>";

const ASSETS: Readonly<Record<string, readonly [text: string, type: string]>> = {
  "plot.js": [plotScript, "text/javascript"],
  "app.css": [`${plotStyle}\n${appStyle}`, "text/css"],
};

const SCRIPTS = pageScripts();

const TEXTS = {
  wrong: { text: "This is not a token of this node or mesh.", status: 401 },
  cut: { text: "This is not a whole token: its checksum is wrong.", status: 401 },
  expired: { text: "This token has expired.", status: 401 },
  "no-read": { text: "This token may not read: it takes scope read.", status: 403 },
  unheard: { text: "This node has not heard yet which tokens there are: try again, or use its own.", status: 503 },
} as const;

type LoginStatus = 200 | 413 | NotIn["status"] | (typeof TEXTS)[keyof typeof TEXTS]["status"];

export function dashboardRoutes(app: Hono<AdminEnv>, options: DashboardOptions): void {
  const { logins, identity, timeline, people, status, roomNames } = options;
  const sessionOf = (c: Context<AdminEnv>) => identity.sessionOf(c);
  const company = people && html`<p><a href="/dashboard/company">Log in with ${people.providerName}</a></p>`;
  const login = (c: Context<AdminEnv>, problem: string, code: LoginStatus) => {
    const page = String(loginPage)
      .replace("{{company}}", () => String(company ?? ""))
      .replace("{{problem}}", () => String(html`${problem}`));
    return c.html(page, code, HEADERS);
  };
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
    c.header("Set-Cookie", sessionCookie(made.cookie));
    return c.redirect("/dashboard", 303);
  });
  if (people !== undefined) companyRoutes(app, { people, logins, login });
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
  app.get("/dashboard/page/:script{[a-z-]+\\.ts}", (c) => {
    const text = SCRIPTS[c.req.param("script")];
    if (text === undefined) return c.notFound();
    return c.body(text, 200, { ...HEADERS, "Content-Type": "text/javascript; charset=utf-8" });
  });
  app.get("/dashboard/frame", (c) => c.html(EMPTY_PAGE, 200, FRAME_HEADERS));
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

interface CompanyParts {
  readonly people: People;
  readonly logins: Logins;
  readonly login: (c: Context<AdminEnv>, problem: string, code: LoginStatus) => Response | Promise<Response>;
}

/** To the identity provider, and back from it. */
function companyRoutes(app: Hono<AdminEnv>, { people, logins, login }: CompanyParts): void {
  const attributes = people.isSecure ? "; Secure" : "";
  app.get("/dashboard/company", async (c) => {
    const begun = await people.begin();
    if ("problem" in begun) return login(c, begun.problem, begun.status);
    // The provider sends the browser back from another site, so this one cannot be strict.
    c.header("Set-Cookie", `${LOGIN_COOKIE}=${begun.cookie}; Path=/dashboard; HttpOnly; SameSite=Lax${attributes}`);
    c.header("Referrer-Policy", "no-referrer");
    return c.redirect(begun.to, 302);
  });
  app.get(CALLBACK, async (c) => {
    const person = await people.end(new URL(c.req.url).search, getCookie(c, LOGIN_COOKIE) ?? "");
    if ("problem" in person) return login(c, person.problem, person.status);
    c.header("Set-Cookie", sessionCookie(logins.cookieOf(person.name, person)) + attributes);
    // A browser that comes from another site does not send a strict cookie on with a redirect: the page goes on itself.
    return c.html(String(enteredPage), 200, HEADERS);
  });
}

function sessionCookie(value: string): string {
  return `${SESSION_COOKIE}=${value}; Path=/; HttpOnly; SameSite=Strict`;
}

/** What happened, as far as the principal may know: with a sight of some rooms, what is about these. */
function entriesFor(principal: Principal, { entries }: Timeline): Timeline["entries"] {
  if (!isLimited(principal)) return entries;
  return entries.filter(({ room }) => room !== undefined && maySee(principal, room));
}
