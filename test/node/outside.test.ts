import { hostname, networkInterfaces } from "node:os";
import { describe, expect, test } from "vitest";
import { type Fetch, leadsHere, outside } from "../../node/outside.ts";

const OWN = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));

describe("an address", () => {
  test.each([
    ...["localhost", "LOCALHOST", "localhost.", "a.localhost", "", hostname(), ...OWN],
    ...["127.0.0.1", "127.9.9.9", "127.1", "2130706433", "0x7f000001", "017700000001", "0.0.0.0", "0"],
    ...["::1", "[::1]", "::", "[::ffff:127.0.0.1]", "::ffff:7f00:1", "169.254.169.254", "[fe80::1]"],
  ])("%s leads to the node", (host) => {
    expect(leadsHere(host)).toBe(true);
  });

  test.each([
    ...["shop.internal", "localhost.example", "mylocalhost", "10.255.255.1", "192.0.2.200", "128.0.0.1"],
    ...["[2001:db8::1]", "::ffff:192.0.2.200"],
  ])("%s does not", (host) => {
    expect(leadsHere(host)).toBe(false);
  });
});

describe("a fetch to outside", () => {
  const asked: { url: string; host: string | null; tls: unknown }[] = [];
  const fetch: Fetch = async (url, { headers, tls }) => {
    asked.push({ url, host: new Headers(headers).get("Host"), tls });
    return new Response("");
  };
  const leadingTo = (...addresses: string[]) => outside(fetch, async () => addresses);

  test("asks the address that was checked, under the name", async () => {
    asked.length = 0;
    await leadingTo("192.0.2.7", "192.0.2.8")("http://hook.test:81/a?b", {});
    await leadingTo("2001:db8::7")("https://hook.test/", { headers: { Host: "shop.test" }, tls: { ca: "x" } });
    await leadingTo()("https://192.0.2.9/", {});
    expect(asked).toEqual([
      { url: "http://192.0.2.7:81/a?b", host: "hook.test:81", tls: undefined },
      { url: "https://[2001:db8::7]/", host: "shop.test", tls: { serverName: "hook.test", ca: "x" } },
      { url: "https://192.0.2.9/", host: "192.0.2.9", tls: {} },
    ]);
  });

  test.each([[["127.0.0.1"]], [["192.0.2.7", "::1"]], [OWN.slice(0, 1)], [[]]])(
    "sends nothing where the name leads to %j",
    async (addresses) => {
      asked.length = 0;
      await expect(leadingTo(...addresses)("http://hook.test/", {})).rejects.toThrow("leads to the node itself");
      expect(asked).toEqual([]);
    },
  );

  test("names the address as it was given where it fails", async () => {
    const failing: Fetch = async (url) => {
      throw new Error(`cannot reach ${url}`);
    };
    const ask = outside(failing, async () => ["192.0.2.7"]);
    await expect(ask("http://hook.test/secret", {})).rejects.toThrow("cannot reach http://hook.test/secret");
  });
});
