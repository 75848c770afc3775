/** What an operator reads of a draw that waits, and of a disk that refuses writes before the others remove its node. */

import { expect, test } from "vitest";
import { drawWarnings, lossOfIdentity } from "../../../../node/operator/status/warnings.ts";
import type { Peer } from "../../../../node/peer/peer.ts";
import { GateWorld, MINUTE_MS, SHOP, START_MS } from "../../gate/gate-world.ts";

const SALE_MS = START_MS + 10 * MINUTE_MS;
const sale = {
  ...{ name: "sale", shuffle_at_event_start: true, draw: true },
  prequeue_start_time: new Date(SALE_MS - 5 * MINUTE_MS).toISOString(),
  event_start_time: new Date(SALE_MS).toISOString(),
  event_end_time: new Date(SALE_MS + MINUTE_MS).toISOString(),
};

test("a draw whose value is not given is a warning from 5 s after the start to the end of the event", () => {
  const world = new GateWorld({ rooms: [{ ...SHOP, events: [{ ...sale, draw_public_value: "a lottery" }] }] });
  const warned = (roomMs: number) => drawWarnings(world.rooms, { roomMs });
  expect(warned(SALE_MS + 4_999)).toEqual([]);
  expect(warned(SALE_MS + 5_000)).toEqual([
    "the draw of event sale of room shop is not made, and its visitors wait: give the public value (a lottery) with: anteroom draw value shop VALUE",
  ]);
  expect(warned(SALE_MS + MINUTE_MS)).toEqual([]);
  const live = world.rooms.byName("shop");
  const [draw] = live?.draws ?? [];
  if (live === undefined || draw === undefined) throw new Error("Broken: the room has a draw");
  world.rooms.giveDrawValue(live, draw, "7");
  expect(warned(SALE_MS + 5_000)).toEqual([]);
});

test("a draw without a public value waits for nothing", () => {
  const world = new GateWorld({ rooms: [{ ...SHOP, events: [sale] }] });
  expect(drawWarnings(world.rooms, { roomMs: SALE_MS + 5_000 })).toEqual([]);
});

test("a disk that refuses writes is a warning of the removal, where others can remove the node", () => {
  const warned = (isRefusing: boolean, members: number): string[] => {
    const peer = { members: { view: { members: Array(members).fill({}) } } } as unknown as Peer;
    return lossOfIdentity(isRefusing, peer, { leaseMs: 30_000 });
  };
  expect(warned(true, 3)).toEqual([expect.stringContaining("a little more than a lease (30 s)")]);
  expect(warned(false, 3)).toEqual([]);
  expect(warned(true, 2)).toEqual([]);
});
