import { describe, expect, test } from "vitest";
import { nodeLabels } from "../../../../node/operator/status/node-labels.ts";
import { silentMembers } from "../../../../node/operator/status/silent-members.ts";
import { at, LEASE_MS, type MembersNet, netOf } from "../../../mesh/core/members/members-net.ts";

function told(net: MembersNet, name: string): string | undefined {
  const node = at(net, name);
  const now = net.now(node);
  const labels = nodeLabels(node.members.others, new Map([["bert", "gate2"]]));
  const addressOf = (id: string) => (id === "bert" ? "10.0.0.2:8082" : undefined);
  return silentMembers(node.members, { now, leaseMs: LEASE_MS, labels, addressOf });
}

function timeIn(net: MembersNet, ms: number): string {
  return new Date(net.now(at(net, "anna")).wallMs + ms).toTimeString().slice(0, 8);
}

describe("members that do not answer", () => {
  test("are none while all answer", () => {
    expect(told(netOf("anna", "bert", "cora"), "anna")).toBeUndefined();
  });

  test("are removed by the others: the time is reported, and not how to forget them", () => {
    const net = netOf("anna", "bert", "cora");
    net.stop("cora");
    net.run(6_000);
    const [, seconds, time, left] =
      /^node cora has not answered for (\d) s: the others remove it at (\S+) \(in (\d+) s\) unless it is back$/.exec(
        told(net, "anna") ?? "",
      ) ?? [];
    // Heard last within two seconds before it was stopped; a lease of 30 s, a tenth of it and half a second are waited
    // for.
    expect(Number(seconds)).toBeGreaterThanOrEqual(6);
    expect(Number(seconds) + Number(left)).toBeGreaterThanOrEqual(33);
    expect(Number(seconds) + Number(left)).toBeLessThanOrEqual(34);
    expect([-1, 0, 1].map((off) => timeIn(net, (Number(left) + off) * 1_000))).toContain(time);
    net.run((Number(left) + 1) * 1_000);
    expect(at(net, "anna").members.view?.members).toHaveLength(2);
    expect(told(net, "anna")).toBeUndefined();
  });

  test("that another member still hears are waited for", () => {
    const net = netOf("anna", "bert", "cora");
    net.passes = ({ from, to }) => !(from === "cora" && to === "anna");
    net.run(6_000);
    expect(told(net, "anna")).toMatch(/^node cora has not answered for \d s: the others remove it at /);
    net.run(LEASE_MS);
    expect(told(net, "anna")).not.toContain("forget");
  });

  test("of two nodes: nobody can tell who is cut off, so the operator may", () => {
    const net = netOf("anna", "bert");
    net.stop("bert");
    net.run(7_000);
    const early = told(net, "anna");
    expect(early).toMatch(
      /^node gate2 at 10\.0\.0\.2:8082 has not answered for \d s: nobody removes it, .* Start it again$/,
    );
    net.run(LEASE_MS);
    expect(told(net, "anna")).toMatch(
      /^node gate2 at 10\.0\.0\.2:8082 has not answered for \d\d s: nobody removes it, as with two nodes, either may be the one that is cut off, and nobody can join; this node continues with its own share\. Start it again; if it is gone for good, data directory and all: anteroom forget gate2$/,
    );
  });

  test("a majority of the voters: what the rest can do, with all that are silent in one command", () => {
    const net = netOf("anna", "bert", "cora", "dora");
    for (const name of ["anna", "bert"]) net.stop(name);
    net.run(7_000);
    expect(told(net, "cora")).toMatch(
      /^nodes anna, gate2 at 10\.0\.0\.2:8082 have not answered for \d s: nobody removes them, as removal needs a majority of the voters, and too few answer here, and nobody can join; this node continues with its own share\. Start them again$/,
    );
    net.run(LEASE_MS);
    expect(told(net, "dora")).toContain(
      "this node has no lease: it admits nobody, and existing sessions continue for a while. Start them again; if they are gone for good, data directory and all: anteroom forget anna gate2",
    );
  });

  test("are nobody at a node that has just started and has heard none yet", () => {
    const net = netOf("anna", "bert");
    net.stop("anna");
    net.start("anna");
    expect(told(net, "anna")).toBeUndefined();
    net.stop("bert");
    net.run(2_500);
    expect(told(net, "anna")).toMatch(/^node gate2 at 10\.0\.0\.2:8082 has not answered for \d s: .* Start it again$/);
  });
});
