/**
 * The draw of an event at several nodes that are cut off, lose messages, die and start again: one seed, whatever
 * happens.
 */

import { describe, expect, test } from "vitest";
import { seededRandom } from "../../../cmd/crowd/random.ts";
import type { NodeId } from "../../../mesh/core/ids.ts";
import type { DrawList } from "../../../node/admission/draw/draw-document.ts";
import { commitmentOf, seedOf } from "../../../node/admission/draw/draw-seed.ts";
import type { DrawPlan } from "../../../node/admission/draw/room-draws.ts";
import type { Notary } from "../../../node/notary.ts";
import { Draw, SETTLE_MS } from "../../../node/peer/draw.ts";
import type { StoredDraw } from "../../../node/peer/draw-messages.ts";

const START = 1_800_000_000_000;
const PLAN: DrawPlan = {
  ...{ room: "0vQb1sW3vZlJrE8k", name: "shop", event: "sale", announced: "" },
  ...{ prequeueMs: START - 60_000, startMs: START, endMs: START + 3_600_000 },
};
const LIST = { count: 3, digest: "0".repeat(64) };
/** Whose text was changed does not matter here: states are passed on whole. */
const NOTARY: Notary = { sign: () => "signed", verify: () => true, digest: (text) => text };

/** A node, its disk, and what it believes of the mesh. */
class Place {
  readonly self: NodeId;
  draw: Draw | undefined;
  stored: StoredDraw | undefined;
  view: readonly NodeId[];
  /** Members without a vote. */
  readonly voteless = new Set<NodeId>();
  silent: ReadonlySet<NodeId> = new Set();
  /** Who is drawn, as this node would close the list. */
  list: DrawList;
  readonly #plan: DrawPlan;
  #starts = 0;

  constructor(self: string, view: readonly string[], list: DrawList = LIST, plan = PLAN) {
    this.list = list;
    this.self = self as NodeId;
    this.view = view as readonly NodeId[];
    this.#plan = plan;
    this.start();
  }

