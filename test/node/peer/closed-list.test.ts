/** The list of a draw that was closed, fetched by nodes whose rolls differ from it. */

import { describe, expect, test } from "vitest";
import { seededRandom } from "../../../cmd/crowd/random.ts";
import type { NodeId } from "../../../mesh/core/ids.ts";
import { Outbox } from "../../../mesh/core/wire/outbox.ts";
import type { DrawList } from "../../../node/admission/draw/draw-document.ts";
import { ClosedList } from "../../../node/peer/closed-list.ts";
import { DRAW_SHAPES, type DrawMessage } from "../../../node/peer/draw-messages.ts";
import { RollDigest } from "../../../node/peer/roll-digest.ts";

const STEPS = 1_250;
/** A frame holds 1 MiB; an id takes 9 bytes. */
const IDS_IN_A_FRAME = 100_000;

type Said = Extract<DrawMessage, { kind: "list-sums" | "list-ids" }>;

/** A node, its rolls and its disk. */
class Place {
  readonly self: NodeId;
  rolls: readonly number[];
  readonly disk = new Map<string, unknown>();
  outbox = new Outbox<DrawMessage>();
  list: ClosedList;

  constructor(self: string, rolls: readonly number[]) {
    this.self = self as NodeId;
    this.rolls = rolls;
    this.list = this.start();
  }

  start(): ClosedList {
    this.outbox = new Outbox<DrawMessage>();
    const outbox = this.outbox as ConstructorParameters<typeof ClosedList>[0]["outbox"];
    this.list = new ClosedList({ draw: "draw", rolls: { ids: () => this.rolls }, outbox, restored: this.disk });
    return this.list;
  }

  get ids(): number[] {
    return [...new Set(this.list.ids())].sort((one, other) => one - other);
  }
}

interface World {
  readonly places: readonly Place[];
  readonly isLost?: () => boolean;
  readonly sent?: (message: Said) => void;
}

/** One turn of 100 ms: `wanting` look for the list, everybody computes on, and messages arrive. */
function turn(world: World, atMs: number, list: DrawList, wanting: readonly Place[]): void {
  const { places, isLost = () => false, sent = () => undefined } = world;
  for (const place of wanting) {
    const others = places.filter((other) => other !== place).map(({ self }) => self);
    place.list.want(list, others, atMs);
  }
  for (const place of places) for (let part = 0; part < 1_000 && place.list.isBusy; part++) place.list.work(STEPS);
  for (const from of places) {
    const batch = from.outbox.take();
    for (const [key, value] of batch.writes) from.disk.set(key, structuredClone(value));
    for (const { to, message } of batch.sent) {
      const { kind } = message;
      if (kind !== "list-sums" && kind !== "list-ids") continue;
      sent(message);
      expect(DRAW_SHAPES[kind].safeParse({ ...message, draw: "0".repeat(24) }).success).toBe(true);
      if (!isLost()) places.find(({ self }) => self === to)?.list.hear(from.self, message, atMs);
    }
  }
}

function listOf(ids: readonly number[]): DrawList {
  const list = new RollDigest(ids).work(Number.POSITIVE_INFINITY);
  if (list === undefined) throw new Error("unreachable");
  return list;
}

function someIds(count: number, seed: number): number[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => Math.floor(random() * 2 ** 52)).sort((one, other) => one - other);
}

const CLOSED = someIds(2_000, 1);
const LATER = someIds(20, 2);

