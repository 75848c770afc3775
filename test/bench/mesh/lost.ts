/**
 * What the loss of a node costs, with nodes of the binary: a room a third full, `kill -9` of the node with the most
 * free slots, and two rooms full of visitors once the others have removed it. Usable is what visitors hold or get.
 *
 * Minutes and lease are the defaults, so it takes about a minute; `test/simulator/lost-node.test.ts` has other
 * cases.
 */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { NAVIGATION } from "../visitors.ts";
import { type MeshNode, type Place, startNode, untilTogether } from "./nodes.ts";

export interface Lost {
  readonly nodes: number;
  readonly room: number;
  /** Visitors inside before. */
  readonly inside: number;
  /** Slots of the node that was killed: held by its sessions, and free. */
  readonly held: number;
  readonly free: number;
  /** Visitors admitted afterwards. */
  readonly letIn: number;
  /** Slots that visitors inside held, or new ones got, as part of the room. */
  readonly usable: number;
}

const NODES = 3;
const ROOM = "shop";
const SLOTS = 300;
const INSIDE = 100;
const NEWCOMERS = 2 * SLOTS;
/** Until free slots have found their places. */
const SETTLE_MS = 8_000;
/** From the kill on: the lease of 30 s, the removal, and what follows from it. */
const TAKEN_OVER_MS = 35_000;
/** Visitors in line ask again after so long, so often. */
const POLL_MS = 2_000;
const POLLS = 5;
/** Arrivals are never short. */
const PER_MINUTE = 10 * SLOTS;
const AT_ONCE = 20;

export async function measureLost(place: Place): Promise<Lost> {
  mkdirSync(place.folder);
  const nodes: MeshNode[] = [];
  try {
    for (let at = 0; at < NODES; at++)
      nodes.push(
        await startNode({
          ...place,
          folder: join(place.folder, `node-${at}`),
          core: "any",
          rooms: [ROOM],
          seed: nodes[0],
          limits: { total_active_users: SLOTS, new_users_per_minute: PER_MINUTE, refresh_interval_seconds: 2 },
        }),
      );
    await untilTogether(nodes, [ROOM]);
    await Bun.sleep(SETTLE_MS);
    const inside = (await visit(nodes, Array(INSIDE).fill(undefined))).letIn;
    await Bun.sleep(SETTLE_MS);
    const { node, held, free } = await richest(nodes);
    await node.server.stop();
    const others = nodes.filter((other) => other !== node);
    await Bun.sleep(TAKEN_OVER_MS);
    let { letIn, cookies } = await visit(others, Array(NEWCOMERS).fill(undefined));
    for (let poll = 0; poll < POLLS; poll++) {
      await Bun.sleep(POLL_MS);
      const again = await visit(others, cookies);
      letIn += again.letIn;
      cookies = again.cookies;
    }
    return { nodes: NODES, room: SLOTS, inside, held, free, letIn, usable: (inside + letIn) / SLOTS };
  } finally {
    await Promise.all(nodes.map(({ server }) => server.stop()));
  }
}

async function richest(nodes: readonly MeshNode[]) {
  const found = await Promise.all(
    nodes.map(async (node) => {
      const [room] = (await node.status()).rooms;
      const held = room?.inside_here ?? 0;
      const own = (room?.shares ?? []).filter(({ state }) => state === "own");
      return { node, held, free: own.reduce((sum, share) => sum + share.active_slots, 0) - held };
    }),
  );
  return found.reduce((most, each) => (each.free > most.free ? each : most));
}

/**
 * Visitors ask for a page, at one node after the other, with the cookies that they have. Returns those who wait, by
 * their cookies.
 */
async function visit(nodes: readonly MeshNode[], visitors: readonly (string | undefined)[]) {
  const headers = NAVIGATION.map((field) => field.split(": ", 2) as [string, string]);
  const cookies: (string | undefined)[] = [];
  let letIn = 0;
  const queue = visitors.entries();
  const visitInTurn = async (): Promise<void> => {
    for (const [at, cookie] of queue) {
      const own: [string, string][] = cookie === undefined ? [] : [["Cookie", cookie]];
      const answer = await fetch(`http://${nodes[at % nodes.length]?.up.gate}/${ROOM}/`, {
        headers: [...headers, ...own],
      });
      if ((await answer.text()).includes("<title>origin")) letIn += 1;
      else cookies.push(answer.headers.getSetCookie()[0]?.split(";")[0] ?? cookie);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, visitInTurn));
  return { letIn, cookies };
}
