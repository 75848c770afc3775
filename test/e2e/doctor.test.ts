/**
 * `anteroom doctor` at real sites: one that is well, and others with a fault each, most of them in a proxy in front.
 */

import { writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Finding } from "../../cmd/doctor/finding.ts";
import { selfSigned } from "../self-signed.ts";
import { Anteroom, endLater, Origin, TestNode, temporaryDirectory, until } from "./process.ts";

const ROOM = {
  ...{ name: "shop", host: "*", total_active_users: 50, new_users_per_minute: 50, page: { title: "Shop" } },
  rules: [{ expression: 'http.request.uri.path starts_with "/hooks/"' }],
};

/** What the doctor says of the site at `url`, by check. */
async function told(node: TestNode, args: readonly string[]) {
  const { code, stdout, stderr } = await node.run(["doctor", ...args, "--json"]);
  if (stdout === "") throw new Error(stderr);
  const { ok, findings } = JSON.parse(stdout) as { readonly ok: boolean; readonly findings: readonly Finding[] };
  expect(code).toBe(ok ? 0 : 3);
  const of = (verdict: Finding["verdict"]): string[] =>
    findings.filter((each) => each.verdict === verdict).map(({ check, text }) => `${check}: ${text}`);
  return { code, problems: of("problem"), warnings: of("warning"), well: findings.map(({ check }) => check) };
}

