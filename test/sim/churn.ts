/**
 * A mesh whose nodes come and go for a long time: leaves, lost disks, restarts, and two of them in a row, while
 * visitors come. What it keeps and sends at the end is compared with what it did after the first changes.
 *
 * `npm run simulate -- --scenario churn --changes 1000`: the seed draws the changes, and says how many nodes and rooms
 * there are. Ids are as long as real ones, and nodes have names.
 */

import { atLeast, atMost, type Check } from "../../cmd/checks.ts";
import { UNITS } from "../../mesh/core/ledger/shares.ts";
import { minuteOf } from "../../mesh/core/minute.ts";
import type { SimNode } from "./sim-node.ts";
import { World } from "./world.ts";

const TIMES = { minuteMs: 2_000, leaseMs: 3_000 };
const ROOM = { totalActiveUsers: 60, newUsersPerMinute: 600, sessionDuration: 2, refreshIntervalSeconds: 2 };
const LOCALITIES = ["sjc", "lon", "del"];
const NODES = [3, 4, 5];
const ROOMS = [1, 10, 100];
/** The mesh has found itself, and the rooms are everywhere. */
const JOINED_MS = 15_000;
/** From one change to the next: a lost node is removed after 3.8 s, and its place joins. */
const CHANGE_MS = 6_000;
/** Between two changes in a row: the second one comes before the first one is over. */
const IN_A_ROW_MS = 1_500;
/** All pots are over, and what was free has found its place. */
const REST_MS = 60_000;
/** Changes that are compared, and so many before the first of them: of fewer the most is left to chance. */
const WINDOW = 8 * 6;
/** The most that anything may have grown. */
const GROWTH_MAX = 1.2;

/** What the mesh keeps and sends, in bytes of JSON or of frames: the most at any node. */
interface Sizes {
  readonly view: number;
  readonly digest: number;
  readonly rows: number;
  readonly disk: number;
  readonly frame: number;
}

/** The most of a number of changes, and what one of them sends on average. */
interface Stretch {
  readonly most: Sizes;
  readonly trafficBytes: number;
}

export type Change = (node: SimNode, world: World) => void;

export const leaves: Change = (node) => void node.leave();
export const isLost: Change = (node, world) => {
  node.wipe();
  world.pass(1_000);
  node.start();
};
const restarts: Change = (node, world) => {
  node.crash();
  world.pass(200);
  node.start();
};
/** One leaves while the place of another is still being filled. */
const twoInARow: Change = (node, world) => {
  const next = world.nodes[(world.nodes.indexOf(node) + 1) % world.nodes.length] as SimNode;
  isLost(node, world);
  world.pass(IN_A_ROW_MS);
  leaves(next, world);
  world.pass(CHANGE_MS - IN_A_ROW_MS);
};
/** They come in rounds, each in an order of its own: so any number of rounds has the same of each. */
const ROUND = [leaves, leaves, isLost, isLost, restarts, twoInARow];

export class Churn {
  readonly world: World;
  #frame = 0;
  #made = 0;

  constructor({ seed, nodes, rooms }: { readonly seed: number; readonly nodes: number; readonly rooms: number }) {
    const localities = Array.from({ length: nodes }, (_, index) => LOCALITIES[index % LOCALITIES.length] ?? "");
    const more = Array.from({ length: rooms - 1 }, () => ROOM);
    this.world = new World({ seed, localities, ...TIMES, room: ROOM, more, hasLongIds: true });
    const { network } = this.world;
    const send = network.send.bind(network);
    network.send = (from, to, frame) => {
      this.#frame = Math.max(this.#frame, frame.length);
      return send(from, to, frame);
    };
    this.world.pass(JOINED_MS);
  }

