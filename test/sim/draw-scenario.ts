/**
 * A sale whose order is drawn, in simulated worlds: a node dies between its commitment and the outcome, or is cut off,
 * or all are started again.
 *
 * The judge asks for one seed at all nodes that know any, for a list that one of them can prove, and for each visitor
 * on it who came before the start and was told so. What happens is drawn from streams of their own: one of deaths, one
 * of cuts.
 */

import { seededRandom } from "../../cmd/crowd/random.ts";
import { drawIdOf, seedOf } from "../../node/admission/draw/draw-seed.ts";
import { KEYS_PER_MS } from "../../node/admission/queue-order.ts";
import type { Draws } from "../../node/peer/draws.ts";
import { RollDigest } from "../../node/peer/roll-digest.ts";
import { saleOf } from "./event-scenarios.ts";
import { JOINING_MS, START_MS, type World } from "./world.ts";

const MINUTE_MS = 60_000;
const PREQUEUE_MINUTES = 2;
const BEFORE = 300;
/** Time for the draw after the start: a lease, the removal of a silent node, and some. */
const DECIDED_MS = 60_000;
/** A node has committed by then. */
const COMMITTED_MS = 10_000;
/** Visitors who join within this time before the start, or before a cut, may be lost with a node. */
const LAST_MS = 2_000;

/** How long a node is cut off at most: longer than a lease, so that some are removed meanwhile. */
const CUT_MS_MAX = 45_000;

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
  const cut = cutOf(seed, startMs, localities.length);
  const untilMs = Math.max(startMs, atMs, cut?.endMs ?? 0);
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
      if (cut !== undefined) cut.script(world);
      const listedMs = Math.min(startMs, cut?.startMs ?? startMs) - LAST_MS;
      judge(world, { startMs, listedMs, seeds, isDue: nowMs >= untilMs + DECIDED_MS });
    },
  };
}

/** In some seeds one node is cut off from all others for a while: it, too, may close a list, and hears of no other. */
function cutOf(seed: number, aroundMs: number, nodes: number) {
  const random = seededRandom(seed ^ 0xc07d);
  if (random() < 0.5) return undefined;
  const victim = Math.floor(random() * nodes);
  const startMs = Math.round(aroundMs - 10_000 + random() * 14_000);
  const endMs = Math.round(startMs + 1_000 + random() * (CUT_MS_MAX - 1_000));
  let isCut = false;
  let isHealed = false;
  const script = ({ nodes: all, network, time }: World): void => {
    const node = all[victim];
    if (!isCut && node !== undefined && time.nowMs >= startMs) {
      isCut = true;
      for (const other of all.filter((each) => each !== node)) {
        network.cut(node.identity, other.identity);
        network.cut(other.identity, node.identity);
      }
    }
    if (!isHealed && time.nowMs >= endMs) {
      isHealed = true;
      network.heal();
    }
  };
  return { startMs, endMs, script };
}

interface Judged {
  readonly startMs: number;
  /** Those who came before it are on the list, whatever was lost since. */
  readonly listedMs: number;
  readonly seeds: Set<string>;
  readonly isDue: boolean;
}

function judge(world: World, { startMs, listedMs, seeds, isDue }: Judged): void {
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
        if (cookie?.kind === "waiting" && cookie.key < listedMs * KEYS_PER_MS && !ids.has(drawIdOf(cookie.id)))
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
