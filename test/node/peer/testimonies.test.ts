import { expect, test } from "vitest";
import type { Testimony } from "../../../mesh/core/members/hearing.ts";
import { Testimonies, type TestimoniesParts } from "../../../node/peer/testimonies.ts";

const SHOP_ID = "00000000000000aa";
const SITE_ID = "00000000000000bb";

/**
 * What an heir objects to that has a room, and knows since its start which sessions of the pot it has acknowledged or
 * does not.
 */
function problem(knowsPot: boolean): string | undefined {
  const parts = {
    minuteMs: 60_000,
    handed: { all: () => [] },
    rooms: new Map([["shop", { admission: { sessions: { knowsPot: () => knowsPot } } }]]),
    members: () => ({ sessions: { longest: 5 } }),
    now: () => ({ wallMs: 0, steadyMs: 0 }),
    roomMs: () => 0,
  } as unknown as TestimoniesParts;
  return new Testimonies(parts).problemOf({ group: "view 4", tables: [] } as unknown as Testimony);
}

test("an heir that does not know whom it has acknowledged hears nobody", () => {
  expect(problem(false)).toContain("does not know which of its sessions");
  expect(problem(true)).toBeUndefined();
});

const SOUND = { proof: { isSound: true }, holds: { hasAny: false }, powerLoss: () => ({ isOpen: false }) };
const HELD = { holds: { hasAny: true } };
const POWER_LOSS = { powerLoss: () => ({ isOpen: true }) };

/** A node of a removal: what it holds, or an heir that could hear it. */
function party(change: object): Testimonies {
  const members = { mayAct: () => true, sessions: { longest: 5 } };
  const parts = {
    ...{ minuteMs: 60_000, storedIncarnation: 1, isPot: () => true, rooms: new Map(), isInOrder: () => true },
    ...{
      handed: { all: () => [] },
      members: () => members,
      now: () => ({}),
      roomMs: () => 600_000,
    },
    ...SOUND,
    ...change,
  };
  return new Testimonies(parts as unknown as TestimoniesParts);
}

test.each<[string, object]>([
  ["whose disk may be a copy", { proof: { isSound: false } }],
  ["that holds a room", HELD],
])("a node %s does not say what it held", (_, change) => {
  expect(party({}).statement()).toBeDefined();
  expect(party(change).statement()).toBeUndefined();
});

test("nor does a node that took a leaver's table over before it acted: its table is neither the one on disk nor confirmed", () => {
  const node = party({});
  node.tookOver();
  expect(node.statement()).toBeUndefined();
});

test("a node tells of sessions on the slots of a pot that has settled, and not of one that has not", () => {
  const pots = [
    ["view 4", [[12, 2]]],
    ["view 5", [[13, 1]]],
  ];
  const record = { slots: [[11, 3]], minute: 10, admittedInMinute: 0, pots };
  const handed = { all: () => [{ room: SHOP_ID, record, revoked: [] }] };
  const node = party({ handed, isPot: (group: string) => group === "view 5" });
  const slots = [
    [11, 3],
    [12, 2],
  ];
  expect(node.statement()).toMatchObject({ tables: [{ record: { slots } }] });
});

test("a node that may have lost its last commits may lack gifts", () => {
  expect([party({}).lacksGifts(), party(POWER_LOSS).lacksGifts()]).toEqual([false, true]);
});

test.each<[string, object]>([
  ["whose time or disk is not in order", { isInOrder: () => false }],
  ["that may not act", { members: () => ({ mayAct: () => false }) }],
  ["that holds a room", HELD],
])("an heir %s hears nobody", (_, change) => {
  expect([party({}).mayHear(), party(change).mayHear()]).toEqual([true, false]);
});

test("slots that are held for longer than any session can last are refused: until the longest session and a minute from now", () => {
  const problemOf = (lastGood: number) => {
    const tables = [{ room: "shop", record: { slots: [[lastGood, 1]], minute: 10, admittedInMinute: 0 }, revoked: [] }];
    return party({}).problemOf({ group: "view 4", tables } as unknown as Testimony);
  };
  expect(problemOf(16)).toBeUndefined();
  expect(problemOf(17)).toBe("it holds slots for longer than any session can last");
});

test("what a site counted at a node that returns, it holds where the room is no member of it any more", () => {
  const taken: unknown[] = [];
  const roomOf = (id: string) => {
    const acceptTestimony = (_: string, { slots }: { slots: number[][] }) => taken.push([id, slots]);
    return [id, { id, room: {}, acceptTestimony }] as const;
  };
  const record = { slots: [[12, 2]], minute: 10, admittedInMinute: 0 };
  const tables = [
    { room: SHOP_ID, record: { ...record, site: SITE_ID }, revoked: [] },
    { room: SITE_ID, record, revoked: [] },
  ];
  const node = party({
    rooms: new Map([roomOf(SHOP_ID), roomOf(SITE_ID)]),
    replica: { netUnits: () => 0 },
    changed() {},
    log() {},
  });
  node.take({ group: "view 4", accounts: [], tables } as unknown as Testimony);
  expect(taken).toEqual([
    [SHOP_ID, [[12, 2]]],
    [
      SITE_ID,
      [
        [12, 2],
        [12, 2],
      ],
    ],
  ]);
});
