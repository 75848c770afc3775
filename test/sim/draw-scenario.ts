/**
 * A sale whose order is drawn, in simulated worlds: a node dies around the start, or is cut off, or all are started
 * again.
 *
 * The judge asks each node that runs for the seed as soon as the sale has begun, whatever is cut off; for one seed at
 * all of them; for a list at one of them; and for each visitor on it who came before the start. What happens is drawn
 * from streams of their own: one of deaths, one of cuts.
 */

import { seededRandom } from "../../cmd/crowd/random.ts";
import { drawIdOf } from "../../node/admission/draw/draw-seed.ts";
import { KEYS_PER_MS } from "../../node/admission/queue-order.ts";
import { saleOf } from "./event-scenarios.ts";
import { JOINING_MS, START_MS, type World } from "./world.ts";

const MINUTE_MS = 60_000;
const PREQUEUE_MINUTES = 2;
const BEFORE = 300;
/** A node knows the seed by then: its clock may be a little behind, and it begins the sale with its next step. */
const OPENED_MS = 5_000;
/** A node that was started again needs so long to be sure of its clock, and to hear what was declared. */
const STARTED_MS = 10_000;
/** A list is closed by then, also at a node that was down at the start. */
const CLOSED_MS = 90_000;
/** Visitors who join within this time before the start, or before a cut, may be lost with a node. */
const LAST_MS = 2_000;

/** How long a node is cut off at most: longer than a lease, so that some are removed meanwhile. */
const CUT_MS_MAX = 45_000;

const PLACES: readonly (readonly string[])[] = [
  ["sjc", "sjc", "sjc"],
  ["sjc", "sjc", "lon"],
  ["sjc", "sjc", "lon", "lon", "del"],
];

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
      const isQuiet = nowMs < atMs || nowMs >= atMs + (backMs ?? 0) + STARTED_MS;
      const isOpen = nowMs >= startMs + OPENED_MS && isQuiet;
      judge(world, { listedMs, seeds, isOpen, isListed: nowMs >= untilMs + CLOSED_MS });
    },
  };
}

/** In some seeds one node is cut off from all others for a while: it begins the sale all the same. */
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
  /** Those who came before it are on the list, whatever was lost since. */
  readonly listedMs: number;
  readonly seeds: Set<string>;
  /** Whether each node that runs must know the seed, and a list must be closed. */
  readonly isOpen: boolean;
  readonly isListed: boolean;
}

function judge(world: World, { listedMs, seeds, isOpen, isListed }: Judged): void {
  const running = world.nodes.filter((node) => node.isRunning);
  for (const room of world.rooms) {
    const drawn = running.map((node) => ({ node, draw: node.rooms.of(room.id)?.draw }));
    for (const { draw } of drawn) if (draw?.seed !== undefined) seeds.add(draw.seed);
    if (seeds.size > 1) world.broken(`one draw: it has ${seeds.size} seeds`);
    const closed = drawn.filter(({ draw }) => draw?.seed === undefined);
    if (isOpen && closed.length > 0)
      world.broken(`one draw: ${closed.map(({ node }) => node.identity).join(", ")} knows no seed after the start`);
    if (!isListed) continue;
    const key = drawn[0]?.draw?.key ?? "";
    const listed = running.find((node) => node.peer?.draws.listOf(key) !== undefined)?.peer?.draws;
    if (listed === undefined) world.broken("one draw: no node has a list");
    const ids = new Set(Iterator.from(listed.idsOf(key)));
    for (const line of room.lines.values())
      for (const { cookie } of line)
        if (cookie?.kind === "waiting" && cookie.key < listedMs * KEYS_PER_MS && !ids.has(drawIdOf(cookie.id)))
          world.broken(`never lost: a visitor who joined before the start is not on the list`);
  }
}
