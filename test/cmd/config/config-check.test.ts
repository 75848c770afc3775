import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { mmdb } from "../../node/rules/mmdb.ts";
import { anteroom } from "../fake-io.ts";

const ROOMS =
  "rooms:\n  - {name: shop, host: a.example, path: /s, total_active_users: 5000, new_users_per_minute: 9}\n";

describe("config check", () => {
  test("shows each setting that somebody chose with its source, then the rooms, and counts the others", async () => {
    const { exit, answer, talk } = await anteroom("config check --rooms r.yaml --config c.yaml --token hunter2", {
      files: { "r.yaml": ROOMS, "c.yaml": "origin: http://127.0.0.1:3000\nlog_level: debug\n" },
      environment: { ANTEROOM_LOG_LEVEL: "warn" },
    });
    expect(exit).toBe(0);
    expect(talk).toMatch(/^warning: rooms cover a\.example\/s only: .*without --origin\n$/);
    expect(answer).toMatch(/^SETTING +VALUE +SOURCE\norigin +http:\/\/127\.0\.0\.1:3000 +c\.yaml\n/);
    expect(answer).toMatch(/\nlog_level +warn +ANTEROOM_LOG_LEVEL\n/);
    expect(answer).not.toMatch(/ default\n/);
    expect(answer).toMatch(/\n\n\d+ settings at the default \(--json lists all\)\n$/);
    expect(answer).toMatch(/\ntoken +\(set\) +--token\n/);
    expect(answer).toMatch(
      /\n\n1 room in r\.yaml\n\nROOM .*\nshop +a\.example\/s +5,000 +9 +http:\/\/127\.0\.0\.1:3000\n\n/,
    );
  });

  test.each([
    ["config check", "serve would not start"],
    ["serve", "nothing was started"],
  ])("%s reports every problem of arguments, settings and files at once: %s", async (command, prevented) => {
    const { exit, answer, talk } = await anteroom(`${command} --lisen :80 --admin 8081 --tls-cert no.pem stray`, {
      files: { "c.yaml": "rooms: r.yaml\nloglevel: debug\n", "r.yaml": "rooms: [{name: a, host: b}]" },
      environment: { ANTEROOM_CONFIG: "c.yaml", ANTEROOM_ORIGN: "http://a" },
    });
    expect({ exit, answer }).toEqual({ exit: 2, answer: "" });
    for (const text of [
      `9 problems: ${prevented}`,
      "--lisen: is not a known flag\n      did you mean --listen?",
      "stray: is an argument too many",
      '--admin = "8081": has no colon before the port\n      write :8081 or 127.0.0.1:8081',
      '--tls-cert = "no.pem": is given without --tls-key FILE',
      "ANTEROOM_ORIGN: is not a known variable, so it sets nothing\n      did you mean ANTEROOM_ORIGIN?",
      "c.yaml: loglevel: is not a known setting\n      did you mean log_level?",
      "r.yaml:1: rooms[0].total_active_users (room a): is missing",
      "r.yaml:1: rooms[0].new_users_per_minute (room a): is missing",
      "no.pem: does not exist",
    ]) {
      expect(talk).toContain(text);
    }
  });

  test("names the rules that could never apply for want of a file, and files that cannot be used", async () => {
    const folder = mkdtempSync(join(tmpdir(), "anteroom-lookup-"));
    const rules = 'rules: [{expression: ip.src.country eq "DE" and ip.src.asnum ne 1}, {expression: ssl}]';
    const files = { [join(folder, "r.yaml")]: ROOMS.replace("{name", `{${rules}, name`) };
    const check = () => anteroom(`config check --origin http://a --rooms ${join(folder, "r.yaml")}`, { files });
    try {
      const without = await check();
      expect(without.exit).toBe(2);
      expect(without.talk).toContain(
        "rules (room shop): ask for ip.src.country, and there is no database of countries",
      );
      expect(without.talk).toContain("rules (room shop): ask for ip.src.asnum, and there is no database of networks");
      expect(without.talk).toContain(`put one into ${join(folder, "lookup")}`);
      mkdirSync(join(folder, "lookup"));
      writeFileSync(join(folder, "lookup/country.mmdb"), mmdb("DBIP-Country-Lite", {}));
      writeFileSync(join(folder, "lookup/asn.mmdb"), "404");
      const damaged = await check();
      expect(damaged.exit).toBe(2);
      expect(damaged.talk).not.toContain("ip.src.country");
      expect(damaged.talk).toContain(`${join(folder, "lookup/asn.mmdb")}: is no database in MaxMind's form`);
      writeFileSync(join(folder, "lookup/asn.mmdb"), mmdb("DBIP-ASN-Lite (compat=GeoLite2-ASN)", {}));
      expect((await check()).exit).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("names the rooms that have no origin", async () => {
    const { exit, talk } = await anteroom("config check --rooms r.yaml", { files: { "r.yaml": ROOMS } });
    expect(exit).toBe(2);
    expect(talk).toContain("r.yaml:2: rooms[0].origin (room shop): is missing, and no --origin is given: room shop");
  });

  test.each([
    ["--join 10.0.0.1:8082 --ephemeral", "--join"],
    ["--join 10.0.0.1:8082 --data d --workers 2", "--join"],
    ["--join 10.0.0.1:8082 --mesh-key gone", "gone: does not exist"],
  ])("%s is refused without a mesh key", async (line, text) => {
    const files = { "d/mesh.key": "the key of a node by itself" };
    const { exit, talk } = await anteroom(`config check ${line}`, { files });
    expect(exit).toBe(2);
    expect(talk).toContain(text);
    if (text === "--join") expect(talk).toContain("copy mesh.key from the data directory of a node of the mesh");
  });

  test.each([
    ["--data d", { "d/mesh.key": "" }],
    ["--data d --workers 2", { "d/worker-2/mesh.key": "" }],
    ["--mesh-key k", { k: "" }],
    ["", { "anteroom-data/mesh.key": "" }],
  ])("--join %s is well with a mesh key there", async (line, files) => {
    const { exit, answer } = await anteroom(`config check --join a:1,/dns4/b/tcp/2 ${line}`, { files });
    expect(exit).toBe(0);
    expect(answer).toMatch(/\njoin +a:1,\/dns4\/b\/tcp\/2 +--join\n/);
  });

  test("answers in JSON for scripts, problems too", async () => {
    const good = await anteroom("config check --json --rooms r.yaml --origin http://a", { files: { "r.yaml": ROOMS } });
    expect(JSON.parse(good.answer)).toMatchObject({ ok: true, rooms: [{ name: "shop" }] });
    const bad = await anteroom("config check --json --listen x");
    expect(bad.exit).toBe(2);
    expect(JSON.parse(bad.answer)).toMatchObject({ ok: false, problems: [{ path: "--listen", value: '"x"' }] });
  });
});
