import { beforeEach, describe, expect, test } from "vitest";
import type { NodeId } from "../../mesh/core/ids.ts";
import { type Reached, Seeds } from "../../mesh/seeds.ts";
import { turn } from "./fake-stream.ts";

const [ONE, TWO] = ["node-1", "node-2"] as unknown as readonly [NodeId, NodeId];
const FAILED: Reached = { outcome: "failed" };

let nowMs: number;
let hosts: Record<string, readonly string[]>;
let files: Record<string, string> = {};
let nodes: Record<string, Reached>;
let up: Set<NodeId>;
let tried: string[];
let told: string[];

beforeEach(() => {
  nowMs = 0;
  hosts = {};
  nodes = {};
  up = new Set();
  tried = [];
  told = [];
});

describe("an address to join by", () => {
  test("is dialled until it answers, and its silence and its answer are reported once", async () => {
    const seeds = open("10.0.0.5:8082");
    await pass(seeds, 30_000);
    expect(tried.length).toBeGreaterThan(10);
    expect(told).toEqual(["10.0.0.5:8082 silent"]);
    nodes["/ip4/10.0.0.5/tcp/8082"] = { outcome: "up", node: ONE };
    await pass(seeds, 3_000);
    tried = [];
    await pass(seeds, 60_000);
    expect(told).toEqual(["10.0.0.5:8082 silent", "10.0.0.5:8082 answers"]);
    expect(tried).toEqual([]);
  });

  test("is a name with all addresses that it has at each try", async () => {
    const seeds = open("mesh.example:8082");
    await pass(seeds, 1_000);
    expect(tried).toEqual([]);
    hosts["mesh.example"] = ["10.0.0.1", "10.0.0.2"];
    nodes["/ip4/10.0.0.2/tcp/8082"] = { outcome: "up", node: TWO };
    await pass(seeds, 3_000);
    expect(new Set(tried)).toEqual(new Set(["/ip4/10.0.0.1/tcp/8082", "/ip4/10.0.0.2/tcp/8082"]));
    expect(told).toEqual(["mesh.example:8082 silent", "mesh.example:8082 answers"]);
  });

  test("is left to the peer's own addresses for a while when its node is lost, and is answered by any connection to it", async () => {
    nodes["/ip4/10.0.0.5/tcp/8082"] = { outcome: "up", node: ONE };
    const seeds = open("10.0.0.5:8082");
    await pass(seeds, 1_000);
    lose(seeds, ONE);
    tried = [];
    await pass(seeds, 2_500);
    expect(tried).toEqual([]);
    up.add(ONE);
    seeds.up(ONE);
    await pass(seeds, 60_000);
    expect([tried, told]).toEqual([[], ["10.0.0.5:8082 answers"]]);
    lose(seeds, ONE);
    nodes = {};
    await pass(seeds, 5_000);
    expect(told).toEqual(["10.0.0.5:8082 answers", "10.0.0.5:8082 silent"]);
  });

  test("with two nodes behind it is answered while one of them is there", async () => {
    hosts["mesh.example"] = ["10.0.0.1", "10.0.0.2"];
    nodes["/ip4/10.0.0.1/tcp/8082"] = { outcome: "up", node: ONE };
    nodes["/ip4/10.0.0.2/tcp/8082"] = { outcome: "up", node: TWO };
    const seeds = open("mesh.example:8082");
    await pass(seeds, 1_000);
    lose(seeds, ONE);
    tried = [];
    await pass(seeds, 10_000);
    expect(tried).toEqual([]);
  });

  test("that is a file is read at each attempt", async () => {
    const seeds = open("file:/etc/peers");
    await pass(seeds, 5_000);
    expect([tried, told]).toEqual([[], ["file:/etc/peers silent"]]);
    hosts["two.example"] = ["10.0.0.2"];
    files["/etc/peers"] = "# the first rack\n10.0.0.1:8082\n\nnot an address\ntwo.example:8082 # the second\n";
    nodes["/ip4/10.0.0.2/tcp/8082"] = { outcome: "up", node: TWO };
    await pass(seeds, 60_000);
    expect(new Set(tried)).toEqual(new Set(["/ip4/10.0.0.1/tcp/8082", "/ip4/10.0.0.2/tcp/8082"]));
    expect(told.at(-1)).toBe("file:/etc/peers answers");
    files = {};
  });

  test.each<[string, Reached]>([
    ["refuses", { outcome: "refused" }],
    ["is our own", { outcome: "self" }],
  ])("that %s is dialled once a minute, without a word", async (_, reached) => {
    nodes["/ip4/10.0.0.5/tcp/8082"] = reached;
    await pass(open("10.0.0.5:8082"), 90_000);
    expect([tried.length, told]).toEqual([2, []]);
  });

  test("that leads to a forgotten node is dialled once a minute", async () => {
    nodes["/ip4/10.0.0.5/tcp/8082"] = { outcome: "up", node: ONE };
    const seeds = open("10.0.0.5:8082");
    await pass(seeds, 1_000);
    up.delete(ONE);
    seeds.forget(ONE);
    seeds.down(ONE);
    tried = [];
    await pass(seeds, 30_000);
    expect(tried).toEqual([]);
    await pass(seeds, 50_000);
    expect(tried).toHaveLength(1);
  });
});

function open(...texts: string[]): Seeds {
  return new Seeds(texts, {
    clock: () => nowMs,
    random: () => 0.5,
    resolve: async (name) => hosts[name] ?? [],
    readPeers: async (path) => {
      const text = files[path];
      if (text === undefined) throw new Error("ENOENT");
      return text;
    },
    isUp: (node) => up.has(node),
    notify: (text, state) => told.push(`${text} ${state}`),
    reach: async (address) => {
      tried.push(address);
      const reached = nodes[address] ?? FAILED;
      if (reached.outcome === "up" && reached.node !== undefined) up.add(reached.node);
      return reached;
    },
  });
}

function lose(seeds: Seeds, node: NodeId): void {
  up.delete(node);
  seeds.down(node);
}

async function pass(seeds: Seeds, ms: number): Promise<void> {
  for (const endMs = nowMs + ms; nowMs <= endMs; nowMs += 250) {
    seeds.tick();
    await turn();
  }
}
