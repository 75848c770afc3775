/**
 * A sale whose order is drawn, in simulated worlds: a node dies between its commitment and the outcome, or all are started
 * again.
 *
 * The judge asks for one seed at all nodes that know any, for a list that one of them can prove, and for each visitor on it
 * who came before the start and was told so. What happens is drawn from a stream of its own.
 */

import { drawIdOf, seedOf } from "../../node/admission/draw/draw-seed.ts";
import { KEYS_PER_MS } from "../../node/admission/queue-order.ts";
import type { Draws } from "../../node/peer/draws.ts";
import { RollDigest } from "../../node/peer/roll-digest.ts";
import { seededRandom } from "../crowd/random.ts";
import { saleOf } from "./event-scenarios.ts";
import { JOINING_MS, START_MS, type World } from "./world.ts";

const MINUTE_MS = 60_000;
const PREQUEUE_MINUTES = 2;
const BEFORE = 300;
/** Time for the draw after the start: a lease, the removal of a silent node, and some. */
const DECIDED_MS = 60_000;
/** A node has committed by then. */
const COMMITTED_MS = 10_000;
/** From this long before the start on nobody else is to be on the list: who joins last may be lost with a node. */
const LAST_MS = 2_000;

const PLACES: readonly (readonly string[])[] = [
  ["sjc", "sjc", "sjc"],
  ["sjc", "sjc", "lon"],
  ["sjc", "sjc", "lon", "lon", "del"],
];

type Kept = Draws["all"][number];

export function drawOf(seed: number) {
  const random = seededRandom(seed ^ 0xd4a3);
  const localities = PLACES[seed % PLACES.length] ?? [];
  const sale = saleOf({
    ...{ before: BEFORE, after: 30, prequeueMinutes: PREQUEUE_MINUTES, minutes: 13, localities },
    ...{ active: 600, perMinute: 200, refreshSeconds: 10, isDrawn: true },
  });
  const startMs = START_MS + JOINING_MS + PREQUEUE_MINUTES * MINUTE_MS;
  const atMs = Math.round(startMs - 20_000 + random() * 24_000);
  const victim = Math.floor(random() * localities.length);
  const backMs = random() < 0.5 ? Math.round(random() * 5_000) : undefined;
  const isAll = random() < 0.2;
  let isStruck = false;
  let isBack = false;
  const seeds = new Set<string>();
  return {
    ...sale,
    // Where a node is lost, its share is idle for a while.
    ...{ earlyMax: 100, useMin: 0 },
    script: (world: World, minute: number): void => {
      sale.script(world, minute);
      const { nowMs } = world.time;
      const struck = world.nodes.filter((_, index) => isAll || index === victim);
      if (!isStruck && nowMs >= atMs) {
        isStruck = true;
        for (const node of struck) node.crash();
      }
      if (!isBack && isStruck && (backMs !== undefined || isAll) && nowMs >= atMs + (backMs ?? 0)) {
        isBack = true;
        for (const node of struck) node.start();
      }
      judge(world, { startMs, seeds, isDue: nowMs >= Math.max(startMs, atMs) + DECIDED_MS });
    },
  };
}

function judge(
  world: World,
  { startMs, seeds, isDue }: { readonly startMs: number; readonly seeds: Set<string>; readonly isDue: boolean },
): void {
  const running = world.nodes.filter((node) => node.isRunning);
  const kept = running.flatMap((node): Kept[] => [...(node.peer?.draws.all ?? [])]);
  for (const { draw } of kept) if (draw.seed !== undefined) seeds.add(draw.seed);
  if (seeds.size > 1) world.broken(`one draw: it has ${seeds.size} seeds`);
  const { nowMs } = world.time;
  if (nowMs < startMs - COMMITTED_MS || !isDue) return;
  const undecided = kept.filter(({ draw }) => draw.seed === undefined).length;
  if (undecided > 0 || kept.length < running.length) world.broken(`one draw: ${undecided} nodes do not know the seed`);
  for (const { draw } of kept) {
    const { outcome, terms, seed } = draw;
    if (outcome !== undefined && seedOf(terms, outcome.secrets, outcome.value) !== seed)
      world.broken("one draw: the seed is not that of its secrets");
  }
  const listed = kept.find(({ draw, rolls }) => draw.outcome?.list.digest === digestOf(rolls));
  if (listed === undefined) world.broken("one draw: no node has the list that was closed");
  const ids = new Set(listed.rolls.ids());
  for (const room of world.rooms)
    for (const line of room.lines.values())
      for (const { cookie } of line)
        if (
          cookie?.kind === "waiting" &&
          cookie.key < (startMs - LAST_MS) * KEYS_PER_MS &&
          !ids.has(drawIdOf(cookie.id))
        )
          world.broken(`never lost: a visitor who joined before the start is not on the list`);
}

const digests = new WeakMap<Kept["rolls"], string>();

/** Of a closed list: it does not change. */
function digestOf(rolls: Kept["rolls"]): string | undefined {
  const known = digests.get(rolls);
  if (known !== undefined) return known;
  const { digest } = new RollDigest(rolls.ids()).work(Number.POSITIVE_INFINITY) ?? {};
  if (digest !== undefined) digests.set(rolls, digest);
  return digest;
}
