/**
 * Doors of simulated rooms: what rooms ask of visitors besides waiting, and what visitors bring, drawn from a seed.
 *
 * Rooms have lanes, are invite-only, ask for proofs of work, ask their visitors to enter, and change their method while
 * visitors wait. Visitors bring passes: of their own, shared with others, of staff, and bad ones.
 * All chance here is of its own, so that the faults of a seed, and who comes, are the same without it.
 */

import { seededRandom } from "../../cmd/crowd/random.ts";
import type { Room } from "../../node/config/room.ts";
import { PassMaker, passName } from "../../node/cookie/pass.ts";
import type { Bearer, SimPass } from "./bearer.ts";
import { MESH } from "./sim-cipher.ts";
import type { SimRoom } from "./sim-room.ts";
import type { World } from "./world.ts";

/**
 * Parts of the slots for visitors without a lane, and for lanes 1 and 2: at double demand more come to each than it has
 * slots for.
 */
const SHARES = [55, 30, 15, 0, 0, 0, 0, 0, 0, 0];
/** Part of the visitors of such a room who have a pass. */
const WITH_PASS = 0.6;
const PASS_MS = 3_600_000;
/** An expired pass is so old that no gate's clock makes it good. */
const LONG_AGO_MS = 1_800_000;
/** The passes that several visitors have: two at a time, and others every ten seconds. */
const SHARED = { passes: 2, everyMs: 10_000 };
/** Minutes between two changes of a room's method, at least and at most. */
const METHOD_MINUTES = [4, 12] as const;

/** What is added to each room of a harsh seed. */
export function harshDoors(seed: number, rooms: number): readonly Partial<Room>[] {
  const random = seededRandom(seed ^ 0xd0025);
  return Array.from({ length: rooms }, () => ({
    ...(random() < 0.5 && { lanes: SHARES }),
    ...(random() < 0.3 && { inviteOnly: true }),
    ...(random() < 0.4 && {
      proofOfWorkMode: "always" as const,
      proofOfWorkAction: random() < 0.7 ? ("infinite_queue" as const) : ("log" as const),
    }),
    ...(random() < 0.4 && { enterWithinSeconds: 2 + Math.floor(random() * 5) }),
  }));
}

/** Rooms with one kind of door each. */
export const LANES_ROOM: Partial<Room> = { lanes: SHARES };
export const INVITED_ROOM: Partial<Room> = {
  inviteOnly: true,
  enterWithinSeconds: 4,
  sessionDuration: 3,
};
export const PROOF_ROOM: Partial<Room> = {
  proofOfWorkMode: "always",
  proofOfWorkAction: "infinite_queue",
  enterWithinSeconds: 4,
  sessionDuration: 3,
};

export class Doors {
  readonly #random: () => number;
  readonly #maker = new PassMaker(MESH);
  readonly #stranger = new PassMaker({ ...MESH, meshKey: new Uint8Array(32).fill(9) });
  readonly #changesMethods: boolean;
  #passes = 0;
  #nextMethod: number;

  constructor(seed: number) {
    this.#random = seededRandom(seed ^ 0xbea7e7);
    this.#changesMethods = this.#random() < 0.3;
    this.#nextMethod = this.#between(...METHOD_MINUTES);
  }

  /** What the next visitor of a room brings. */
  bearer(room: SimRoom, nowMs: number): Bearer {
    const random = this.#random;
    return {
      pass: random() < WITH_PASS ? this.#pass(room, nowMs) : undefined,
      solves: random() < 0.8,
      enters: random() < 0.6,
      kept: { passCookie: undefined, challenge: undefined, hasProved: false },
    };
  }

  /**
   * Now and then the operator changes the method of a room without lanes, which count under fifo only; called several
   * times a second.
   */
  turn(world: World, minute: number): void {
    if (!this.#changesMethods || minute < this.#nextMethod) return;
    this.#nextMethod = minute + this.#between(...METHOD_MINUTES);
    const rooms = world.rooms.filter(({ settings }) => settings.lanes.length === 0);
    const room = rooms[Math.floor(this.#random() * rooms.length)];
    const nodes = world.nodes.filter((node) => node.takesOrders && room !== undefined && node.rooms.has(room.id));
    const at = nodes[Math.floor(this.#random() * nodes.length)];
    const queueingMethod = room?.settings.queueingMethod === "random" ? "fifo" : "random";
    if (room !== undefined && at !== undefined) world.order(room, { queueingMethod }, at);
  }

  #pass({ name, settings, id }: SimRoom, nowMs: number): SimPass {
    const random = this.#random;
    const scope = { room: name, generation: settings.passGeneration };
    const [kind, whose] = [random(), random()];
    const lane = random() < 0.8 ? 1 + Math.floor(random() * 2) : 0;
    const by = random() < 0.5 ? "link" : "field";
    const shared = `shared-${Math.floor(nowMs / SHARED.everyMs)}-${Math.floor(random() * SHARED.passes)}`;
    const isStaff = kind < 0.06;
    const key = isStaff || whose < 0.15 ? undefined : whose < 0.5 ? shared : `own-${++this.#passes}`;
    const order = {
      ...(key !== undefined && { key }),
      ...(lane > 0 && { lane }),
      isStaff,
      madeMs: nowMs - 2 * LONG_AGO_MS,
      expiresMs: nowMs + PASS_MS,
    };
    const said = { by, isStaff, key: key && `${id} ${passName(key)}`, lane } as const;
    const isGood = kind > 0.16;
    if (isStaff || isGood) return { ...said, isGood: true, text: this.#maker.make(order, scope) };
    const texts = [
      () => this.#maker.make({ ...order, expiresMs: nowMs - LONG_AGO_MS }, scope),
      () => this.#maker.make(order, { ...scope, room: `${name}-other` }),
      () => this.#maker.make(order, { ...scope, generation: scope.generation + 1 }),
      () => this.#stranger.make(order, scope),
      () => `${this.#maker.make(order, scope).slice(0, -9)}forgedbit`,
    ];
    const text = texts[Math.floor(random() * texts.length)]?.() ?? "";
    return { ...said, key: undefined, isGood: false, text };
  }

  #between(least: number, most: number): number {
    return least + this.#random() * (most - least);
  }
}
