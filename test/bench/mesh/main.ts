/**
 * Several nodes: tickets beside Redis, and a whole mesh. One after the other, the dearest last; what cannot be measured
 * on this machine is reported, and the rest continues.
 */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../../node/message-of.ts";
import { endingOnFailure, installed } from "../programs.ts";
import { type Asked, INCREMENT } from "./asked.ts";
import { measureAsking } from "./asking.ts";
import type { Place } from "./nodes.ts";
import { askedTable } from "./report.ts";
import { measureWhole, NODES, type Whole, type WholeLengths } from "./whole.ts";

export interface MeshLengths extends WholeLengths {
  readonly rounds: number;
  /** Of asking each question in a round. */
  readonly askSeconds: number;
}

export interface MeshResults {
  /** All kinds of question in all rounds. */
  readonly asked: readonly Asked[];
  readonly whole: Whole | undefined;
  /** What needs a program that is not installed. */
  readonly skipped: readonly string[];
  /** What could not be measured, and why. */
  readonly failed: readonly string[];
}

const ASKING = "mesh: tickets";
const WHOLE = `mesh of ${NODES} nodes`;

/** Measures what has `only` in its name. */
export async function measureMesh(only: string, place: Place, lengths: MeshLengths): Promise<MeshResults> {
  const { folder } = place;
  let asked: readonly Asked[] = [];
  let whole: Whole | undefined;
  const failed: string[] = [];
  mkdirSync(folder);
  const measure = async (name: string, act: (own: Place) => Promise<void>): Promise<void> => {
    if (!name.includes(only)) return;
    console.error(`${name} …`);
    try {
      await endingOnFailure(() => act({ ...place, folder: join(folder, name.replaceAll(/\W+/g, "-")) }));
    } catch (error) {
      // Saves what was measured already.
      failed.push(`${name}  failed: ${messageOf(error)}`);
    }
  };
  await measure(ASKING, async (own) => {
    asked = await measureAsking(own, { rounds: lengths.rounds, seconds: lengths.askSeconds });
  });
  await measure(WHOLE, async (own) => {
    whole = await measureWhole(own, lengths);
  });
  const isAlone = asked.length > 0 && installed("redis-server") === undefined;
  return { asked, whole, skipped: isAlone ? [`${INCREMENT}  skipped: not installed (redis-server)`] : [], failed };
}

/** What was asked, and what was not measured, for people. */
export function meshLines({ asked, skipped, failed }: MeshResults): string[] {
  const blocks = [asked.length > 0 ? [askedTable(asked)] : [], [...skipped, ...failed]];
  return blocks.filter((block) => block.length > 0).flatMap((block) => [...block, ""]);
}
