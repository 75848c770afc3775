/** People log in by a real identity provider, and do what their group may do. */

import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { CookieJar } from "../../../../cmd/crowd/cookie-jar.ts";
import { CALLBACK, People } from "../../../../node/operator/access/people.ts";
import { type PeopleFile, parsePeople } from "../../../../node/operator/access/people-file.ts";
import { adminWorld } from "../admin-world.ts";
import { CLIENT, type IdentityProvider, identityProvider, logInAt } from "./identity-provider.ts";

const GATE = "https://gate1.example.com:8443";
const GROUPS = `
groups:
  - { group: admins, scopes: [read, operate, configure, mesh] }
  - { group: box-office, scopes: [read, operate] }
  - { group: doormen, scopes: [operate] }
`;

let provider: IdentityProvider;
beforeAll(async () => {
  // The provider tells all that a real one would have to set.
  for (const level of ["info", "warn"] as const) vi.spyOn(console, level).mockReturnValue();
  provider = await identityProvider(`${GATE}${CALLBACK}`);
});
afterAll(() => provider.close());

function fileOf(issuer: string): PeopleFile {
  const read = parsePeople(
    `issuer: ${issuer}\nclient_id: ${CLIENT.client_id}\nclient_secret: ${CLIENT.client_secret}\nurl: ${GATE}${GROUPS}`,
  );
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.value;
}

/** A node's admin API, and a browser of it. */
function world(issuer = provider.issuer) {
  let nowMs = Date.now();
  const noted: object[] = [];
  const people = new People(fileOf(issuer), { clock: () => nowMs, fetch: (url, init) => fetch(url, init) });
  const admin = adminWorld(undefined, { people, note: (fields) => noted.push(fields) });
  const jar = new CookieJar();
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const { pathname, search } = new URL(path, GATE);
    const cookie = jar.field(pathname, Date.now());
    // The node itself speaks plain HTTP, behind what speaks https.
    const answer = await admin.app.request(`http://127.0.0.1:8081${pathname}${search}`, {
      ...init,
      headers: { ...init.headers, ...(cookie && { cookie }) },
    });
    jar.keep(answer.headers.getSetCookie(), Date.now());
    return answer;
  };
  const begin = async (): Promise<string> => (await ask("/dashboard/company")).headers.get("location") ?? "";
  const logIn = async (login: string): Promise<Response> => ask(await logInAt(await begin(), login));
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return { ask, begin, logIn, noted, pass };
}

/** What the dashboard's page may send. */
const csrfIn = (page: string): string => /name="csrf" content="([^"]+)"/.exec(page)?.[1] ?? "";

test("the log-in page names the provider; one who is let in sees the dashboard with the scopes of the first group", async () => {
  const { ask, logIn } = world();
  expect(await (await ask("/dashboard")).text()).toContain(`Log in with ${new URL(provider.issuer).host}`);
  const entered = await logIn("alice");
  expect(entered.headers.get("set-cookie")).toMatch(/; HttpOnly; SameSite=Strict; Secure$/);
  expect([entered.status, await entered.text()]).toEqual([200, expect.stringContaining('content="0; url=/dashboard"')]);
  expect(await (await ask("/dashboard")).text()).toContain('"read operate"');
  await logIn("bob");
  expect(await (await ask("/dashboard")).text()).toContain('"read operate configure mesh"');
});

test("a person's orders are theirs in the audit log, and a scope that the group lacks is refused", async () => {
  const { ask, logIn, noted } = world();
  await logIn("alice");
  const headers = { "Anteroom-Csrf": csrfIn(await (await ask("/dashboard")).text()) };
  expect((await ask("/v1/rooms/shop/hold", { method: "POST", headers })).status).toBe(200);
  expect(noted).toContainEqual(expect.objectContaining({ actor: "person:alice@example.com" }));
  expect((await ask("/v1/rooms/shop", { method: "DELETE", headers })).status).toBe(403);
  expect((await ask("/v1/rooms/shop/hold", { method: "POST" })).status).toBe(401);
});

test.each([
  ["mallory", "mallory@example.com is in none of the groups"],
  ["dora", "dora@example.com may not read: group doormen has no scope read"],
])("one whom no group lets read does not get in: %s", async (login, words) => {
  const { ask, logIn } = world();
  const answer = await logIn(login);
  expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining(words)]);
  expect((await ask("/dashboard/session")).status).toBe(401);
});

test("a log-in that another browser began, or that is over, or that is used again, ends nothing", async () => {
  const [one, other] = [world(), world()];
  const back = await logInAt(await one.begin(), "alice");
  expect((await other.ask(back)).status).toBe(403);
  await other.begin();
  expect((await other.ask(back)).status).toBe(403);
  one.pass(11 * 60_000);
  expect((await one.ask(back)).status).toBe(403);
  const again = await logInAt(await one.begin(), "alice");
  expect((await one.ask(again)).status).toBe(200);
  expect((await one.ask(again)).status).toBe(403);
});

test("what the browser brings back is checked with the provider, and shown as text", async () => {
  const { ask, begin } = world();
  const state = new URL(await begin()).searchParams.get("state");
  const answer = await ask(`${CALLBACK}?error=<script>&error_description=<b>no</b>&state=${state}`);
  expect(answer.status).toBe(403);
  expect(await answer.text()).not.toMatch(/<script>|<b>/);
  await begin();
  expect((await ask(`${CALLBACK}?code=made-up&state=made-up`)).status).toBe(403);
});

test("a provider that does not answer is named, and asked again next time", async () => {
  const { ask } = world("http://127.0.0.1:1");
  const answer = await ask("/dashboard/company");
  expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining("127.0.0.1:1 does not answer")]);
});

test("a file says all that is wrong with it, without its secret", () => {
  const read = parsePeople(
    "issuer: ftp://x\nclient_id: a\nclient_secret: [s3cret]\nurl: http://gate1.example.com\ngroup: []",
  );
  if (read.ok) throw new Error("it is read");
  expect(read.problems.map(({ path }) => path)).toEqual(["issuer", "client_secret", "url", "groups", "group"]);
  expect(JSON.stringify(read.problems)).not.toContain("s3cret");
  const mesh = parsePeople(
    "issuer: https://x.test\nclient_id: a\nclient_secret: b\nurl: https://y.test\ngroups: [{group: g, scopes: [mesh], namespace: a}]",
  );
  expect(mesh).toMatchObject({ ok: false, problems: [{ path: "groups[0]", problem: "has mesh beside a namespace" }] });
});
