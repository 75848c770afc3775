/** Real proxies that pass all requests to a gate, by https, with the configurations that `anteroom snippet` prints. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { selfSigned } from "../self-signed.ts";
import { Front, type FrontKind, HeadOrigin, missingFor } from "./fronts.ts";
import { Anteroom, TestNode, temporaryDirectory } from "./process.ts";

const KINDS: readonly FrontKind[] = ["haproxy", "nginx", "caddy"];
const ROOM = {
  ...{ name: "shop", host: "*", total_active_users: 2, new_users_per_minute: 100, page: { title: "Shop" } },
  rules: [{ expression: 'http.request.uri.path starts_with "/hooks/"' }],
};

describe.each(KINDS)("%s --plain", (kind) => {
  const missing = missingFor(kind);
  const named = missing === undefined ? "" : ` (${missing} is not installed)`;

  test.runIf(missing === undefined)(
    `stands before a site with which the doctor finds no problem, certificate and address included${named}`,
    async () => {
      const folder = temporaryDirectory();
      const { cert, key } = selfSigned("127.0.0.1");
      const [certFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")];
      const isBoth = kind === "haproxy";
      writeFileSync(certFile, isBoth ? cert + key : cert);
      writeFileSync(keyFile, key);
      const origin = await HeadOrigin.start();
      const environment = { NODE_EXTRA_CA_CERTS: certFile };
      const trust = ["--trusted-proxies", "127.0.0.1"];
      const node = await TestNode.start({ origin: origin.url, rooms: [ROOM], flags: trust, environment });
      const tls = ["--tls-cert", certFile, ...(isBoth ? [] : ["--tls-key", keyFile])];
      const { port } = await Front.start(kind, { node, flags: ["--plain", ...tls] });
      const site = `https://127.0.0.1:${port}/`;
      const { code, stdout } = await node.run(["doctor", site, "--webhook", "/hooks/bank", "--json"]);
      const { findings } = JSON.parse(stdout) as { readonly findings: readonly { verdict: string; check: string }[] };
      const of = (verdict: string) => findings.filter((each) => each.verdict === verdict).map(({ check }) => check);
      expect([code, of("problem"), of("warning")]).toEqual([0, [], ["mesh", "alerts"]]);
      expect(of("ok")).toEqual(expect.arrayContaining(["site", "health", "address", "tls", "cookies", "payments"]));
    },
  );
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
