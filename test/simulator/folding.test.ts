/**
 * Accounts end with their node: whatever joins, leaves and is lost, a mesh keeps no more of it than its members need.
 */

import { describe, expect, test } from "vitest";
import { UNITS } from "../../mesh/core/ledger/shares.ts";
import { minuteOf } from "../../mesh/core/minute.ts";
import type { SimNode } from "../sim/sim-node.ts";
import { World } from "../sim/world.ts";

const TIMES = { minuteMs: 2_000, leaseMs: 3_000 };
const room = { totalActiveUsers: 60, newUsersPerMinute: 600, sessionDuration: 2, refreshIntervalSeconds: 2 };
const LOCALITIES = ["sjc", "lon", "del"];
const ROOMS = 3;
const CHANGE_MS = 6_000;

/** What it keeps and sends, in bytes of JSON or of frames. */
interface Sizes {
  readonly view: number;
  readonly digest: number;
  readonly rows: number;
  readonly disk: number;
  readonly frame: number;
}

class Churn {
  readonly world: World;
  #frame = 0;
  #most: Sizes | undefined;

  constructor(rooms: number) {
    const more = Array.from({ length: rooms - 1 }, () => room);
    this.world = new World({ seed: 1, localities: LOCALITIES, ...TIMES, room, more });
    const { network } = this.world;
    const send = network.send.bind(network);
    network.send = (from, to, frame) => {
      this.#frame = Math.max(this.#frame, frame.length);
      return send(from, to, frame);
    };
    this.world.pass(15_000);
  }

  /** So many changes of the members, one after another, with visitors. */
  change(times: number, act: (node: SimNode, world: World) => void): void {
    const { world } = this;
    for (let time = 0; time < times; time++) {
      const node = world.nodes[time % world.nodes.length] as SimNode;
      act(node, world);
      for (let ms = 0; ms < CHANGE_MS; ms += 1_000) {
        for (const locality of LOCALITIES) {
          const room = world.rooms[Math.floor(world.random() * world.rooms.length)];
          if (room !== undefined) world.arrive({ locality, staysMs: 4_000, room });
        }
        world.pass(1_000);
      }
      this.#look();
    }
  }

  /** The most since the last call: from one change to the next, names of former members come and go. */
  takeMost(): Sizes {
    const most = this.#most;
    this.#most = undefined;
    if (most === undefined) throw new Error("Nothing has changed");
    return most;
  }

  #look(): void {
    const sizes = this.#sizes;
    const keys = Object.keys(sizes) as (keyof Sizes)[];
    const before = this.#most ?? sizes;
    this.#most = Object.fromEntries(keys.map((key) => [key, Math.max(sizes[key], before[key])])) as never;
  }

  get #sizes(): Sizes {
    const most = (of: (node: SimNode) => unknown) =>
      Math.max(...this.world.nodes.map((node) => JSON.stringify(of(node) ?? "").length));
    const frame = this.#frame;
    this.#frame = 0;
    return {
      view: most(({ peer }) => peer?.members.view),
      digest: most(({ peer }) => peer?.replica.digest()),
      rows: most(({ peer }) => peer?.replica.rows(peer.replica.ledger.accounts())),
      disk: most(({ disk }) => [...disk.copy()].map(([key, value]) => [key, value])),
      frame,
    };
  }

  /** Units of a room that nodes may use, by their own knowledge, once no pot is left. */
  get unitsUsable(): number[] {
    const { world } = this;
    const minute = minuteOf(world.time.nowMs, TIMES.minuteMs);
    return world.rooms.map(({ id }) =>
      world.nodes.reduce((sum, { peer }) => sum + (peer?.roomNode.units(id, "active", minute) ?? 0), 0),
    );
  }
}

const leaves = (node: SimNode) => void node.leave();
const isLost = (node: SimNode, world: World) => {
  node.wipe();
  world.pass(1_000);
  node.start();
};

describe.each([
  { what: "leaves", act: leaves },
  { what: "losses", act: isLost },
])("a mesh with many $what", ({ act }) => {
  test("keeps no more at the end than after the first 25, and uses all slots of all rooms", () => {
    const churn = new Churn(ROOMS);
    churn.change(25, act);
    const first = churn.takeMost();
    churn.change(35, act);
    const last = churn.takeMost();
    for (const key of ["view", "digest", "rows", "disk", "frame"] as const)
      expect(last[key] / first[key], key).toBeLessThan(1.2);
    churn.world.pass(60_000);
    expect(churn.unitsUsable).toEqual(Array(ROOMS).fill(UNITS));
  });
});