/** A proxy in front of `gate`; `change` sees the fields of each request, and those of its answer. */
async function proxyTo(
  gate: string,
  change: (asked: IncomingMessage["headers"], answered: IncomingMessage["headers"]) => void,
): Promise<string> {
  const server = createServer((asked: IncomingMessage, answer: ServerResponse) => {
    change(asked.headers, {});
    const passed = request(new URL(asked.url ?? "", gate), { method: "GET", headers: asked.headers }, (came) => {
      change({}, came.headers);
      answer.writeHead(came.statusCode ?? 502, came.headers);
      came.pipe(answer);
    });
    passed.on("error", () => answer.destroy());
    passed.end();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  endLater(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test.concurrent("a site that is well has no problem, from the certificate to the webhook", async () => {
  const folder = temporaryDirectory();
  const { cert, key } = selfSigned("127.0.0.1", 30);
  const [certFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key, { mode: 0o600 });
  const origin = await Origin.start();
  const flags = ["--tls-cert", certFile, "--tls-key", keyFile];
  const environment = { NODE_EXTRA_CA_CERTS: certFile };
  const node = await TestNode.start({ origin: origin.url, rooms: [ROOM], flags, environment });
  expect((await node.run(["webhook", "create", "name=chat", `url=${origin.url}/hook`, "types=[]"])).code).toBe(0);
  const url = `https://127.0.0.1:${node.gatePort}/`;
  const { code, problems, warnings, well } = await told(node, [url, "--webhook", "/hooks/bank"]);
  expect({ code, problems, warnings }).toEqual({
    ...{ code: 0, problems: [] },
    warnings: ["mesh: there is one node: without it the site is down"],
  });
  expect([...well].sort()).toEqual(
    ["site", "health", "address", "tls", "cookies", "node", "origin", "mesh", "clock", "limits", "page"]
      .concat(["alerts", "payments"])
      .sort(),
  );
  expect((await node.room()).inside).toBe(1);
  // A held room is asked in the same way, by one who waits.
  await node.run(["room", "hold", "shop"]);
  const held = await told(node, [url]);
  expect([held.problems, held.warnings]).toEqual([[], expect.arrayContaining(["limits: room shop is held"])]);
  // The same for a person.
  const { stdout } = await node.run(["doctor", url]);
  expect(stdout).toContain("ok       tls       the certificate and its chain are good");
});

test.concurrent("faults of a site without a proxy are found", async () => {
  const { cert, key } = selfSigned("other.example", 3);
  const folder = temporaryDirectory();
  const [certFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key, { mode: 0o600 });
  const origin = await Origin.start();
  const rooms = [{ ...ROOM, page: {}, new_users_per_minute: 60_000, rules: [] }];
  const flags = ["--tls-cert", certFile, "--tls-key", keyFile];
  const node = await TestNode.start({ origin: origin.url, rooms, flags });
  const url = `https://127.0.0.1:${node.gatePort}/`;
  const first = await told(node, [url, "--webhook", "/pay"]);
  expect(first).toMatchObject({
    code: 3,
    problems: [
      "tls: browsers refuse the certificate: DEPTH_ZERO_SELF_SIGNED_CERT",
      "payments: POST /pay gets 503 when room shop is full",
    ],
    warnings: [
      "mesh: there is one node: without it the site is down",
      expect.stringMatching(/^limits: room shop may send 1000 new users a second/),
      "page: the waiting page has neither name nor logo: shop",
      expect.stringMatching(/^alerts: nobody hears of trouble/),
    ],
  });
  // Prometheus comes: that is an alert's way.
  await fetch(`http://${node.admin}/metrics`);
  const second = await told(node, [url]);
  expect(second.warnings.join()).not.toContain("alerts");
  origin.stop();
  await until(async () =>
    (await told(node, [url])).problems.some((each) => each.startsWith("origin: room shop: no origin answers")),
  );
  const inside = await told(node, []);
  expect(inside.warnings).toEqual(expect.arrayContaining(["site: it was not asked from outside"]));
  const wrong = await node.run(["doctor", "ftp://a:b@c/", "--webhook", "pay"]);
  expect([wrong.code, wrong.stdout]).toEqual([2, ""]);
  for (const text of ["URL: is not the address of a site", '--webhook = "pay": is not a path'])
    expect(wrong.stderr).toContain(text);
  const nowhere = ["doctor", "http://127.0.0.1:1/", "--admin", "127.0.0.1:1", "--data", node.data];
  const gone = await new Anteroom(nowhere).finished;
  expect([gone.code, gone.stdout]).toEqual([
    3,
    expect.stringMatching(/^problem {2}site {6}.*ECONNREFUSED\n.*\nproblem {2}node/),
  ]);
});

test.concurrent("faults of a proxy in front are found", async () => {
  const origin = await Origin.start();
  const trusting = await TestNode.start({
    origin: origin.url,
    rooms: [ROOM],
    flags: ["--trusted-proxies", "127.0.0.1"],
  });
  const site = trusting.gate;
  const problemsAt = async (url: string) => (await told(trusting, [url])).problems;
  const replaces = (asked: IncomingMessage["headers"]): void => {
    if (asked.host !== undefined) asked["x-forwarded-for"] = "127.0.0.1";
  };
  expect(await problemsAt(await proxyTo(site, replaces))).toEqual([]);
  expect(await problemsAt(await proxyTo(site, () => {}))).toEqual([
    expect.stringMatching(/^address: a visitor can claim any/),
  ]);
  const noSetCookie = await proxyTo(site, (asked, answered) => {
    replaces(asked);
    delete answered["set-cookie"];
  });
  expect(await problemsAt(noSetCookie)).toEqual(["cookies: no cookie of a room comes with the page"]);
  const noCookie = await proxyTo(site, (asked) => {
    replaces(asked);
    delete asked.cookie;
  });
  expect(await problemsAt(noCookie)).toEqual(["cookies: the gate does not see the cookie that it set"]);
  expect(await problemsAt(`${origin.url}/`)).toEqual([
    "health: /.anteroom/health is answered with 200, and not by a gate",
    "cookies: no cookie of a room comes with the page",
  ]);
  const knowsNobody = await TestNode.start({ origin: origin.url, rooms: [{ ...ROOM, queue_all: true }] });
  const { problems } = await told(knowsNobody, [await proxyTo(knowsNobody.gate, replaces)]);
  expect(problems).toEqual([
    expect.stringMatching(/^address: 127\.0\.0\.1 sends X-Forwarded-\* fields but is not a trusted proxy/),
  ]);
  await fetch(`${knowsNobody.gate}/pay`, { method: "POST", body: "paid" });
  expect((await told(knowsNobody, [knowsNobody.gate])).problems.join("\n")).toMatch(
    /^payments: room shop turned away 1 call /m,
  );
});
