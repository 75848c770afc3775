import { describe, expect, test } from "vitest";
import type { NodeId } from "../../mesh/core/ids.ts";
import { type Link, ServingLinks } from "../../mesh/serving-links.ts";
import { HELLO } from "../contract/transport.ts";

const PEER = "peer" as NodeId;

describe("which connection serves a peer", () => {
  test("the only one, until it ends", () => {
    const { events, serving, up } = open();
    const link = up({ rank: 1 });
    expect([events, [...serving.peers], serving.of(PEER) === link]).toEqual([["up"], [PEER], true]);
    serving.closed(link);
    expect([events, [...serving.peers], serving.of(PEER)]).toEqual([["up", "down"], [], undefined]);
  });

  test("the newest one; nothing is reported, and the end of the older one is no news", () => {
    const { events, serving, up } = open();
    const older = up({ rank: 1 });
    const newer = up({ rank: 2 });
    serving.closed(older);
    expect([events, serving.of(PEER) === newer]).toEqual([["up"], true]);
  });

  test("not one that the opener ranked lower, though it came up here later", () => {
    const { events, serving, up } = open();
    const higher = up({ rank: 2 });
    const lower = up({ rank: 1 });
    expect([events, serving.of(PEER) === higher, lower.isClosed, higher.isClosed]).toEqual([["up"], true, true, false]);
  });

  test("the replaced one is ended at once where the peer is the opener, and later where we are", () => {
    const there = open();
    const older = there.up({ rank: 1, isOpener: false });
    there.up({ rank: 2, isOpener: false });
    expect(older.isClosed).toBe(true);

    const here = open();
    const first = here.up({ rank: 1, isOpener: true });
    here.up({ rank: 2, isOpener: true });
    here.serving.tick();
    expect(first.isClosed).toBe(false);
    here.pass(5_000);
    here.serving.tick();
    expect(first.isClosed).toBe(true);
  });

  test("another process at the other end: the peer is down and up again, whatever its rank", () => {
    const { events, serving, up } = open();
    up({ rank: 7, incarnation: 1 });
    const newer = up({ rank: 1, incarnation: 2 });
    expect([events, serving.of(PEER) === newer]).toEqual([["up", "down", "up"], true]);
  });

  test("an older process learns that there is a later one: both may run", () => {
    const { up } = open();
    const older = up({ rank: 7, incarnation: 1 });
    up({ rank: 1, incarnation: 2 });
    expect(older.refusal).toContain("a later process");
  });
});

function open() {
  let nowMs = 0;
  const events: string[] = [];
  const serving = new ServingLinks<FakeLink>(() => nowMs, {
    up: () => events.push("up"),
    down: () => events.push("down"),
  });
  const up = (parts: { rank: number; isOpener?: boolean; incarnation?: number }) => {
    const link = new FakeLink({ isOpener: true, incarnation: 1, ...parts });
    serving.up(link, link.hello);
    return link;
  };
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { events, serving, up, pass };
}

class FakeLink implements Link {
  readonly peer = PEER;
  readonly isOpener: boolean;
  readonly rank: number;
  readonly hello;
  isClosed = false;
  refusal = "";
  constructor({ isOpener, rank, incarnation }: { isOpener: boolean; rank: number; incarnation: number }) {
    this.isOpener = isOpener;
    this.rank = rank;
    this.hello = { ...HELLO, node: PEER, incarnation };
  }
  close(): void {
    this.isClosed = true;
  }
  refuse(reason: string): void {
    this.refusal = reason;
  }
}
