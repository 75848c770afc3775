import { describe, expect, test } from "vitest";
import { GateWorld } from "./gate-world.ts";

const FORWARDED = { "X-Forwarded-For": "198.51.100.1", "X-Forwarded-Proto": "https" };

const warned = (world: GateWorld) => world.logged.filter(({ level }) => level === "warn");

describe("a proxy that is not trusted", () => {
  test.each(["10.0.0.5", "127.0.0.1", "192.168.1.1", "172.16.3.4", "fd00::1", "::1", "fe80::1"])(
    "at %s is told of once, with the flag to set",
    async (from) => {
      const world = new GateWorld({ trustedProxies: ["192.0.2.0/24"] });
      for (let time = 0; time < 3; time += 1) await world.ask({ from, headers: FORWARDED });
      expect(warned(world)).toHaveLength(1);
      expect(warned(world)[0]?.message).toContain(`start with --trusted-proxies 192.0.2.0/24,${from}`);
      expect(world.proxies.warnings()).toEqual([warned(world)[0]?.message]);
    },
  );

  test.each(["X-Forwarded-For", "x-forwarded-proto", "X-Forwarded-Host", "Forwarded"])(
    "is known by %s",
    async (field) => {
      const world = new GateWorld();
      await world.ask({ from: "10.0.0.5", headers: { [field]: "x" } });
      expect(world.proxies.warnings()).toHaveLength(1);
    },
  );

  test("is reported together with others, eight at most", async () => {
    const world = new GateWorld();
    for (let proxy = 1; proxy <= 20; proxy += 1) await world.ask({ from: `10.0.0.${proxy}`, headers: FORWARDED });
    expect(warned(world)).toHaveLength(8);
    expect(world.proxies.warnings().join()).toContain("--trusted-proxies 10.0.0.1,10.0.0.2,");
  });
});

test.each([
  ["one that is trusted", "10.0.0.5", FORWARDED, ["10.0.0.0/8"]],
  ["a peer on the internet, who may say anything", "203.0.113.7", FORWARDED, []],
  ["a neighbour who says nothing", "10.0.0.5", { Accept: "*/*" }, []],
])("%s is no such proxy", async (_, from, headers, trustedProxies) => {
  const world = new GateWorld({ trustedProxies });
  await world.ask({ from, headers });
  expect([warned(world), world.proxies.warnings()]).toEqual([[], []]);
});
