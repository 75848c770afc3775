/** Real proxies that pass all requests to a gate, by https, with the configurations that `anteroom snippet` prints. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { selfSigned } from "../self-signed.ts";
import { Front, type FrontKind, HeadOrigin, missingFor } from "./fronts.ts";
import { Anteroom, TestNode, temporaryDirectory } from "./process.ts";

const KINDS: readonly FrontKind[] = ["haproxy", "nginx", "caddy"];
const ROOM = {
  ...{ name: "shop", host: "*", total_active_users: 2, new_users_per_minute: 100, page: { title: "Shop" } },
  rules: [{ expression: 'http.request.uri.path starts_with "/hooks/"' }],
};
const HTML = { accept: "text/html", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };

describe.each(KINDS)("%s --plain", (kind) => {
  const missing = missingFor(kind);
  const here = test.runIf(missing === undefined);
  const named = (name: string): string => (missing === undefined ? name : `${name} (${missing} is not installed)`);
  let origin: HeadOrigin;
  let node: TestNode;
  let front: Front;
  let certFile: string;
  let url: string;

  beforeAll(async () => {
    if (missing !== undefined) return;
    const folder = temporaryDirectory();
    const { cert, key } = selfSigned("127.0.0.1");
    certFile = join(folder, "cert.pem");
    const keyFile = join(folder, "key.pem");
    const isBoth = kind === "haproxy";
    writeFileSync(certFile, isBoth ? cert + key : cert);
    writeFileSync(keyFile, key);
    origin = await HeadOrigin.start();
    node = await TestNode.start({ origin: origin.url, rooms: [ROOM], flags: ["--trusted-proxies", "127.0.0.1"] });
    const flags = ["--plain", "--tls-cert", certFile, ...(isBoth ? [] : ["--tls-key", keyFile])];
    front = await Front.start(kind, { node, flags });
    url = `https://127.0.0.1:${front.port}`;
  });

  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(url + path, { redirect: "manual", ...init, tls: { rejectUnauthorized: false } });

  here(
    named("stands before a site with which the doctor finds no problem, certificate and address included"),
    async () => {
      const args = [
        "doctor",
        `${url}/`,
        "--webhook",
        "/hooks/bank",
        "--json",
        "--admin",
        node.admin,
        "--data",
        node.data,
      ];
      const environment = { NODE_EXTRA_CA_CERTS: certFile };
      const { code, stdout } = await new Anteroom(args, undefined, { environment }).finished;
      const { findings } = JSON.parse(stdout) as { readonly findings: readonly { verdict: string; check: string }[] };
      const of = (verdict: string) => findings.filter((each) => each.verdict === verdict).map(({ check }) => check);
      expect([code, of("problem"), of("warning")]).toEqual([0, [], ["mesh", "alerts"]]);
      expect(of("ok")).toEqual(expect.arrayContaining(["site", "health", "address", "tls", "cookies", "payments"]));
    },
  );

  here(
    named("passes everything to the gate: visitors inside, those who wait, forms, and calls of servers"),
    async () => {
      const forged = { "x-forwarded-for": "6.6.6.6", "x-forwarded-proto": "http", forwarded: "for=6.6.6.6" };
      const first = await ask("/a%20b?c=1&d", { headers: { ...HTML, ...forged, "x-case": "first" } });
      const [head] = origin.casesOf("first");
      const said = (name: string) => head?.fields.filter(([field]) => field === name).map(([, value]) => value);
      expect([first.status, head?.target, head?.isByLane]).toEqual([200, "/a%20b?c=1&d", false]);
      // The gate adds the proxy.
      expect([said("x-forwarded-for"), said("x-forwarded-proto")]).toEqual([["127.0.0.1, 127.0.0.1"], ["https"]]);
      expect(JSON.stringify(head?.fields)).not.toContain("6.6.6.6");
      const [set = ""] = first.headers.getSetCookie();
      expect(set).toMatch(/^__anteroom_.*; ?Secure/i);
      const cookie = set.split(";")[0] ?? "";
      const form = await ask("/buy", { method: "POST", body: "order=1", headers: { cookie, "x-case": "form" } });
      expect([form.status, origin.casesOf("form").length]).toEqual([200, 1]);
      // The doctor is the other one inside.
      const waits = await ask("/", { headers: { ...HTML, "x-case": "waits" } });
      expect([waits.status, origin.casesOf("waits")]).toEqual([200, []]);
      expect(await waits.text()).toContain('id="anteroom"');
      const hook = await ask("/hooks/bank", { method: "POST", body: "paid", headers: { "x-case": "hook" } });
      const other = await ask("/pay", { method: "POST", body: "paid" });
      expect([hook.status, origin.casesOf("hook").length, other.status]).toEqual([200, 1, 503]);
    },
  );

  here(named("refuses questions to a gate from outside"), async () => {
    for (const path of ["/.anteroom/auth", "/.anteroom/auth/nginx", "/.anteroom/auth/caddy?x"])
      expect((await ask(path, { headers: { "x-original-uri": "/", "x-forwarded-uri": "/" } })).status, path).toBe(404);
  });
});

test("flags that mean nothing together are refused, all at once", async () => {
  const refused = async (...args: string[]) => (await new Anteroom(["snippet", ...args]).finished).stderr;
  const plain = await refused("nginx", "--plain", "--room", "shop", "--origin", "http://a", "--tls-cert", "/a b.pem");
  for (const text of [
    '--room = "shop": means nothing beside --plain',
    '--origin = "http://a": means nothing beside --plain',
    '"/a b.pem": has blanks or signs',
    "--tls-key: is missing beside --tls-cert",
  ])
    expect(plain).toContain(text);
  expect(await refused("caddy", "--tls-key", "/k")).toContain('--tls-key = "/k": is given alone');
  expect(await refused("haproxy", "--tls-cert", "/c", "--tls-key", "/k")).toContain("HAProxy reads both from one file");
});
