/** What an operator reads of a draw that waits. */

import { describe, expect, test } from "vitest";
import { drawWarnings } from "../../../../node/operator/status/warnings.ts";
import type { Draw } from "../../../../node/peer/draw.ts";
import type { Peer } from "../../../../node/peer/peer.ts";

const START = 1_800_000_000_000;
const SETTINGS = { leaseMs: 30_000 };

function warned(atMs: number, draw: object, isHeld = true): string[] {
  const plan = { name: "shop", event: "sale", startMs: START, endMs: START + 60_000 };
  const terms = { announced: "numbers of the lottery" };
  const waiting = { plan, terms, missing: [], outcome: undefined, isWaitingForValue: () => false, ...draw };
  const draws = { all: [{ draw: waiting as unknown as Draw }], isHeld: () => isHeld };
  return drawWarnings({ draws, roomMs: atMs } as unknown as Peer, SETTINGS);
}

describe("a draw that waits", () => {
  test("is a warning from 5 s after the start to the end of the event, until it is decided", () => {
    expect(warned(START + 4_999, {})).toEqual([]);
    expect(warned(START + 5_000, {})).toHaveLength(1);
    expect(warned(START + 60_000, {})).toEqual([]);
    expect(warned(START + 5_000, { outcome: {} })).toEqual([]);
  });

  test("is none once its event was changed or deleted", () => {
    expect(warned(START + 5_000, {}, false)).toEqual([]);
  });

  test("names the public value, the nodes, or the agreement that it waits for, and the repair", () => {
    expect(warned(START + 5_000, { isWaitingForValue: () => true, missing: ["c"] })).toEqual([
      "the draw of event sale of room shop is not made, and its visitors wait: give the public value (numbers of the lottery) with: anteroom draw value shop VALUE",
    ]);
    const [nodes = ""] = warned(START + 5_000, { missing: ["c", "d"] });
    expect(nodes).toContain("waits for c, d: until it answers again, or is removed some 35 s after it fell silent");
    expect(nodes).toContain("anteroom event update shop sale draw=false");
    expect(warned(START + 5_000, {})[0]).toContain("the nodes have not agreed yet");
  });
});
