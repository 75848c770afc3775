/**
 * Several nodes: tickets beside Redis, and meshes of several sizes. One after the other, the dearest
 * last; what cannot be measured on this machine is reported, and the rest continues.
 */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../../node/message-of.ts";
import { machineBusy } from "../machine.ts";
import { endingOnFailure, installed } from "../programs.ts";
import { type Asked, INCREMENT } from "./asked.ts";
import { measureAsking } from "./asking.ts";
import type { Place } from "./nodes.ts";
import { askedTable, wholeTable } from "./report.ts";
import { measureWhole, type Whole, type WholeLengths } from "./whole.ts";

export interface MeshLengths extends WholeLengths {
  /** Larger meshes are left out. */
  readonly nodesMax: number;
  readonly rounds: number;
  /** Of each way of asking each question in a round. */
  readonly askSeconds: number;
}

export interface MeshResults {
  /** All kinds of question in all rounds. */
  readonly asked: readonly Asked[];
  readonly wholes: readonly Whole[];
  /** What was not to be measured, or needs a program that is not installed. */
  readonly skipped: readonly string[];
  /** What could not be measured, and why. */
  readonly failed: readonly string[];
}

const ASKING = "mesh: tickets";
const SIZES = new Map([3, 10, 30].map((nodes) => [`mesh of ${nodes} nodes`, nodes]));

export const MESH_NAMES: readonly string[] = [ASKING, ...SIZES.keys()];

/** Measures what is named of `MESH_NAMES`. */
export async function measureMesh(names: readonly string[], place: Place, lengths: MeshLengths): Promise<MeshResults> {
  const { folder } = place;
  const [asked, wholes, skipped, failed]: [Asked[], Whole[], string[], string[]] = [[], [], [], []];
  mkdirSync(folder);
  for (const name of names) {
    const nodes = SIZES.get(name);
    if (nodes !== undefined && nodes > lengths.nodesMax) {
      skipped.push(`${name}  skipped: not with --quick`);
      continue;
    }
    console.error(`${name} …`);
    const busy = machineBusy();
    const own = { ...place, folder: join(folder, name.replaceAll(/\W+/g, "-")) };
    try {
      await endingOnFailure(async () => {
        if (nodes !== undefined) wholes.push(await measureWhole(own, nodes, lengths));
        else asked.push(...(await measureAsking(own, { rounds: lengths.rounds, seconds: lengths.askSeconds })));
      });
    } catch (error) {
      // Saves what was measured already.
      failed.push(`${name}  failed, the machine ${(busy() * 100).toFixed(0)} % busy: ${messageOf(error)}`);
    }
  }
  if (asked.length > 0 && installed("redis-server") === undefined)
    skipped.push(`${INCREMENT}  skipped: not installed (redis-server)`);
  if (wholes.length > 0 && installed("ss") === undefined) skipped.push("kB/s  skipped: not installed (ss)");
  return { asked, wholes, skipped, failed };
}

/** What was measured and what was not, for people. */
export function meshLines({ asked, wholes, skipped, failed }: MeshResults): string[] {
  const blocks = [
    asked.length > 0 ? [askedTable(asked)] : [],
    wholes.length > 0 ? [wholeTable(wholes)] : [],
    [...skipped, ...failed],
  ];
  return blocks.filter((block) => block.length > 0).flatMap((block) => [...block, ""]);
}
