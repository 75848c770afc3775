import { beforeEach, describe, expect, test } from "vitest";
import { Logins } from "../../../node/operator/dashboard/session.ts";
import type { TokenPlan, Tokens } from "../../../node/operator/tokens/tokens.ts";
import { GateWorld, SHOP } from "../gate/gate-world.ts";
import { adminWorld, TOKEN } from "./admin-world.ts";

const MINUTE_MS = 60_000;

type Admin = ReturnType<typeof adminWorld>;

let world: GateWorld;
let app: Admin["app"];
let parts: Admin["dashboard"];
let notes: unknown[];
let tokens: Tokens;

beforeEach(() => {
  notes = [];
  world = new GateWorld({ rooms: [SHOP, { ...SHOP, name: "team:shop", host: "team.example" }] });
  const note = ({ audit }: { readonly audit?: string }) => notes.push(audit);
  ({ app, dashboard: parts, tokens } = adminWorld(world, { note }));
});

async function logIn(token: string, fields: Record<string, string> = {}): Promise<Response> {
  return app.request("/dashboard/login", { method: "POST", headers: fields, body: new URLSearchParams({ token }) });
}

async function cookieOf(response: Response): Promise<string> {
  return (response.headers.get("Set-Cookie") ?? "").split(";")[0] ?? "";
}

/** What an open page gets first. */
async function live(cookie: string): Promise<unknown> {
  const answer = await app.request("/dashboard/live", { headers: { Cookie: cookie } });
  const reader = answer.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return JSON.parse(/^data: (.*)$/m.exec(new TextDecoder().decode(value))?.[1] ?? "{}");
}

async function seen(field: string): Promise<number> {
  return (await app.request("/dashboard/session", { headers: { Cookie: field } })).status;
}