  start(): void {
    this.#starts += 1;
    const place = this;
    this.draw = new Draw(
      this.#plan,
      {
        ...{ self: this.self, mesh: "mesh", incarnation: this.#starts, notary: NOTARY },
        members: {
          get voters() {
            return place.view.filter((node) => !place.voteless.has(node));
          },
          isMember: (node) => this.view.includes(node),
          isAnswering: (node) => !this.silent.has(node),
        },
        newSecret: () => commitmentOf(`${this.self} ${this.#starts}`),
        store: (stored) => {
          this.stored = structuredClone(stored) as StoredDraw;
        },
        list: () => this.list,
      },
      this.stored,
    );
  }
}

/** Everybody says everything to whom it reaches. */
function talk(
  places: readonly Place[],
  at: number | ((place: Place) => number),
  reaches = (_from: Place, _to: Place) => true,
): void {
  const timeOf = (place: Place) => {
    const atMs = typeof at === "number" ? at : at(place);
    return { roomMs: atMs, steadyMs: atMs };
  };
  for (const from of places) {
    from.draw?.tick(timeOf(from));
    for (const to of places)
      if (from !== to && from.draw !== undefined && to.draw !== undefined && reaches(from, to))
        for (const { text } of from.draw.states.values()) if (to.draw.hear(text)) to.draw.tick(timeOf(to));
  }
}

function trio(plan = PLAN): Place[] {
  const names = ["a", "b", "c"];
  return names.map((name) => new Place(name, names, LIST, plan));
}

const seeds = (places: readonly Place[]) => places.map(({ draw }) => draw?.seed);

describe("a draw", () => {
  test("has one seed within moments of the start, made of all secrets, and none before", () => {
    const places = trio();
    for (let atMs = START - 50_000; atMs < START; atMs += 5_000) talk(places, atMs);
    expect(seeds(places)).toEqual([undefined, undefined, undefined]);
    talk(places, START);
    // The list is not closed yet.
    talk(places, START + SETTLE_MS / 2);
    const said = places.flatMap(({ draw }) => [...(draw?.states.values() ?? [])]);
    expect(said.filter(({ text }) => text.includes('"secret"'))).toEqual([]);
    for (let turn = 0; turn < 5; turn++) talk(places, START + SETTLE_MS);
    const [seed] = seeds(places);
    expect(seeds(places)).toEqual([seed, seed, seed]);
    const outcome = places[0]?.draw?.outcome;
    expect(outcome?.secrets.map(([node]) => node)).toEqual(["a", "b", "c"]);
    expect(seed).toBe(seedOf({ ...PLAN, mesh: "mesh" }, outcome?.secrets ?? [], ""));
    expect(outcome?.list).toEqual(LIST);
  });

  test("closes the list only after the start of every voter that answers, however far clocks are apart", () => {
    const places = trio();
    const [, ...others] = places;
    /** Node a is the first voter, and its clock is ahead. */
    const closedMs = (aheadMs: number): number | undefined => {
      for (let atMs = START - 10_000; atMs < START + 20_000; atMs += 100) {
        talk(places, (place) => (place.self === "a" ? atMs + aheadMs : atMs));
        if (places.some(({ stored }) => stored?.state.closed !== undefined)) return atMs;
      }
      return undefined;
    };
    expect(closedMs(3_000)).toBeGreaterThanOrEqual(START + SETTLE_MS);
    expect(others.map(({ stored }) => stored?.state.knew)).toEqual([
      ["a", "b", "c"],
      ["a", "b", "c"],
    ]);
  });

  test("waits for a node that died after its commitment until a view removes it, and leaves its secret out", () => {
    const places = trio();
    talk(places, START - 10_000);
    talk(places, START - 9_000);
    const left = places.slice(0, 2);
    for (const place of left) place.silent = new Set(["c" as NodeId]);
    for (let atMs = START; atMs < START + 30_000; atMs += 500) talk(left, atMs);
    expect(seeds(left)).toEqual([undefined, undefined]);
    for (const place of left) place.view = ["a", "b"] as NodeId[];
    for (let turn = 0; turn < 5; turn++) talk(left, START + 31_000);
    expect(left[0]?.draw?.outcome?.secrets.map(([node]) => node)).toEqual(["a", "b"]);
    expect(left[0]?.draw?.commitments).toHaveLength(3);
    expect(new Set(seeds(left)).size).toBe(1);
  });

  test("has the secret of a member that lost its vote after its commitment, and stayed", () => {
    const places = trio();
    talk(places, START - 30_000);
    for (const { voteless } of places) voteless.add("b" as NodeId);
    for (let atMs = START; atMs <= START + 10 * SETTLE_MS; atMs += 500) talk(places, atMs);
    const outcomes = places.map(({ draw }) => draw?.outcome);
    expect(outcomes[0]?.secrets.map(([node]) => node)).toEqual(["a", "b", "c"]);
    expect(outcomes).toEqual(Array(3).fill(outcomes[0]));
  });

  test("does not count a secret whose commitment came after the start", () => {
    const places = trio();
    const isLate = (_: Place, to: Place) => to.self !== "c";
    // Node c speaks with nobody before the start.
    for (let atMs = START - 10_000; atMs < START; atMs += 1_000) talk(places.slice(0, 2), atMs, isLate);
    for (let atMs = START; atMs < START + 10_000; atMs += 500) talk(places, atMs);
    expect(places[0]?.draw?.outcome?.secrets.map(([node]) => node)).toEqual(["a", "b"]);
    expect(new Set(seeds(places)).size).toBe(1);
  });

  test("waits for the public value that was announced, and uses it once", () => {
    const places = trio({ ...PLAN, announced: "numbers of the lottery" });
    for (let atMs = START - 10_000; atMs < START + 20_000; atMs += 500) talk(places, atMs);
    expect(seeds(places)).toEqual([undefined, undefined, undefined]);
    expect(places[1]?.draw?.isWaitingForValue(START)).toBe(true);
    places[1]?.draw?.give("3 14 15");
    for (let turn = 0; turn < 6; turn++) talk(places, START + 21_000);
    expect(places.map(({ draw }) => draw?.outcome?.value)).toEqual(["3 14 15", "3 14 15", "3 14 15"]);
  });

  test("goes on from the disk after every node was killed in the midst of it", () => {
    const places = trio();
    talk(places, START - 10_000);
    talk(places, START - 9_000);
    const committed = places.map(({ stored }) => stored?.secret);
    for (const place of places) place.start();
    for (let atMs = START; atMs < START + 20_000; atMs += 500) {
      talk(places, atMs);
      for (const place of places) if (atMs === START + 1_000) place.start();
    }
    expect(places[0]?.draw?.outcome?.secrets.map(([, secret]) => secret)).toEqual(committed);
    expect(new Set(seeds(places)).size).toBe(1);
  });

  test("has the seed that one node decided before it was cut off, whatever list the others would close", () => {
    const places = proposed(trio());
    const [a, b, c] = places;
    hearAll(places, accept);
    say(b, a);
    say(c, a);
    expect(a?.draw?.outcome?.list).toEqual(a?.list);
    // Neither knows that the other has accepted it.
    for (const place of [b, c]) if (place !== undefined) place.view = ["b", "c"] as NodeId[];
    for (let atMs = LATER; atMs < LATER + 10_000; atMs += 500) talk([b, c].filter(isPlace), atMs);
    expect(new Set(seeds(places)).size).toBe(1);
  });

  test("is not decided by a node whose outcome nobody has accepted", () => {
    const places = proposed(trio());
    const [a, b, c] = places;
    expect(a?.stored?.state.accepted).toBeDefined();
    expect(a?.draw?.outcome).toBeUndefined();
    // One voter of two others is not enough.
    say(a, b);
    say(b, a);
    expect(seeds(places)).toEqual([undefined, undefined, undefined]);
    if (c !== undefined) c.silent = new Set(["b" as NodeId]);
    for (const place of [b, c]) if (place !== undefined) place.view = ["b", "c"] as NodeId[];
    for (let atMs = LATER; atMs < LATER + 10_000; atMs += 500) talk([b, c].filter(isPlace), atMs);
    expect(c?.draw?.outcome?.list).toEqual(a?.list);
    expect(b?.draw?.seed).toBe(c?.draw?.seed);
  });

  test("has one seed where a voter that has just become one proposes, and had not heard of the decision", () => {
    const places = ["a", "b", "c", "d"].map((name) => new Place(name, ["a", "b", "c"], ownList(name)));
    const [a, b, c, d] = places;
    proposed(places);
    hearAll(places.slice(0, 3), accept);
    say(b, a);
    say(c, a);
    expect(a?.draw?.seed).toBeDefined();
    const left = [b, c, d].filter(isPlace);
    for (const place of left) place.view = ["b", "c", "d"] as NodeId[];
    // It takes the others for dead, and hears of them only when they answer what it proposes.
    if (d !== undefined) d.silent = new Set(["b", "c"] as NodeId[]);
    let hasProposed = false;
    for (let atMs = LATER; atMs < LATER + 10_000; atMs += 500) {
      d?.draw?.tick({ roomMs: atMs, steadyMs: atMs });
      hasProposed ||= d?.stored?.state.promised?.[2] === "d";
      if (hasProposed) talk(left, atMs);
    }
    expect(hasProposed).toBe(true);
    expect(new Set(seeds(places)).size).toBe(1);
  });

  test("has the seed that removed voters had accepted, where a node that is left has heard of it", () => {
    const names = ["a", "b", "c", "d", "e", "f"];
    const places = names.map((name) => new Place(name, ["a", "b", "c"], ownList(name)));
    proposed(places);
    const [a, b, c, d] = places;
    hearAll(places.slice(0, 3), accept);
    say(b, d);
    say(b, a);
    say(c, a);
    expect(a?.draw?.seed).toBeDefined();
    const left = places.slice(3);
    for (const place of left) place.view = ["d", "e", "f"] as NodeId[];
    for (let atMs = LATER; atMs < LATER + 10_000; atMs += 500) talk(left, atMs);
    expect(new Set(seeds([...left, ...places.slice(0, 1)])).size).toBe(1);
  });

  test("has the seed of before two removals in a row, though only one voter of then is left", () => {
    const places = ["a", "b", "c", "d", "e"].map((name) => new Place(name, ["a", "b", "c"], ownList(name)));
    proposed(places);
    const [a, b, c, d, e] = places;
    hearAll(places.slice(0, 3), accept);
    say(b, a);
    say(c, a);
    expect(a?.draw?.seed).toBeDefined();
    // Nodes a and b are lost with all that they knew; c has not heard that it is decided.
    const left = [c, d, e].filter(isPlace);
    for (const view of [
      ["b", "c", "d"],
      ["c", "d", "e"],
    ])
      for (const place of left) place.view = view as NodeId[];
    for (let atMs = LATER; atMs < LATER + 10_000; atMs += 500) talk(left, atMs);
    expect(left.map(({ draw }) => draw?.seed)).toEqual([a, a, a].map((place) => place?.draw?.seed));
  });

  test("a removed voter that comes back decides nothing by its old view", () => {
    const places = ["a", "b", "c", "d"].map((name) => new Place(name, ["a", "b", "c"], ownList(name)));
    const [a, b, c, d] = places;
    // The first node, a, has proposed to all, and is removed before another one has accepted.
    proposed(places);
    const left = [b, c, d].filter(isPlace);
    for (const place of left) place.view = ["b", "c", "d"] as NodeId[];
    for (let atMs = LATER; atMs < LATER + 10_000; atMs += 500) talk(left, atMs);
    const decided = b?.draw?.seed;
    expect(decided).toBeDefined();
    a?.start();
    // By its own view it is still the first voter; nobody tells it anything for a while.
    for (let atMs = LATER + 10_000; atMs < LATER + 20_000; atMs += 500) talk(places, atMs, (from) => from.self === "a");
    expect(a?.draw?.seed).toBeUndefined();
    // It is a member again, the newest one.
    for (const place of places) place.view = ["b", "c", "d"] as NodeId[];
    talk(places, LATER + 21_000);
    talk(places, LATER + 22_000);
    expect(seeds(places)).toEqual([decided, decided, decided, decided]);
  });

  test.each(["promised", "accepted"] as const)("has one seed when the view changes after voters have %s", (step) => {
    const places = ["a", "b", "c", "d"].map((name) => new Place(name, ["a", "b", "c"], ownList(name)));
    const [a, b, c, d] = places;
    proposed(places);
    if (step === "accepted") say(a, b);
    // Node c is removed; b and d hear of that before a, which would count by the view of before.
    for (const place of [b, d]) if (place !== undefined) place.view = ["a", "b", "d"] as NodeId[];
    for (const place of [b, d]) say(place, a);
    expect(a?.draw?.seed).toBeUndefined();
    if (a !== undefined) a.view = ["a", "b", "d"] as NodeId[];
    const left = [a, b, d].filter(isPlace);
    for (let atMs = LATER; atMs < LATER + 10_000; atMs += 500) talk(left, atMs);
    expect(left.map(({ draw }) => draw?.outcome?.list)).toEqual([a?.list, a?.list, a?.list]);
    // What c proposes by the view of before gets no second promise.
    if (c !== undefined) c.silent = new Set(["a", "b"] as NodeId[]);
    for (let atMs = LATER + 10_000; atMs < LATER + 20_000; atMs += 500) talk(places, atMs, (from) => from.self === "c");
    expect(c?.draw?.seed).toBeUndefined();
  });

  test("a node that came after the outcome learns the commitments of removed voters too, for the file", () => {
    const places = trio();
    for (let atMs = START - 5_000; atMs < START; atMs += 500) talk(places, atMs);
    // Node a dies after its commitment, and is removed.
    const late = new Place("d", ["b", "c"]);
    const [, b] = places;
    for (const place of places) place.view = ["b", "c"] as NodeId[];
    for (let atMs = START; atMs < START + 5_000; atMs += 500) talk(places.slice(1), atMs);
    talk([...places.slice(1), late], START + 20_000);
    expect(late.draw?.seed).toBe(b?.draw?.seed);
    talk([...places.slice(1), late], START + 21_000);
    expect(late.draw?.commitments).toHaveLength(3);
    expect([...(late.draw?.commitments ?? [])].sort()).toEqual([...(b?.draw?.commitments ?? [])].sort());
  });

  test("a node that was started again accepts nothing that it had promised not to", () => {
    const places = proposed(trio());
    const [a, b, c] = places;
    // Node b proposes by a higher ballot, and c promises that one.
    for (const place of [b, c]) if (place !== undefined) place.silent = new Set(["a" as NodeId]);
    for (const atMs of [CLOSED, LATER]) b?.draw?.tick({ roomMs: atMs, steadyMs: atMs });
    say(b, c);
    expect(c?.stored?.state.promised?.[2]).toBe("b");
    c?.start();
    say(a, c);
    expect(c?.stored?.state.accepted).toBeUndefined();
    // The same for the one that proposes.
    b?.start();
    say(a, b);
    expect(b?.stored?.state.accepted).toBeUndefined();
    for (const place of places) place.silent = new Set();
    for (let atMs = LATER; atMs < LATER + 10_000; atMs += 500) talk(places, atMs);
    expect(new Set(seeds(places)).size).toBe(1);
    expect(seeds(places)).not.toContain(undefined);
  });

  test.each(Array.from({ length: 40 }, (_, seed) => seed))("has at most one seed, whatever happens (%i)", (seed) => {
    const random = seededRandom(seed);
    const names = ["a", "b", "c", "d", "e", "f"].slice(0, 2 + Math.floor(random() * 5));
    const voters = 2 + Math.floor(random() * 3);
    const places = names.map((name) => new Place(name, names.slice(0, voters), ownList(name)));
    const found = new Set<string>();
    // Voters are the longest-standing members. Views follow each other, and any two have a voter in common.
    const views = [names];
    const held = new Map(names.map((name) => [name, 0]));
    let cut: ReadonlySet<string> | undefined;
    for (let atMs = START - 5_000; atMs < START + 25_000; atMs += 500) {
      if (random() < 0.2) cut = random() < 0.6 ? new Set(names.filter(() => random() < 0.5)) : undefined;
      const loss = random() * 0.6;
      const reaches = (from: Place, to: Place) =>
        random() >= loss && (cut === undefined || cut.has(from.self) === cut.has(to.self));
      // Each believes of the others what it likes.
      for (const place of places)
        place.silent = new Set(place.view.filter((node) => node !== place.self && random() < 0.3));
      for (const place of places) if (random() < 0.02) place.start();
      const members = views.at(-1) ?? [];
      if (atMs >= START && random() < 0.1 && members.length > 2 && views.length < voters)
        views.push(members.filter((name) => name !== members[Math.floor(random() * voters)]));
      // The nodes hear of a view one after the other; those who were removed never do.
      for (const place of places) {
        const next = (held.get(place.self) ?? 0) + 1;
        if (views[next]?.includes(place.self) !== true || random() >= 0.3) continue;
        held.set(place.self, next);
        place.view = (views[next] ?? []).slice(0, voters) as NodeId[];
      }
      talk(places, atMs, reaches);
      for (const { draw } of places) if (draw?.outcome !== undefined) found.add(JSON.stringify(draw.outcome));
    }
    expect(found.size).toBeLessThanOrEqual(1);
  });
});

const CLOSED = START + SETTLE_MS;
const LATER = CLOSED + 5_000;

function isPlace(place: Place | undefined): place is Place {
  return place !== undefined;
}

/** One node says all it knows to another. */
function say(from: Place | undefined, to: Place | undefined, atMs = CLOSED): void {
  for (const { text } of from?.draw?.states.values() ?? []) to?.draw?.hear(text);
  to?.draw?.tick({ roomMs: atMs, steadyMs: atMs });
}

/** The first of them speaks with each other one. */
const ask = (first: Place | undefined, other: Place) => {
  say(first, other);
  say(other, first);
};
const accept = (first: Place | undefined, other: Place) => say(first, other);

function hearAll([first, ...others]: readonly Place[], talkWith: typeof ask): void {
  for (const other of others) talkWith(first, other);
}

/** Up to where the first node has proposed an outcome, which it alone has accepted. Each would propose another list. */
function proposed(places: readonly Place[]): readonly Place[] {
  for (const place of places) place.list = ownList(place.self);
  for (let atMs = START - 3_000; atMs < CLOSED; atMs += 500) talk(places, atMs);
  const [first] = places;
  first?.draw?.tick({ roomMs: CLOSED, steadyMs: CLOSED });
  for (let turn = 0; turn < 3 && first?.stored?.state.accepted === undefined; turn++) hearAll(places, ask);
  expect(first?.stored?.state.accepted).toBeDefined();
  return places;
}

function ownList(name: string): DrawList {
  return { count: 3, digest: commitmentOf(name) };
}
