import { isIPv4, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import { describe, expect, test } from "vitest";
import { ownAddresses } from "../../mesh/own-addresses.ts";
import { parseAddress } from "../../mesh/seed-addresses.ts";

describe("the addresses that a node reports about itself", () => {
  test.each([
    [
      "what is advertised",
      ["10.0.0.5:9000", "mesh.example:9000"],
      ["/ip4/10.0.0.5/tcp/9000", "/dns/mesh.example/tcp/9000"],
    ],
    ["the port that is listened on, where none is advertised", ["10.0.0.5:0"], ["/ip4/10.0.0.5/tcp/8082"]],
    ["the host that is listened on, where none is advertised", [":9000"], ["/ip4/127.0.0.1/tcp/9000"]],
    ["nothing twice", ["10.0.0.5:1", "/ip4/10.0.0.5/tcp/1"], ["/ip4/10.0.0.5/tcp/1"]],
    ["else where it listens", [], ["/ip4/127.0.0.1/tcp/8082"]],
  ])("%s", (_, advertise, addresses) => {
    expect(ownAddresses(advertise, { host: "127.0.0.1", port: 8082 })).toEqual(addresses);
  });

  test.each([
    ["0.0.0.0", isIPv4],
    ["::", isIPv6],
  ])("listening on all of %s: those of this host, without what only this host can reach", (host, isOfFamily) => {
    const there = Object.values(networkInterfaces())
      .flatMap((all) => all ?? [])
      .filter(({ address }) => isOfFamily(address) && !address.startsWith("fe80:"));
    const outside = there.filter(({ internal }) => !internal);
    const told = ownAddresses([], { host, port: 8082 }).map((text) => parseAddress(text)?.host);
    expect(told).toEqual((outside.length > 0 ? outside : there).map(({ address }) => address));
  });
});
