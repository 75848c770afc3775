import { describe, expect, test } from "vitest";
import { type Address, parseAddress, resolveAddress, toMultiaddr, toText } from "../../mesh/seed-addresses.ts";

const PEER = "12D3KooWGC6TvWhfajpX6wvJHDYvUMhVQ9wfDGQ6ZyyJ8aDrJbfU";

describe("an address", () => {
  test.each<[string, Address, string]>([
    ["10.0.0.5:8082", { host: "10.0.0.5", port: 8082 }, "/ip4/10.0.0.5/tcp/8082"],
    ["[fd00::5]:8082", { host: "fd00::5", port: 8082 }, "/ip6/fd00::5/tcp/8082"],
    ["mesh.example:8082", { host: "mesh.example", port: 8082 }, "/dns/mesh.example/tcp/8082"],
    ["node_1.mesh.svc:1", { host: "node_1.mesh.svc", port: 1 }, "/dns/node_1.mesh.svc/tcp/1"],
    ["localhost:0", { host: "localhost", port: 0 }, "/dns/localhost/tcp/0"],
    ["/ip4/10.0.0.5/tcp/8082", { host: "10.0.0.5", port: 8082 }, "/ip4/10.0.0.5/tcp/8082"],
    ["/ip6/::1/tcp/8082", { host: "::1", port: 8082 }, "/ip6/::1/tcp/8082"],
    ["/dns4/mesh.example/tcp/8082", { host: "mesh.example", port: 8082 }, "/dns/mesh.example/tcp/8082"],
    [`/ip4/10.0.0.5/tcp/8082/p2p/${PEER}`, { host: "10.0.0.5", port: 8082 }, "/ip4/10.0.0.5/tcp/8082"],
  ])("%s is understood, and written as nodes write it", (text, address, multiaddr) => {
    expect(parseAddress(text)).toEqual(address);
    expect(toMultiaddr(address)).toBe(multiaddr);
  });

  test(":8082 is any address of this host", () => expect(parseAddress(":8082")).toEqual({ host: "", port: 8082 }));

  test.each([
    "",
    "10.0.0.5",
    "10.0.0.5:",
    "10.0.0.5:65536",
    "10.0.0.300:8082",
    "1:2:8082",
    "fd00::5:8082",
    "[10.0.0.5]:8082",
    "[fe80::1%eth0]:8082",
    "[]:8082",
    "http://mesh.example:8082",
    "mesh.example:8082/path",
    "-mesh.example:8082",
    "me sh:8082",
    ":",
    ":-1",
    "/ip4/10.0.0.5/udp/8082",
    "/ip4/10.0.0.5/tcp/8082/p2p/0OIl",
    "/dns//tcp/8082",
    `${"a".repeat(254)}:8082`,
  ])("%j is none", (text) => expect(parseAddress(text)).toBeUndefined());

  test.each([
    ["/ip4/10.0.0.5/tcp/8082", "10.0.0.5:8082"],
    [`/ip6/::1/tcp/8082/p2p/${PEER}`, "[::1]:8082"],
    ["/dns/mesh.example/tcp/8082", "mesh.example:8082"],
    ["/unix/socket", "/unix/socket"],
  ])("%s is shown to people as %s", (multiaddr, text) => expect(toText(multiaddr)).toBe(text));
});

describe("where to dial", () => {
  const names: Record<string, readonly string[]> = { "mesh.example": ["10.0.0.1", "fd00::1", "10.0.0.2"] };
  const resolve = async (name: string) => {
    const addresses = names[name];
    if (addresses === undefined) throw new Error("ENOTFOUND");
    return addresses;
  };

  test.each([
    ["10.0.0.5:8082", ["/ip4/10.0.0.5/tcp/8082"]],
    [":8082", ["/ip4/127.0.0.1/tcp/8082"]],
    ["mesh.example:7", ["/ip4/10.0.0.1/tcp/7", "/ip6/fd00::1/tcp/7", "/ip4/10.0.0.2/tcp/7"]],
    ["/dns/mesh.example/tcp/7", ["/ip4/10.0.0.1/tcp/7", "/ip6/fd00::1/tcp/7", "/ip4/10.0.0.2/tcp/7"]],
    ["other.example:7", []],
    ["no address", []],
  ])("%s leads to %j", async (text, addresses) => {
    expect(await resolveAddress(text, resolve)).toEqual(addresses);
  });

  test("of a name with very many addresses not all are tried", async () => {
    const many = async () => Array.from({ length: 1_000 }, (_, at) => `10.0.${at >> 8}.${at & 255}`);
    expect(await resolveAddress("many.example:7", many)).toHaveLength(128);
  });
});
