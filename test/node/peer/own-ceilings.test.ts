/** What a node pledges for its rooms, and what it may hold by that. */

import { describe, expect, test } from "vitest";
import type { RoomId } from "../../../mesh/core/ids.ts";
import type { Members } from "../../../mesh/core/members/members.ts";
import { type Pledged, Pledges } from "../../../mesh/core/members/pledges.ts";
import { SLOTS_MAX } from "../../../mesh/core/wire/shapes.ts";
import type { MeshRoom } from "../../../node/admission/mesh/mesh-room.ts";
import { OwnCeilings } from "../../../node/peer/own-ceilings.ts";
import type { PotClock } from "../../../node/peer/pot-clock.ts";

const [shop, cafe] = ["shop", "cafe"] as RoomId[] as [RoomId, RoomId];

/** A node with rooms, pots and what it has pledged; one other voter acknowledges when the test says so. */
class Node {
  readonly pledges = new Pledges(1_000);
  readonly told: Pledged[] = [];
  readonly inside = new Map<RoomId, number>([[shop, 0]]);
  pending = 0;
  isUnbounded = false;
  potCeilings: ReadonlyMap<RoomId, number> | undefined = new Map();
  held: RoomId[] = [];
  unloaded: RoomId[] = [];
  isSure = true;
  mustPledge = true;
  ms = 0;
  readonly rooms = new Map<RoomId, MeshRoom>();
  readonly ceilings: OwnCeilings;

  constructor(...rooms: RoomId[]) {
    for (const id of rooms) {
      const inside = () => this.inside.get(id) ?? 0;
      const room = { id, room: { totalActiveUsers: 1_000 }, admission: { inside } } as unknown as MeshRoom;
      const isUnbounded = () => this.isUnbounded;
      const pending = () => this.pending;
      Object.defineProperties(room, { isUnbounded: { get: isUnbounded }, pending: { get: pending } });
      this.rooms.set(id, room);
    }
    const { pledges, told } = this;
    const pledge = (pledged: Pledged): boolean => {
      told.push(pledged === "whole" ? pledged : new Map(pledged));
      pledges.pledge(pledged);
      return true;
    };
    const mustPledge = () => this.mustPledge;
    const members = Object.defineProperty({ pledges, pledge }, "mustPledge", { get: mustPledge });
    const pots = {
      ceilingOf: (room: RoomId) => (this.potCeilings ? (this.potCeilings.get(room) ?? 0) : Number.POSITIVE_INFINITY),
    };
    Object.defineProperties(pots, {
      areBounded: { get: () => this.potCeilings !== undefined },
      roomsWithCeilings: { get: () => [...(this.potCeilings?.keys() ?? [])] },
    });
    this.ceilings = new OwnCeilings({
      members: members as unknown as Members,
      rooms: this.rooms,
      pots: pots as unknown as PotClock,
      unloaded: () => this.unloaded,
      isHeld: (room) => this.held.includes(room),
      isSure: () => this.isSure,
      roomMs: () => this.ms,
    });
  }

  tick(): Pledged | undefined {
    const before = this.told.length;
    this.ceilings.tick({ wallMs: this.ms, steadyMs: this.ms });
    return this.told[before];
  }

  acknowledge(): void {
    this.pledges.answered("other" as never, this.pledges.newest);
    this.pledges.settle(["other"] as never, "self" as never);
  }
}

describe("a node", () => {
  test("pledges what it holds and a little more, and holds nothing before that is acknowledged", () => {
    const node = new Node(shop);
    node.inside.set(shop, 50);
    expect([node.ceilings.mayHold(shop), node.tick(), node.ceilings.mayHold(shop)]).toEqual([
      0,
      new Map([[shop, 55]]),
      0,
    ]);
    node.acknowledge();
    expect([node.ceilings.mayHold(shop), node.tick()]).toEqual([55, undefined]);
  });

  test("pledges for what its pots may hold, in rooms that it does not know too, and does not hold it itself", () => {
    const node = new Node(shop);
    node.potCeilings = new Map([
      [shop, 10],
      [cafe, 3],
    ]);
    expect(node.tick()).toEqual(
      new Map([
        [shop, 14],
        [cafe, 3],
      ]),
    );
    node.acknowledge();
    expect(node.ceilings.mayHold(shop)).toBe(4);
  });

  test("pledges everything while a pot has no ceilings, and is bound by none", () => {
    const node = new Node(shop);
    node.potCeilings = undefined;
    expect([node.tick(), node.ceilings.mayHold(shop)]).toEqual(["whole", Number.NEGATIVE_INFINITY]);
    node.acknowledge();
    expect(node.ceilings.mayHold(shop)).toBe(Number.POSITIVE_INFINITY);
    node.potCeilings = new Map();
    expect([node.tick(), node.ceilings.mayHold(shop)]).toEqual([new Map([[shop, 4]]), 4]);
  });

  test("pledges all of a room of which it does not know what is in use, or where slots decide nothing", () => {
    const node = new Node(shop);
    node.held = [shop];
    expect(node.tick()).toEqual(new Map([[shop, SLOTS_MAX]]));
    node.acknowledge();
    node.held = [];
    node.isUnbounded = true;
    node.unloaded = [cafe];
    expect(node.tick()).toEqual(
      new Map([
        [shop, SLOTS_MAX],
        [cafe, SLOTS_MAX],
      ]),
    );
  });

  test("pledges nothing while it does not know its time or whether its disk is old, nor where nobody is removed", () => {
    const node = new Node(shop);
    node.isSure = false;
    expect([node.tick(), node.ceilings.mayHold(shop)]).toEqual([undefined, 0]);
    node.isSure = true;
    node.mustPledge = false;
    expect([node.tick(), node.ceilings.mayHold(shop), node.ceilings.isIdle]).toEqual([
      undefined,
      Number.POSITIVE_INFINITY,
      true,
    ]);
  });
});
