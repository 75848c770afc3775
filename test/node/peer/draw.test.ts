/** The draw of an event at several nodes that are cut off, lose messages, die and start again: one seed, whatever happens. */

import { describe, expect, test } from "vitest";
import { seededRandom } from "../../../cmd/crowd/random.ts";
import type { NodeId } from "../../../mesh/core/ids.ts";
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
  silent: ReadonlySet<NodeId> = new Set();
  /** Who is drawn, as this node would close the list. */
  list = LIST;
  readonly #plan: DrawPlan;
  #starts = 0;

  constructor(self: string, view: readonly string[], plan = PLAN) {
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
            return place.view;
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
function talk(places: readonly Place[], atMs: number, reaches = (_from: Place, _to: Place) => true): void {
  for (const from of places) {
    from.draw?.tick({ roomMs: atMs, steadyMs: atMs });
    for (const to of places)
      if (from !== to && from.draw !== undefined && to.draw !== undefined && reaches(from, to))
        for (const { text } of from.draw.states.values())
          if (to.draw.hear(text)) to.draw.tick({ roomMs: atMs, steadyMs: atMs });
  }
}

function trio(plan = PLAN): Place[] {
  const names = ["a", "b", "c"];
  return names.map((name) => new Place(name, names, plan));
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

  test.each(Array.from({ length: 40 }, (_, seed) => seed))("has at most one seed, whatever happens (%i)", (seed) => {
    const random = seededRandom(seed);
    const names = ["a", "b", "c", "d", "e"].slice(0, 2 + Math.floor(random() * 4));
    const places = names.map((name) => new Place(name, names));
    // Each would propose something else.
    for (const place of places) place.list = { count: 3, digest: commitmentOf(place.self) };
    const found = new Set<string>();
    const gone = new Set<string>();
    for (let atMs = START - 5_000; atMs < START + 20_000; atMs += 500) {
      const cut = random() < 0.3 ? new Set(names.filter(() => random() < 0.5)) : undefined;
      const loss = random() * 0.6;
      const reaches = (from: Place, to: Place) =>
        random() >= loss && (cut === undefined || cut.has(from.self) === cut.has(to.self));
      // Each believes of the others what it likes.
      for (const place of places)
        place.silent = new Set(place.view.filter((node) => node !== place.self && random() < 0.3));
      for (const place of places) if (random() < 0.02) place.start();
      // A view is decided by more than half of the voters before it, who hear of it one after the other.
      const live = places.filter(({ self }) => !gone.has(self));
      if (random() < 0.02 && live.length > 2) {
        const removed = live[Math.floor(random() * live.length)];
        if (removed !== undefined) gone.add(removed.self);
      }
      for (const place of places)
        if (!gone.has(place.self) && random() < 0.3) place.view = place.view.filter((node) => !gone.has(node));
      talk(places, atMs, reaches);
      for (const { draw } of places) if (draw?.outcome !== undefined) found.add(JSON.stringify(draw.outcome));
    }
    expect(found.size).toBeLessThanOrEqual(1);
  });
});
