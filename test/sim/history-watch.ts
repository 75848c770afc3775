/**
 * The minutes that nodes have counted, after all faults are healed: every node has the same records of all nodes, and
 * none of them says more than was counted.
 */

import { countIn } from "../../node/history/minute-record.ts";
import { RUNS_PER_PROCESS } from "../../node/peer/history-sync.ts";
import { untilRight } from "./rest.ts";
import type { SimNode } from "./sim-node.ts";
import type { World } from "./world.ts";

/** Time in which all must have the same: a node that was away asks for what it lacks, 300 records a second. */
const REST_MS = 90_000;

/** More than any run of a world has. */
const RECORDS_MAX = 1_000_000;

/** Waits until all histories are equal, and compares them with what the gates that run now have counted. */
export function restHistories(world: World): void {
  untilRight(world, world.elapsedMs + REST_MS, () => {
    const problem = differing(world) ?? miscounted(world);
    return problem && `histories: ${problem}`;
  });
}

function differing({ nodes }: World): string | undefined {
  const [first, ...others] = nodes.filter(({ isRunning }) => isRunning);
  if (first === undefined) return undefined;
  const text = contentOf(first);
  const other = others.find((node) => contentOf(node) !== text);
  return other && `${first.identity} and ${other.identity} have different records`;
}

/** Its records, as text. */
function contentOf({ history }: SimNode): string {
  const sources = history?.sources.filter(({ first, next }) => first < next) ?? [];
  const texts = sources.map(({ node, run, first, next }) => {
    const records = history?.pieceOf({ node, run }, first, RECORDS_MAX)?.records;
    return JSON.stringify([node, run, first, next, records]);
  });
  return texts.sort().join("\n");
}

/**
 * What a process has recorded, against what its gate has counted; a minute that just ended is recorded a moment later.
 */
function miscounted({ nodes }: World): string | undefined {
  return nodes.map(problemOf).find((problem) => problem !== undefined);
}

function problemOf({ history, identity, peer, admissions }: SimNode): string | undefined {
  if (history === undefined || peer === undefined) return undefined;
  const since = peer.incarnation * RUNS_PER_PROCESS;
  const runs = history.sources.filter(({ node, run }) => node === identity && run >= since);
  const records = runs.flatMap(({ node, run }) => history.pieceOf({ node, run }, 1, RECORDS_MAX)?.records ?? []);
  const recorded = records.reduce((sum, record) => sum + countIn(record, "admitted"), 0);
  const open = peer.rooms.values().reduce((sum, { admission }) => sum + admission.admittedInMinute(peer.roomMs), 0);
  if (recorded <= admissions && admissions - recorded <= open) return undefined;
  return `${identity} has recorded ${recorded} of ${admissions} admissions, ${open} of them in this minute`;
}
