/** Visitors who put the page away, and are told when it is their turn. */

import { describe, expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import type { Called } from "../../../../node/admission/mesh/contacts.ts";
import type { MeshDecision } from "../../../../node/admission/mesh/entrance.ts";
import { type Beside, MINUTE_MS, RoomsWorld } from "./rooms-world.ts";

const NOTIFY = { by: ["email"], graceMinutes: 2 } as const;
const LIMITS = { totalActiveUsers: 1, newUsersPerMinute: 1_000, notify: NOTIFY };

/** Longer than the turn of a visitor who does not come: the grace, the minute under way, and a tick. */
const GRACE_OVER_MS = (NOTIFY.graceMinutes + 1) * MINUTE_MS + 10_000;

interface Place {
  readonly id: string;
  readonly key: number;
  readonly line: string;
}

class Away {
  readonly world: RoomsWorld;
  readonly called: (Called & { readonly node: number; readonly atMs: number })[] = [];

  constructor(localities: readonly string[], limits: Partial<RoomsWorld["room"]> = LIMITS, beside: Beside = {}) {
    this.world = new RoomsWorld(localities, limits, beside);
    this.world.time.every(100, () => {
      for (const [node, { room, isRunning }] of this.world.nodes.entries())
        for (const called of isRunning ? room.contacts.takeCalled() : []) {
          this.called.push({ ...called, node, atMs: this.world.nowMs });
          room.contacts.told(called);
        }
      return true;
    });
    this.world.pass(3_000);
  }

  /** Somebody who joins the line at a gate. */
  joined(index: number): Place {
    let place: Place | undefined;
    this.world.arrive(index, (id, decision) => {
      if (decision.kind === "waiting") place = { id, key: decision.place.key, line: decision.line };
    });
    this.world.pass(1_000);
    if (place === undefined) throw new Error("not in line");
    return place;
  }

  /** The same, who leaves an address and closes the page. */
  leaves(index: number): Place {
    const { id, ...place } = this.joined(index);
    const { contacts } = this.world.node(index).room;
    expect(contacts.keep(id, { ...place, lane: 0, sealed: `sealed ${id}` }, this.world.nowMs)).toBe(true);
    this.world.pass(2_000);
    return { id, ...place };
  }

  /** What a visitor hears who asks at a gate. */
  asks(index: number, { id, key, line }: Place): MeshDecision | undefined {
    let heard: MeshDecision | undefined;
    this.world.poll(index, id, key, (decision) => (heard = decision), 0, line);
    this.world.pass(1_000);
    return heard;
  }

  contacts(): number[] {
    return this.world.nodes.map(({ room }) => room.contacts.size);
  }
}

describe.each([
  ["one node", ["eu"]],
  ["three nodes", ["eu", "eu", "eu"]],
  ["two localities", ["eu", "us"]],
] as const)("a visitor who put the page away, with %s", (_, localities) => {
  const last = localities.length - 1;

  test("is called when the slot comes free, and finds it at any gate", () => {
    const away = new Away(localities);
    away.world.admitted();
    const place = away.leaves(last);
    away.world.pass(4 * MINUTE_MS);
    expect(away.called).toEqual([]);
    away.world.pass(3 * MINUTE_MS);
    expect(away.called).toMatchObject([{ id: place.id, sealed: `sealed ${place.id}`, isNew: true }]);
    expect(away.contacts()).toEqual(localities.map(() => 0));
    away.world.pass((away.called[0]?.atMs ?? 0) + NOTIFY.graceMinutes * MINUTE_MS - 5_000 - away.world.nowMs);
    expect(away.world.inside()).toBe(1);
    expect(away.asks(0, place)).toMatchObject({ kind: "admitted", isKnown: true });
    expect(away.world.inside()).toBe(1);
  });

  test("who does not come is followed by the next one once the turn is over", () => {
    const away = new Away(localities);
    away.world.admitted();
    const first = away.leaves(last);
    const second = away.leaves(0);
    away.world.pass(6.5 * MINUTE_MS);
    expect(away.called.map(({ id }) => id)).toEqual([first.id]);
    away.world.pass(GRACE_OVER_MS);
    expect(away.called.map(({ id }) => id)).toEqual([first.id, second.id]);
    expect(away.asks(last, first)?.kind).toBe("used");
  });

  test("who leaves the line is forgotten at all nodes", () => {
    const away = new Away(localities);
    away.world.admitted();
    const place = away.leaves(last);
    expect(away.contacts().filter((size) => size === 1)).toHaveLength(Math.min(2, localities.length));
    away.world.giveUp(0, place);
    away.world.pass(3_000);
    expect(away.contacts()).toEqual(localities.map(() => 0));
    away.world.pass(10 * MINUTE_MS);
    expect(away.called).toEqual([]);
  });
});

test("a contact survives the loss of the node at which it was left", () => {
  const away = new Away(["eu", "eu", "eu"]);
  away.world.admitted();
  const keeper = 2;
  const place = away.leaves(keeper);
  away.world.kill(keeper);
  away.world.pass(8 * MINUTE_MS);
  expect(away.called.map(({ id, node }) => [id, node === keeper])).toEqual([[place.id, false]]);
});

test.each([
  ["", 0, 1],
  ["", 1, 2],
  ["", 2, 3],
  ["", 3, 1],
  [", which were apart then", 0, 1],
  [", which were apart then", 1, 0],
])("of two contacts, left at nodes%s: %i and then %i, the later one counts", (apart, before, later) => {
  const away = new Away(apart === "" ? ["eu", "eu", "eu", "eu"] : ["eu", "eu"]);
  away.world.admitted();
  away.world.loses = ({ kind }) => apart !== "" && kind === "contacts";
  const { id, ...place } = away.leaves(before);
  const { contacts } = away.world.node(later).room;
  contacts.keep(id, { ...place, lane: 0, sealed: "the later one" }, away.world.nowMs);
  away.world.pass(5_000);
  away.world.loses = () => false;
  away.world.pass(8 * MINUTE_MS);
  expect(away.called.map(({ sealed }) => sealed)).toEqual(["the later one"]);
});

test("of two nodes that both polled for a visitor while they were apart, one goes on", () => {
  const key = (29_000_000 * MINUTE_MS - 1_000) * 1_000;
  const left = { key, lane: 0, line: "eu", sealed: "sealed", leftMs: key / 1_000 };
  const contacts = (keeper: NodeId) => [["visitor", { ...left, keeper }]] as const;
  const away = new Away(["eu", "eu"], { ...LIMITS, queueAll: true }, { contacts });
  away.world.pass(10_000);
  away.world.configure({ queueAll: false });
  away.world.pass(2 * MINUTE_MS);
  expect(away.called.map(({ id }) => id)).toEqual(["visitor"]);
  expect(away.contacts()).toEqual([0, 0]);
});

test("turns of visitors who do not come hold a tenth of the slots, and the others go to those who ask", () => {
  const slots = 20;
  const away = new Away(["eu"], { ...LIMITS, totalActiveUsers: slots });
  for (let visitor = 0; visitor < slots; visitor++) away.world.arrive(0);
  const absent = Array.from({ length: 6 }, () => away.leaves(0));
  const present = away.joined(0);
  let admitted = false;
  for (let second = 0; second < 8 * 60 && !admitted; second += 5) {
    away.world.pass(4_000);
    admitted = away.asks(0, present)?.kind === "admitted";
  }
  expect(admitted).toBe(true);
  expect(away.called.map(({ id }) => id)).toEqual(absent.slice(0, slots / 10).map(({ id }) => id));
});

test("a room that has the field no more forgets all", () => {
  const away = new Away(["eu", "eu"]);
  away.world.admitted();
  away.leaves(0);
  away.world.configure({ notify: undefined });
  away.world.pass(1_000);
  expect(away.contacts()).toEqual([0, 0]);
});

test("a session that could not be stored is no turn: the contact stays", () => {
  const away = new Away(["eu"]);
  const { room } = away.world.node(0);
  const { contacts } = room;
  away.world.admitted();
  const place = away.leaves(0);
  contacts.told = contacts.notTold.bind(contacts);
  const before = room.withdraw.bind(room);
  away.world.time.every(100, () => {
    for (const { id } of away.called.splice(0)) before(id);
    return contacts.size > 0;
  });
  away.world.pass(7 * MINUTE_MS);
  expect(contacts.size).toBe(1);
  expect(away.asks(0, place)?.kind).toBe("admitted");
});
