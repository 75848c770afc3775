import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { LookupWatch, loadLookups, lookupFolder } from "../../../cmd/serve/lookup-files.ts";
import type { Log } from "../../../node/log.ts";
import { crawlerAt } from "../../../node/rules/crawler-lists.ts";
import type { SignedRequest } from "../../../node/rules/lookups.ts";
import { mmdb } from "../../node/rules/mmdb.ts";

/** A key of RFC 9421, appendix B.1.4. */
const KEY_X = "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs";
const KEY_ID = "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";

function signedBy(keyId: string): SignedRequest {
  const input = `s=("@authority");created=1;expires=9;keyid="${keyId}";tag="web-bot-auth"`;
  const headers = ["Signature-Input", input, "Signature", "s=:AA==:"];
  const request = { method: "GET", target: "/", host: "shop.example", authority: "shop.example", headers };
  return { request, secure: true, nowMs: 2_000 };
}

let folder = "";
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "anteroom-lookup-")), "lookup");
});
afterEach(() => rmSync(join(folder, ".."), { recursive: true }));

describe("the files that tell rules about senders", () => {
  test.each([
    [{ rooms: "/etc/anteroom/rooms.yaml", data: "/var/a", worker: 2 }, "/etc/anteroom/lookup"],
    [{ rooms: undefined, data: "/var/a", worker: 0 }, "/var/a/lookup"],
    [{ rooms: undefined, data: "/var/a/worker-2", worker: 2 }, "/var/a/lookup"],
  ])("lie beside the rooms file, or in the data directory of the host", (settings, expected) =>
    expect(lookupFolder(settings)).toBe(expected),
  );

  test("are used once they have been the same for two looks, and keep their place while others cannot be used", async () => {
    const said: string[] = [];
    const note = (_: object, message: string): void => void said.push(message);
    const log: Log = { debug: note, info: note, warn: note, error: note };
    const watch = await LookupWatch.begin(folder, log);
    const country = (): string | undefined => watch.now().addresses.country?.("203.0.113.1");
    expect(country()).toBeUndefined();
    const put = (code: string): void =>
      writeFileSync(join(folder, "c.mmdb"), mmdb("x-Country", { "203.0.113.0/24": { country: { iso_code: code } } }));
    mkdirSync(folder);
    put("DE");
    await watch.look();
    expect(country()).toBeUndefined();
    await watch.look();
    expect(country()).toBe("DE");
    writeFileSync(join(folder, "c.mmdb"), "half of a");
    await watch.look();
    await watch.look();
    await watch.look();
    expect(country()).toBe("DE");
    put("FR");
    await watch.look();
    await watch.look();
    expect(country()).toBe("FR");
    expect(said.map((text) => text.replace(folder, "lookup"))).toEqual([
      "files in lookup have changed: rules use them as they are now",
      "files in lookup have changed: refused: rules use the earlier ones",
      "files in lookup have changed: rules use them as they are now",
    ]);
  });

  test("have lists of crawlers and keys of bots, each under the name of its file", async () => {
    mkdirSync(folder);
    writeFileSync(
      join(folder, "bingbot.json"),
      '{"creationTime": "x", "prefixes": [{"ipv4Prefix": "203.0.113.0/28"}]}',
    );
    writeFileSync(join(folder, "agent.json"), JSON.stringify({ keys: [{ kty: "OKP", crv: "Ed25519", x: KEY_X }] }));
    const faults = { "a.json": "{", "b.json": "[]", "c.json": "null", "d.json": '{"prefixes": [{"ipv4Prefix": "x"}]}' };
    for (const [name, text] of Object.entries(faults)) writeFileSync(join(folder, name), text);
    const { lookups, problems } = await loadLookups(folder);
    expect(crawlerAt("203.0.113.15", lookups.crawlers)).toBe("bingbot");
    expect(lookups.claimOf(signedBy(KEY_ID))?.name).toBe("agent");
    expect(lookups.claimOf(signedBy("another"))).toBeUndefined();
    expect(problems.map(({ path }) => basename(path))).toEqual(Object.keys(faults));
    expect(problems.at(-1)?.problem).toBe("prefixes[0] is no ipv4Prefix or ipv6Prefix such as 192.0.2.0/24");
  });

  test("that cannot be used at the start are named, and the others are used", async () => {
    const problems: unknown[] = [];
    const note = (fields: object): void => void problems.push(fields);
    mkdirSync(folder);
    writeFileSync(join(folder, "bad.mmdb"), "");
    writeFileSync(join(folder, "good.mmdb"), mmdb("x-ASN", { "203.0.113.0/24": { autonomous_system_number: 64_496 } }));
    const watch = await LookupWatch.begin(folder, { debug: note, info: note, warn: note, error: note });
    expect(watch.now().addresses.network?.("203.0.113.1")).toBe("64496");
    expect(JSON.stringify(problems)).toContain("bad.mmdb: is no database in MaxMind's form");
  });
});