describe("the list of a draw that was closed", () => {
  test.each([
    ["lacks some", CLOSED.slice(30)],
    ["has some who came after the close", [...CLOSED, ...LATER]],
    ["lacks some and has others", [...CLOSED.slice(5, 900), ...CLOSED.slice(950), ...LATER]],
    ["has nobody", []],
    ["has only others", LATER],
    ["has the same, and some of them twice", [...CLOSED, ...CLOSED.slice(0, 9)]],
  ])("reaches a node that %s, and is there after a restart without the others", (_, rolls) => {
    const [closer, other] = [new Place("a", CLOSED), new Place("b", rolls)];
    const list = listOf(CLOSED);
    for (let atMs = 0; atMs < 5_000; atMs += 100) turn({ places: [closer, other] }, atMs, list, [other]);
    expect(other.list.has(list)).toBe(true);
    expect(other.ids).toEqual(CLOSED);
    other.start();
    for (let atMs = 6_000; atMs < 7_000; atMs += 100) turn({ places: [other] }, atMs, list, [other]);
    expect(other.list.has(list)).toBe(true);
    expect(other.ids).toEqual(CLOSED);
  });

  test.each([1, 2, 3, 4, 5])("comes where half of the messages are lost, from whichever node has it (%i)", (seed) => {
    const random = seededRandom(seed);
    const places = [new Place("a", CLOSED.slice(9)), new Place("b", CLOSED), new Place("c", LATER)];
    const list = listOf(CLOSED);
    const world = { places, isLost: () => random() < 0.5 };
    for (let atMs = 0; atMs < 60_000; atMs += 100) turn(world, atMs, list, places);
    for (const place of places) expect(place.ids).toEqual(CLOSED);
  });

  test("goes from node to node when the one that closed it is gone", () => {
    const places = ["a", "b", "c"].map((self) => new Place(self, self === "a" ? CLOSED : CLOSED.slice(7)));
    const list = listOf(CLOSED);
    const [, b, c] = places;
    for (let atMs = 0; atMs < 3_000; atMs += 100) turn({ places: places.slice(0, 2) }, atMs, list, places.slice(1, 2));
    for (let atMs = 3_000; atMs < 6_000; atMs += 100) turn({ places: places.slice(1) }, atMs, list, places.slice(1));
    expect(b?.ids).toEqual(CLOSED);
    expect(c?.ids).toEqual(CLOSED);
  });

  test("comes from the next node where the likeliest one never answers, as one of an older release", () => {
    const [closer, other] = [new Place("a", CLOSED), new Place("b", LATER)];
    const list = listOf(CLOSED);
    for (let atMs = 0; atMs < 5_000; atMs += 100) {
      other.list.want(list, ["x" as NodeId, closer.self], atMs);
      turn({ places: [closer, other] }, atMs, list, []);
    }
    expect(other.ids).toEqual(CLOSED);
  });

  test("is nowhere when all others have said that they do not have it, and is looked for again later", () => {
    const places = ["a", "b", "c"].map((self) => new Place(self, CLOSED.slice(7)));
    const [a, b] = places;
    const list = listOf(CLOSED);
    const others = places.slice(1).map(({ self }) => self);
    for (let atMs = 0; atMs < 2_000; atMs += 100) turn({ places }, atMs, list, places.slice(0, 1));
    expect(a?.list.isNowhere(others, 2_000)).toBe(true);
    expect(a?.list.has(list)).toBe(false);
    expect(a?.ids).toEqual(CLOSED.slice(7));
    // The one that closed it is started again.
    if (b !== undefined) b.rolls = CLOSED;
    b?.start();
    for (let atMs = 10_000; atMs < 13_000; atMs += 100) turn({ places }, atMs, list, places.slice(0, 1));
    expect(a?.ids).toEqual(CLOSED);
  });

  test("is not spoilt by a node that was not asked, or says something else", () => {
    const [a, b, c] = [new Place("a", CLOSED.slice(7)), new Place("b", CLOSED), new Place("c", [])];
    const list = listOf(CLOSED);
    const all = Array.from({ length: 1_024 }, (_, part) => part);
    const lie = { kind: "list-ids", draw: "draw", list: list.digest, isHere: true, parts: all, isLast: true } as const;
    const places = [a, b, c];
    for (let atMs = 0; atMs < 3_000; atMs += 100) {
      turn({ places }, atMs, list, [a]);
      a.list.hear(c.self, { ...lie, ids: LATER }, atMs);
    }
    expect(a.ids).toEqual(CLOSED);
  });

  test("comes from the next node where the likeliest one answers without an end", () => {
    const [closer, other] = [new Place("a", CLOSED), new Place("b", LATER)];
    const list = listOf(CLOSED);
    const endless = { kind: "list-ids", draw: "draw", isHere: true, parts: [0], isLast: false } as const;
    const liar = "x" as NodeId;
    for (let atMs = 0; atMs < 20_000; atMs += 100) {
      other.list.want(list, [liar, closer.self], atMs);
      turn({ places: [closer, other] }, atMs, list, []);
      other.list.hear(liar, { ...endless, list: list.digest, ids: [atMs] }, atMs);
    }
    expect(other.ids).toEqual(CLOSED);
  });

  test.each([
    ["a part that there is not", { parts: [1_024] }],
    ["a part far beyond", { parts: [4_294_967_294] }],
    ["an id that there is not", { ids: [2 ** 52] }],
  ])("takes no message with %s", (_, change) => {
    const sound = { kind: "list-ids", draw: "0".repeat(24), list: "0".repeat(64), isHere: true, isLast: true };
    const read = (message: object) => DRAW_SHAPES["list-ids"].safeParse(message).success;
    expect(read({ ...sound, parts: [1_023], ids: [2 ** 52 - 1] })).toBe(true);
    expect(read({ ...sound, parts: [], ids: [], ...change })).toBe(false);
  });

  test("of 120,000 is sent in small messages, a limited part for each question", () => {
    const many = someIds(120_000, 3);
    const [closer, other] = [new Place("a", many), new Place("b", [])];
    const list = listOf(many);
    const perQuestion: number[] = [];
    const sent = (message: Said) => {
      if (message.kind === "list-sums") perQuestion.push(0);
      else perQuestion.push((perQuestion.pop() ?? 0) + message.ids.length);
      if (message.kind === "list-ids") expect(message.ids.length).toBeLessThan(IDS_IN_A_FRAME / 10);
    };
    for (let atMs = 0; atMs < 5_000; atMs += 100) turn({ places: [closer, other], sent }, atMs, list, [other]);
    expect(other.list.has(list)).toBe(true);
    expect(Math.max(...perQuestion)).toBeLessThan(51_000);
    expect(perQuestion.length).toBeGreaterThan(2);
    // So many are not put on the disk: they are fetched again when they are needed.
    expect(other.disk.size).toBe(0);
  });

  test("is given up from memory when nobody needs it, and computed again for the next one who does", () => {
    const [closer, other] = [new Place("a", CLOSED), new Place("b", [])];
    const list = listOf(CLOSED);
    for (let atMs = 0; atMs < 3_000; atMs += 100) turn({ places: [closer, other] }, atMs, list, [other]);
    for (const { list: each } of [closer, other]) each.rest(60_000);
    expect([closer.list.isBusy, other.list.isBusy]).toEqual([false, false]);
    const third = new Place("c", []);
    for (let atMs = 61_000; atMs < 64_000; atMs += 100) turn({ places: [closer, third] }, atMs, list, [third]);
    expect(third.ids).toEqual(CLOSED);
  });
});
