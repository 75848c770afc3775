/**
 * What the mesh itself costs as it grows: messages and bytes per node and second, idle and under load, with two tiers
 * and without.
 *
 * Every world is founded with all its nodes, three to a locality; visitors come to a room that has place for them. It
 * is measured when the free slots have found their places. A published frame counts once for each node that hears it:
 * gossip over TCP brings some copies more, of which nothing is known here.
 */

import { type Sizes, SIZES as TWO_TIERS } from "../../mesh/core/members/tiers.ts";
import { plotPage } from "../plot-page.ts";
import { notedTable, number, type TableOptions, type TableParts } from "../print.ts";
import { DEFAULT_TIMES } from "./scenario.ts";
import { LIGHT } from "./visitor.ts";
import { World } from "./world.ts";

/** As the product does it, or as if a mesh never were large. */
type Way = "product" | "flat";

/** Members of a world, and whether it is measured flat, too: that takes the square of the nodes. */
const SIZES = [3, 10, 30, 100, 300, 1_000];
const FLAT_MAX = 100;
/** Never two tiers. */
const FLAT: Sizes = { twoTiersFrom: Number.MAX_SAFE_INTEGER, bankFrom: Number.MAX_SAFE_INTEGER };
const PER_LOCALITY = 3;
/** New visitors per node and second under load. */
const VISITORS = 1;
const STEP_MS = 100;

/**
 * Virtual ms: until free slots have found their places, and what is then measured; less where a second takes many real
 * ones.
 */
function spansOf(nodes: number, way: Way): { readonly settleMs: number; readonly measureMs: number } {
  if (way === "flat") return { settleMs: 20_000, measureMs: nodes > 30 ? 10_000 : 20_000 };
  return nodes > 300 ? { settleMs: 15_000, measureMs: 10_000 } : { settleMs: 30_000, measureMs: 20_000 };
}

/** Per node and second. */
interface Cost {
  readonly messages: number;
  readonly bytes: number;
  /** Bytes in and out of the node that had most. */
  readonly most_bytes: number;
}

export interface GrowthResult {
  readonly way: Way;
  readonly nodes: number;
  readonly idle: Cost;
  readonly load: Cost;
}

/** Measures all sizes up to `nodesMax`, telling of each. */
export function measureGrowth(
  seed: number,
  nodesMax: number,
  onResult: (result: GrowthResult) => void,
): GrowthResult[] {
  const runs: { way: Way; nodes: number }[] = SIZES.filter((nodes) => nodes <= nodesMax).flatMap((nodes) => [
    { way: "product", nodes },
    ...(nodes >= TWO_TIERS.twoTiersFrom && nodes <= FLAT_MAX ? [{ way: "flat" as const, nodes }] : []),
  ]);
  return runs.map((run) => {
    const result = measure(seed, run);
    onResult(result);
    return result;
  });
}

function measure(seed: number, { way, nodes }: { readonly way: Way; readonly nodes: number }): GrowthResult {
  const localities = Array.from({ length: nodes }, (_, index) => `locality-${Math.floor(index / PER_LOCALITY)}`);
  const world = new World({
    seed,
    localities,
    ...DEFAULT_TIMES,
    isFounded: true,
    room: {
      totalActiveUsers: 300 * nodes,
      newUsersPerMinute: 120 * nodes,
      sessionDuration: 1,
      refreshIntervalSeconds: 20,
    },
    ...(way === "flat" && { sizes: FLAT }),
  });
  const { settleMs, measureMs } = spansOf(nodes, way);
  world.pass(settleMs);
  const idle = costOf(world, measureMs, 0);
  // What the first visitors set in motion is over after a while.
  costOf(world, measureMs / 2, VISITORS);
  return { way, nodes, idle, load: costOf(world, measureMs, VISITORS) };
}

