/**
 * Time until an admission at one node is known at all others, by number of nodes: every node is a process of its own.
 *
 * Visitors come to nodes at random, some a second, so that moments are spread over the pace of the gossip. What counts is the ledger's
 * number of admissions, which is what policies, status and dashboards go by.
 */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { seededRandom } from "../../../mesh/core/random.ts";
import { quantile } from "../statistics.ts";
import type { ONLOOKER_ORDERS } from "./onlooker-process.ts";
import { Obeying } from "./orders.ts";
import { spreadOf } from "./sightings.ts";
import { until } from "./until.ts";

export interface Seen {
  readonly nodes: number;
  readonly admissions: number;
  readonly atOne: { readonly p50Ms: number; readonly p99Ms: number };
  readonly atAll: { readonly p50Ms: number; readonly p99Ms: number; readonly maxMs: number };
  /** Admissions that some node had not heard of seconds later. */
  readonly unseen: number;
}

const PER_SECOND = 10;
const MINUTE_MS = 60_000;
/** Slots lie where they are to lie, and gossip has found its ways. */
const SETTLE_MS = 4_000;
/** For the last admissions to get round. */
const REST_MS = 3_000;
const SEED = 9;

type Onlooker = Obeying<typeof ONLOOKER_ORDERS>;

/** Measures a mesh of `nodes` for `seconds`. */
export async function measureSeen(
  folder: string,
  { nodes, seconds }: { nodes: number; seconds: number },
): Promise<Seen> {
  mkdirSync(folder);
  const onlookers: Onlooker[] = [];
  try {
    await startAll(onlookers, folder, nodes);
    const random = seededRandom(SEED);
    for (let visitor = 0; visitor < seconds * PER_SECOND; visitor++) {
      await Bun.sleep((2 * random() * 1_000) / PER_SECOND);
      await onlookers[Math.floor(random() * nodes)]?.ask("admit", { visitor: `visitor-${visitor}` });
    }
    await Bun.sleep(REST_MS);
    const reports = await Promise.all(onlookers.map((onlooker) => onlooker.ask("report", undefined)));
    const { atOneMs, atAllMs, unseen } = spreadOf(reports);
    return {
      nodes,
      admissions: atAllMs.length + unseen,
      atOne: { p50Ms: quantile(atOneMs, 0.5), p99Ms: quantile(atOneMs, 0.99) },
      atAll: { p50Ms: quantile(atAllMs, 0.5), p99Ms: quantile(atAllMs, 0.99), maxMs: quantile(atAllMs, 1) },
      unseen,
    };
  } finally {
    await Promise.all(onlookers.map((onlooker) => onlooker.stop()));
  }
}

/** Those started are added, so that whatever happens they can be ended. */
async function startAll(onlookers: Onlooker[], folder: string, nodes: number): Promise<void> {
  const data = (at: number): string => join(folder, `node-${at}`);
  const begin = (at: number, address?: string): Promise<string> => {
    const onlooker: Onlooker = new Obeying("onlooker-process.ts", "any");
    onlookers.push(onlooker);
    const joins = address !== undefined && { join: { meshKey: join(data(0), "mesh.key"), address } };
    return onlooker.ask("start", { data: data(at), minuteMs: MINUTE_MS, ...joins });
  };
  const address = await begin(0);
  await Promise.all(Array.from({ length: nodes - 1 }, (_, at) => begin(at + 1, address)));
  await until(
    `a mesh of ${nodes}`,
    async () => {
      const states = await Promise.all(onlookers.map((onlooker) => onlooker.ask("state", undefined)));
      return states.every(({ alive, hasRoom }) => alive === nodes && hasRoom);
    },
    200,
  );
  await Bun.sleep(SETTLE_MS);
}
