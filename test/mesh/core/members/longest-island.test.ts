import { describe, expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import type { Instant } from "../../../../mesh/core/instant.ts";
import {
  ISLAND_MS,
  ISLAND_MS_BEFORE,
  islandKept,
  LongestIsland,
} from "../../../../mesh/core/members/longest-island.ts";
import { Outbox } from "../../../../mesh/core/wire/outbox.ts";
import { following } from "./following.ts";

const BERT = "bert" as NodeId;
const MINUTE_MS = 60_000;
const LONG_MS = 600_000;
/** From the last moment at which a node had the long one until it extends nothing, with two minutes more. */
const LASTS_MS = 30_000 + LONG_MS + 2 * MINUTE_MS;

function at(ms: number): Instant {
  return { wallMs: 1_000_000_000 + ms, steadyMs: ms };
}

function open(islandMs: number, restored: ReadonlyMap<string, unknown> = new Map(), takesOn = false) {
  const outbox = new Outbox();
  const times = { minuteMs: MINUTE_MS, leaseMs: 30_000 };
  const islands = new LongestIsland({ ...times, islandMs, takesOn, restored, outbox, now: at(0) });
  const disk = () => new Map([...restored, ...outbox.take().writes]);
  return { islands, outbox, disk };
}

describe("the island time of a data directory", () => {
  test("is none of one that was in no mesh, and ten minutes of one of an earlier version", () => {
    expect(islandKept(new Map())).toBeUndefined();
    expect(islandKept(new Map([["members/view", {}]]))).toBe(ISLAND_MS_BEFORE);
  });

  test("is kept, forced to the disk", () => {
    const { outbox } = open(LONG_MS);
    const { isVote, writes } = outbox.take();
    expect([isVote, islandKept(writes)]).toEqual([true, LONG_MS]);
  });

  test("is what the first member has that is met, where nobody has named one", () => {
    const { islands, disk } = open(ISLAND_MS, new Map(), true);
    islands.meet(LONG_MS, at(0));
    islands.meet(1, at(0));
    expect([islands.ownMs, islandKept(disk())]).toEqual([LONG_MS, LONG_MS]);
  });

  test("is not another member's where it was named, was kept, or the node is a member", () => {
    const named = open(ISLAND_MS).islands;
    const kept = open(ISLAND_MS, open(ISLAND_MS).disk(), true).islands;
    const member = open(ISLAND_MS, new Map(), true).islands;
    member.settle();
    for (const islands of [named, kept, member]) {
      islands.meet(LONG_MS, at(0));
      expect(islands.ownMs).toBe(ISLAND_MS);
    }
  });
});

describe("the longest island time that may apply", () => {
  test("is the own one, and that of a member that has a longer one", () => {
    const { islands } = open(ISLAND_MS);
    expect(islands.longestMs(at(0))).toBe(ISLAND_MS);
    islands.heard(BERT, { islandMs: LONG_MS }, at(0));
    expect([islands.longestMs(at(0)), islands.others]).toEqual([LONG_MS, [[BERT, LONG_MS]]]);
    islands.heard(BERT, {}, at(0));
    expect(islands.others).toEqual([]);
  });

  test("is that of a member whose lease may rest on the answer, also after a restart and a loss of power", () => {
    const { islands, outbox } = open(ISLAND_MS);
    const first = outbox.take().writes;
    islands.heard(BERT, { islandMs: LONG_MS }, at(0));
    const { isVote, writes } = outbox.take();
    const again = open(ISLAND_MS, new Map([...first, ...writes])).islands;
    expect([isVote, again.longestMs(at(LASTS_MS - 1)), again.longestMs(at(LASTS_MS))]).toEqual([
      true,
      LONG_MS,
      ISLAND_MS,
    ]);
  });

  test("is what this node itself had before, until it is over, and while a member was not heard", () => {
    const { islands } = open(ISLAND_MS, open(LONG_MS).disk());
    expect([islands.longestMs(at(LASTS_MS - 1)), islands.longestMs(at(LASTS_MS))]).toEqual([LONG_MS, ISLAND_MS]);
    const waiting = open(ISLAND_MS, open(LONG_MS).disk()).islands;
    for (let ms = 0; ms <= 3 * LASTS_MS; ms += MINUTE_MS) waiting.tick(following(BERT), at(ms));
    expect(waiting.longestMs(at(3 * LASTS_MS))).toBe(LONG_MS);
  });

  test("is known to one that joined since", () => {
    const { islands } = open(ISLAND_MS);
    islands.heard(BERT, open(ISLAND_MS, open(LONG_MS).disk()).islands.word(at(MINUTE_MS)), at(MINUTE_MS));
    expect([islands.longestMs(at(LASTS_MS - 1)), islands.longestMs(at(LASTS_MS))]).toEqual([LONG_MS, ISLAND_MS]);
  });

  test("is not put off by a view that says what is known", () => {
    const { islands } = open(ISLAND_MS, open(LONG_MS).disk());
    islands.mayLast(LONG_MS, at(LASTS_MS - 1));
    expect(islands.longestMs(at(LASTS_MS))).toBe(ISLAND_MS);
    islands.mayLast(LONG_MS, at(LASTS_MS));
    expect(islands.longestMs(at(2 * LASTS_MS - 1))).toBe(LONG_MS);
  });
});