/** The cost of a span in which `perSecond` visitors come to each node. */
function costOf(world: World, ms: number, perSecond: number): Cost {
  const { network, nodes } = world;
  const before = { frames: network.frames, bytes: network.bytes, each: nodes.map(bytesOf) };
  const perStep = (perSecond * nodes.length * STEP_MS) / 1_000;
  for (let passedMs = 0, due = 0; passedMs < ms; passedMs += STEP_MS) {
    for (due += perStep; due >= 1; due--) {
      const { locality = "" } = nodes[Math.floor(world.random() * nodes.length)] ?? {};
      world.arrive({ locality, staysMs: 60_000, behaviour: LIGHT });
    }
    world.pass(STEP_MS);
  }
  const nodeSeconds = (nodes.length * ms) / 1_000;
  const most = Math.max(...nodes.map((node, index) => bytesOf(node) - (before.each[index] ?? 0)));
  return {
    messages: (network.frames - before.frames) / nodeSeconds,
    bytes: (network.bytes - before.bytes) / nodeSeconds,
    most_bytes: most / (ms / 1_000),
  };
}

function bytesOf({ peer }: World["nodes"][number]): number {
  return (peer?.counts.bytesIn ?? 0) + (peer?.counts.bytesOut ?? 0);
}

function tableOf(results: readonly GrowthResult[]): TableParts {
  const right = "right" as const;
  const columns = [
    { title: "NODES", align: right },
    { title: "WAY" },
    { title: "MESSAGES IDLE", align: right },
    { title: "UNDER LOAD", align: right },
    { title: "BYTES IDLE", align: right },
    { title: "UNDER LOAD", align: right },
    { title: "BUSIEST NODE IDLE", align: right },
    { title: "UNDER LOAD", align: right },
  ];
  const rows = results.map(({ way, nodes, idle, load }) => [
    number(nodes),
    way,
    idle.messages.toFixed(1),
    load.messages.toFixed(1),
    number(Math.round(idle.bytes)),
    number(Math.round(load.bytes)),
    number(Math.round(idle.most_bytes)),
    number(Math.round(load.most_bytes)),
  ]);
  return { columns, rows };
}

/** The results as a table. */
export function growthText(results: readonly GrowthResult[], options: TableOptions): string {
  return notedTable(tableOf(results), NOTES, options);
}

const NOTES = [
  "Per node and second, each message counted once for each receiver. Load: one new visitor per node and second.",
  `Nodes stand in localities of ${PER_LOCALITY}. The product has two tiers from ${TWO_TIERS.twoTiersFrom} nodes on; flat: as if it had none.`,
  "Busiest node: bytes in and out of the one that had most. Flat above 100 nodes was not measured.",
];

/** The results as a page with plots. */
export function growthPage(results: readonly GrowthResult[]): string {
  const at = [...new Set(results.map(({ nodes }) => nodes))];
  const line = (way: Way, value: (result: GrowthResult) => number, name: string) => ({
    name,
    isLimit: false,
    values: at.map((nodes) => {
      const isSmall = nodes < TWO_TIERS.twoTiersFrom;
      const result = results.find((each) => (isSmall || each.way === way) && each.nodes === nodes);
      return result === undefined ? null : value(result);
    }),
  });
  const plot = (title: string, unit: string, of: (cost: Cost) => number) => ({
    title,
    unit,
    axis: "nodes" as const,
    at,
    isOfDay: false,
    lines: [
      line("product", ({ idle }) => of(idle), "as it is, idle"),
      line("product", ({ load }) => of(load), "as it is, under load"),
      line("flat", ({ idle }) => of(idle), "flat, idle"),
      line("flat", ({ load }) => of(load), "flat, under load"),
    ],
  });
  return plotPage({
    title: "What a growing mesh costs",
    lead: "Messages and bytes per node and second, by the number of nodes.",
    facts: [],
    notes: NOTES,
    table: tableOf(results),
    plots: [
      plot("Messages per node and second", "messages", ({ messages }) => messages),
      plot("Bytes per node and second", "bytes", ({ bytes }) => bytes),
      plot("Bytes per second in and out of the busiest node", "bytes", ({ most_bytes }) => most_bytes),
    ],
  });
}
