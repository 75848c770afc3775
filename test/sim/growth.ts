/**
 * What the mesh itself costs as it grows: messages and bytes per node and second, idle and under load.
 *
 * Every world is founded with all its nodes, three to a locality; visitors come to a room that has place for them. It
 * is measured when the free slots have found their places. A published frame counts once for each node that hears it:
 * gossip over TCP brings some copies more, of which nothing is known here.
 */

import { plotPage } from "../../cmd/plot-page.ts";
import { notedTable, number, type TableOptions, type TableParts } from "../../cmd/print.ts";
import { DEFAULT_TIMES } from "./scenario.ts";
import { LIGHT } from "./visitor.ts";
import { World } from "./world.ts";

/** Members of a world. Its messages grow with the square of them, and so does the time that it takes. */
const SIZES = [3, 10, 30, 100];
const PER_LOCALITY = 3;
/** New visitors per node and second under load. */
const VISITORS = 1;
const STEP_MS = 100;

/** Virtual ms until free slots have found their places. */
const SETTLE_MS = 20_000;

/** Virtual ms that are then measured; less where a second takes many real ones. */
function measureMs(nodes: number): number {
  return nodes > 30 ? 10_000 : 20_000;
}

/** Per node and second. */
interface Cost {
  readonly messages: number;
  readonly bytes: number;
  /** Bytes in and out of the node that had most. */
  readonly most_bytes: number;
}

export interface GrowthResult {
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
  return SIZES.filter((nodes) => nodes <= nodesMax).map((nodes) => {
    const result = measure(seed, nodes);
    onResult(result);
    return result;
  });
}

function measure(seed: number, nodes: number): GrowthResult {
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
  });
  const forMs = measureMs(nodes);
  world.pass(SETTLE_MS);
  const idle = costOf(world, forMs, 0);
  // What the first visitors set in motion is over after a while.
  costOf(world, forMs / 2, VISITORS);
  return { nodes, idle, load: costOf(world, forMs, VISITORS) };
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
    { title: "MESSAGES IDLE", align: right },
    { title: "UNDER LOAD", align: right },
    { title: "BYTES IDLE", align: right },
    { title: "UNDER LOAD", align: right },
    { title: "BUSIEST NODE IDLE", align: right },
    { title: "UNDER LOAD", align: right },
  ];
  const rows = results.map(({ nodes, idle, load }) => [
    number(nodes),
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
  `Nodes stand in localities of ${PER_LOCALITY}. Busiest node: bytes in and out of the one that had most.`,
];

/** The results as a page with plots. */
export function growthPage(results: readonly GrowthResult[]): string {
  const line = (value: (result: GrowthResult) => number, name: string) => ({
    name,
    isLimit: false,
    values: results.map(value),
  });
  const plot = (title: string, unit: string, of: (cost: Cost) => number) => ({
    title,
    unit,
    axis: "nodes" as const,
    at: results.map(({ nodes }) => nodes),
    isOfDay: false,
    lines: [line(({ idle }) => of(idle), "idle"), line(({ load }) => of(load), "under load")],
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
