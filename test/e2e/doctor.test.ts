/** `anteroom doctor` at a real site that is well, and at none. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Finding } from "../../cmd/doctor/finding.ts";
import { selfSigned } from "../self-signed.ts";
import { Anteroom, Origin, TestNode, temporaryDirectory } from "./process.ts";

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

test.concurrent("a site and a node that are not there are problems, and what is no address is refused", async () => {
  const wrong = await new Anteroom(["doctor", "ftp://a:b@c/", "--webhook", "pay"]).finished;
  expect([wrong.code, wrong.stdout]).toEqual([2, ""]);
  for (const text of ["URL: is not the address of a site", '--webhook = "pay": is not a path'])
    expect(wrong.stderr).toContain(text);
  const nowhere = ["doctor", "http://127.0.0.1:1/", "--admin", "127.0.0.1:1", "--data", temporaryDirectory()];
  const gone = await new Anteroom([...nowhere, "--token", "x"]).finished;
  expect([gone.code, gone.stdout]).toEqual([
    3,
    expect.stringMatching(/^problem {2}site {6}.*ECONNREFUSED\n.*\nproblem {2}node/),
  ]);
});
