/**
 * What goes wrong at the front of a node, drawn beside all other faults: full disks, origins that are slow or fail,
 * callbacks that throw, rooms that an operator holds or renames.
 *
 * Drawn by chance of its own, so that a seed's other faults stay what they are.
 */

import { seededRandom } from "../../cmd/crowd/random.ts";
import type { Fault, FaultKind } from "./fault-kinds.ts";

export interface FrontOptions {
  readonly seed: number;
  readonly nodes: number;
  readonly rooms: number;
  readonly durationMs: number;
}

/** One follows the other after so long on average. */
const EVERY_MS = 12_000;
/** Longest that a disk is full: shorter than a lease for the most, so that its node is not removed each time. */
const FULL_MS = 8_000;
const ORIGIN_MS = 15_000;
const HELD_MS = 12_000;
/** Longest that a slow origin takes: longer than the wait for a check-in, and than a poll interval. */
const SLOW_MS = 3_000;

export function drawFront({ seed, nodes, rooms, durationMs }: FrontOptions): Fault[] {
  const random = seededRandom(seed ^ 0xf407);
  const below = (count: number): number => Math.floor(random() * count);
  const next = (): FaultKind => {
    const node = below(nodes);
    const room = below(rooms);
    const draw = random();
    if (draw < 0.3) return { what: "full disk", node, forMs: below(FULL_MS) };
    if (draw < 0.55) {
      const slowMs = random() < 0.5 ? below(SLOW_MS) : 0;
      return { what: "bad origin", slowMs, failing: random() * random(), forMs: below(ORIGIN_MS) };
    }
    if (draw < 0.7)
      return { what: "throw at a commit", node, place: (["take", "send", "answer"] as const)[below(3)] ?? "answer" };
    if (draw < 0.9) return { what: "hold room", node, room, forMs: below(HELD_MS) };
    return { what: "rename room", node, room, number: below(100) };
  };
  const faults: Fault[] = [];
  for (let atMs = random() * EVERY_MS; atMs < durationMs; atMs += 2 * random() * EVERY_MS)
    faults.push({ ...next(), atMs: Math.round(atMs) });
  return faults;
}