  /** So many changes of the members, one place after another, with visitors. */
  change(times: number, act: () => Change): Stretch {
    const { world } = this;
    const { bytes: bytesBefore } = world.network;
    let most: Sizes | undefined;
    for (let time = 0; time < times; time++) {
      act()(world.nodes[this.#made++ % world.nodes.length] as SimNode, world);
      for (let ms = 0; ms < CHANGE_MS; ms += 1_000) {
        this.#visit();
        world.pass(1_000);
      }
      most = larger(this.#sizes(), most);
    }
    if (most === undefined) throw new RangeError("Cannot measure as nothing has changed");
    return { most, trafficBytes: (world.network.bytes - bytesBefore) / times };
  }

  /** The part of each room's units that nodes may use by their own knowledge, once no pot is left: the least. */
  usable(): number {
    const { world } = this;
    world.pass(REST_MS);
    const minute = minuteOf(world.time.nowMs, TIMES.minuteMs);
    const unitsOf = (room: (typeof world.rooms)[number]) =>
      world.nodes.reduce((sum, { peer }) => sum + (peer?.roomNode.units(room.id, "active", minute) ?? 0), 0);
    return Math.min(...world.rooms.map((room) => unitsOf(room) / UNITS));
  }

  #visit(): void {
    const { world } = this;
    for (const locality of LOCALITIES) {
      const room = world.rooms[Math.floor(world.random() * world.rooms.length)];
      if (room !== undefined) world.arrive({ locality, staysMs: 4_000, room });
    }
  }

  #sizes(): Sizes {
    const most = (of: (node: SimNode) => unknown) =>
      Math.max(...this.world.nodes.map((node) => JSON.stringify(of(node) ?? "").length));
    const frame = this.#frame;
    this.#frame = 0;
    return {
      view: most(({ peer }) => peer?.members.view),
      digest: most(({ peer }) => peer?.replica.digest()),
      rows: most(({ peer }) => peer?.replica.rows(peer.replica.ledger.accounts())),
      disk: most(({ disk }) => [...disk.copy()].map(([key, { length }]) => [key, "x".repeat(length)])),
      frame,
    };
  }
}

/** From one change to the next, names of former members come and go: only the most says anything. */
function larger(sizes: Sizes, before: Sizes = sizes): Sizes {
  const keys = Object.keys(sizes) as (keyof Sizes)[];
  return Object.fromEntries(keys.map((key) => [key, Math.max(sizes[key], before[key])])) as never;
}

/** Runs so many changes. The world ends the run if a limit is exceeded. */
export function churn(
  seed: number,
  { changes, passed = () => {} }: { readonly changes: number; readonly passed?: () => void },
): { readonly headline: string; readonly checks: readonly Check[] } {
  const nodes = NODES[seed % NODES.length] ?? 3;
  const rooms = ROOMS[Math.floor(seed / NODES.length) % ROOMS.length] ?? 1;
  const mesh = new Churn({ seed, nodes, rooms });
  const left: Change[] = [];
  const draw = (): Change => {
    passed();
    if (left.length === 0) left.push(...ROUND);
    return left.splice(Math.floor(mesh.world.random() * left.length), 1)[0] ?? leaves;
  };
  const window = Math.min(WINDOW, ROUND.length * Math.max(1, Math.floor(changes / 3 / ROUND.length)));
  mesh.change(window, draw);
  const first = mesh.change(window, draw);
  if (changes > 3 * window) mesh.change(changes - 3 * window, draw);
  const last = mesh.change(window, draw);
  return {
    headline: `${changes} changes of ${nodes} nodes with ${rooms} rooms`,
    checks: [
      ...growth(first, last),
      atLeast({
        name: "units of each room that nodes may use at the end",
        promise: "never early",
        ...percent(mesh.usable(), 1),
      }),
    ],
  };
}

/** What each figure has grown from the first stretch to the last one. */
export function growth(first: Stretch, last: Stretch): Check[] {
  const times = (name: string, from: number, to: number) =>
    atMost({
      name,
      promise: "mesh",
      ...percent(to / from, GROWTH_MAX),
      note: `${Math.round(from)} → ${Math.round(to)}`,
    });
  const keys = Object.keys(first.most) as (keyof Sizes)[];
  return [
    ...keys.map((key) => times(`largest ${key}, in bytes, to what it was`, first.most[key], last.most[key])),
    times("traffic of a change, in bytes, to what it was", first.trafficBytes, last.trafficBytes),
  ];
}

function percent(part: number, limit: number) {
  return { value: Math.round(1_000 * part) / 10, limit: 100 * limit, unit: "%" };
}
