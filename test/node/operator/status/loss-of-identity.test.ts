/** What an operator reads of a node whose disk refuses writes, before the others remove it. */

import { expect, test } from "vitest";
import { lossOfIdentity } from "../../../../node/operator/status/warnings.ts";
import type { Peer } from "../../../../node/peer/peer.ts";

function warned(isRefusing: boolean, members: number): string[] {
  const peer = { members: { view: { members: Array(members).fill({}) } } } as unknown as Peer;
  return lossOfIdentity(isRefusing, peer, { leaseMs: 30_000 });
}

test("a disk that refuses writes is a warning of the removal, where others can remove the node", () => {
  expect(warned(true, 3)).toEqual([expect.stringContaining("a little more than a lease (30 s)")]);
  expect(warned(false, 3)).toEqual([]);
  expect(warned(true, 2)).toEqual([]);
});