describe("the dashboard", () => {
  test("asks for the token, and then shows its page, which loads nothing from elsewhere", async () => {
    const before = await app.request("/dashboard");
    expect(await before.text()).toContain(`<label for="token">Token</label>`);
    const made = await logIn(TOKEN);
    expect([made.status, made.headers.get("Location")]).toEqual([303, "/dashboard"]);
    expect(made.headers.get("Set-Cookie")).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/);
    const page = await app.request("/dashboard", { headers: { Cookie: `other=1; ${await cookieOf(made)}` } });
    const text = await page.text();
    expect(text).toMatch(/<meta name="csrf" content="[\w-]{43}">/);
    expect(text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    expect(page.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
    for (const asset of ["page/app.ts", "page/panel.ts", "app.css", "plot.js"]) {
      expect((await app.request(`/dashboard/${asset}`)).status).toBe(200);
    }
    for (const asset of ["other.js", "page/other.ts"]) {
      expect((await app.request(`/dashboard/${asset}`)).status).toBe(404);
    }
  });

  test("refuses a wrong token, an old, changed or foreign cookie, and a log-in from another site", async () => {
    const wrong = await logIn("guess");
    expect([wrong.status, await wrong.text(), notes]).toEqual([
      ...[401, expect.stringContaining("This is not a token of this node or mesh."), ["token refused"]],
    ]);
    expect((await logIn(TOKEN, { "Sec-Fetch-Site": "cross-site" })).status).toBe(401);
    const cookie = await cookieOf(await logIn(TOKEN));
    expect(await seen(cookie)).toBe(204);
    expect(await seen(cookie.slice(0, -1))).toBe(401);
    expect(await seen(`${cookie}x`)).toBe(401);
    expect(await seen("")).toBe(401);
    const foreign = new Logins(() => world.nowMs).cookieOf("admin.token");
    expect(await seen(`anteroom-dashboard=${foreign}`)).toBe(401);
    world.nowMs += 12 * 60 * MINUTE_MS;
    expect(await seen(cookie)).toBe(401);
  });

  test("reads no long form of a stranger", async () => {
    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        sent += 1_000;
        if (sent > 1_000_000) controller.close();
        else controller.enqueue(new Uint8Array(1_000));
      },
    });
    const request = new Request("http://localhost/dashboard/login", { method: "POST", body: endless });
    expect((await app.request(request)).status).toBe(413);
    expect(sent).toBeLessThan(20_000);
    expect((await logIn("x".repeat(3_000))).status).toBe(413);
  });

  describe("with a token of the mesh", () => {
    const made = (plan: Partial<TokenPlan>) =>
      tokens.create(
        { ...{ name: "viewer", scopes: ["read"], namespace: "team", rooms: undefined }, expiresMs: undefined, ...plan },
        "admin.token",
      );

    test("shows what it may see, and says to the page what it may do", async () => {
      const cookie = await cookieOf(await logIn(made({}).secret));
      const page = await (await app.request("/dashboard", { headers: { Cookie: cookie } })).text();
      expect(page).toContain('<meta name="scopes" content="read">');
      const log = parts.timeline.over({ error: () => {}, warn: () => {}, info: () => {}, debug: () => {} });
      log.info({ room: "shop" }, "room held");
      log.info({ room: "team:shop" }, "room opened");
      expect(await live(cookie)).toMatchObject({
        status: { rooms: [{ name: "team:shop" }] },
        timeline: [{ room: "team:shop" }],
      });
    });

    test("ends when the token is deleted, rotated without grace, or has expired", async () => {
      const { token, secret } = made({});
      const cookie = await cookieOf(await logIn(secret));
      tokens.rotate(token, { graceMs: MINUTE_MS, expiresMs: undefined });
      expect(await seen(cookie)).toBe(204);
      world.nowMs += MINUTE_MS;
      expect(await seen(cookie)).toBe(401);
      tokens.remove(token);
      const next = made({ expiresMs: world.nowMs + MINUTE_MS });
      const other = await cookieOf(await logIn(next.secret));
      expect(await seen(other)).toBe(204);
      world.nowMs += MINUTE_MS;
      expect([await seen(other), (await logIn(next.secret)).status]).toEqual([401, 401]);
    });

    test("without scope read does not log in", async () => {
      const answer = await logIn(made({ scopes: ["operate"] }).secret);
      expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining("it takes scope read")]);
    });
  });

  test("logs out only who asks by its own page", async () => {
    const cookie = await cookieOf(await logIn(TOKEN));
    const out = (fields: Record<string, string>) =>
      app.request("/dashboard/logout", { method: "POST", headers: { Cookie: cookie, ...fields } });
    expect((await out({})).status).toBe(403);
    const csrf = parts.logins.sessionIn(cookie)?.csrf ?? "";
    const other = await cookieOf(await logIn(TOKEN));
    const gone = await out({ "Anteroom-Csrf": csrf });
    expect([gone.status, gone.headers.get("Set-Cookie")]).toEqual([204, expect.stringContaining("Max-Age=0")]);
    expect([await seen(cookie), (await out({ "Anteroom-Csrf": csrf })).status, await seen(other)]).toEqual([
      401, 403, 204,
    ]);
  });

  test("keeps the newest of a token's log-ins, and those of other tokens", async () => {
    const of = (id: string) => `anteroom-dashboard=${parts.logins.cookieOf(id)}`;
    const [other, ...own] = [of("b"), ...Array.from({ length: 51 }, () => of("a"))];
    expect([other, ...own].map((cookie) => parts.logins.sessionIn(cookie)?.id)).toEqual([
      "b",
      undefined,
      ...Array(50).fill("a"),
    ]);
    world.nowMs += 12 * 60 * MINUTE_MS;
    expect(parts.logins.sessionIn(other)).toBeUndefined();
  });

  test("is open in as many windows as a token's share has, and in some more of those who see all rooms", async () => {
    const opened: Response[] = [];
    const open = async (cookie: string) => {
      const answer = await app.request("/dashboard/live", { headers: { Cookie: cookie } });
      if (answer.status === 200) opened.push(answer);
      return answer.status;
    };
    const statuses = async (cookie: string, count: number) => {
      const all = [];
      for (let at = 0; at < count; at++) all.push(await open(cookie));
      return all;
    };
    const viewer = async (name: string) => {
      const plan = { name, scopes: ["read"], namespace: name, rooms: undefined, expiresMs: undefined } as const;
      return cookieOf(await logIn(tokens.create(plan, "admin.token").secret));
    };
    const root = await cookieOf(await logIn(TOKEN));
    for (const name of ["a", "b", "c"])
      expect(await statuses(await viewer(name), 13)).toEqual([...Array(12).fill(200), 503]);
    expect(await statuses(await viewer("d"), 2)).toEqual([200, 503]);
    expect(await statuses(root, 14)).toEqual([...Array(13).fill(200), 503]);
    await Promise.all(opened.map((answer) => answer.body?.cancel()));
  });

  test("sends the status and what has happened, each second", async () => {
    expect((await app.request("/dashboard/live")).status).toBe(401);
    const heard: string[] = [];
    const write = (_: unknown, message: string) => void heard.push(message);
    const log = parts.timeline.over({ error: write, warn: write, info: write, debug: write });
    log.info({ room: "shop" }, "room held");
    log.info({}, "access");
    expect(await live(await cookieOf(await logIn(TOKEN)))).toMatchObject({
      status: { rooms: [{ name: "shop" }, { name: "team:shop" }] },
      timeline: [{ message: "room held", room: "shop", level: "info" }],
    });
    expect(heard).toEqual(["room held", "access"]);
  });
});
