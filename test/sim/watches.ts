/**
 * Everything that looks at a simulated world by itself while it runs, and how often. What it finds wrong ends the run.
 */

import { LineWatch } from "./line-watch.ts";
import type { Seen } from "./oracle.ts";
import { misrouted } from "./routes-watch.ts";
import { StateWatch } from "./state-watch.ts";
import type { Visits } from "./visits.ts";
import type { World } from "./world.ts";

/** How often the states of all nodes are compared. */
const STATE_MS = 1_000;
/** How often a node's rooms do something by themselves. */
const ROOM_TICK_MS = 500;

interface WatchParts {
  readonly visits: Visits;
  /** Whether nodes share slots by gifts: otherwise nothing has to lie evenly. */
  readonly hasGifts: boolean;
}

export function watch(world: World, { visits, hasGifts }: WatchParts): void {
  const { time, nodes, rooms } = world;
  const every = (ms: number, look: () => string | undefined): void =>
    time.every(ms, () => {
      const problem = look();
      if (problem !== undefined) world.broken(problem);
      return true;
    });
  const states = new StateWatch(
    nodes,
    rooms.map(({ id }) => id),
  );
  every(STATE_MS, () => states.look());
  if (hasGifts) for (const { richest } of rooms) every(ROOM_TICK_MS, () => richest.look(world.elapsedMs));
  const { hasOnlyPatient = false } = world.options;
  const lines = new LineWatch(nodes, rooms);
  // Nodes that decide alone keep no lines of this kind.
  if (hasOnlyPatient && hasGifts) every(1_000, () => lines.look());
  every(1_000, () => visits.look(time.nowMs) ?? misrouted(nodes, rooms));
  time.every(1_000, () => {
    sample(world);
    return true;
  });
}

/** Notes how all rooms together are used now. */
function sample({ rooms, minute, oracle, elapsedMs }: World): void {
  const seen = rooms.map((room) => room.look(minute));
  const sum = (of: (one: Seen) => number) => seen.reduce((total, one) => total + of(one), 0);
  oracle.sample(elapsedMs, minute, {
    waiting: sum(({ waiting }) => waiting),
    taken: sum(({ taken }) => taken),
    early: sum(({ early }) => early),
    idle: sum(({ idle }) => idle),
    use: { used: sum(({ use }) => use.used), usable: sum(({ use }) => use.usable) },
  });
}
