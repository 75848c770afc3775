import { expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import type { Instant } from "../../../../mesh/core/instant.ts";
import { Heartbeats } from "../../../../mesh/core/members/heartbeats.ts";
import { Relays } from "../../../../mesh/core/members/relays.ts";

const [anna, bert, carl, dora, emma] = ["anna", "bert", "carl", "dora", "emma"] as unknown as [
  NodeId,
  NodeId,
  NodeId,
  NodeId,
  NodeId,
];
const NOW: Instant = { wallMs: 1_790_000_000_000, steadyMs: 0 };
const FENCE = { kind: "fence" };

/** Of anna, whom `answering` answer, and who hears gossip of `gossiping`. */
function relaysOf({
  answering = [],
  gossiping = [],
}: {
  answering?: NodeId[];
  gossiping?: NodeId[];
  fenced?: NodeId[];
}): Relays {
  const heartbeats = new Heartbeats(30_000, NOW);
  const others = [bert, carl, dora, emma];
  heartbeats.follow(others, NOW);
  for (const { node, id } of heartbeats.due(NOW, []))
    if (answering.includes(node)) heartbeats.answered(node, { id, wallMs: NOW.wallMs }, NOW);
  for (const node of gossiping) heartbeats.heardGossip(node, NOW);
  return new Relays({ heartbeats, others: () => others });
}

test("a question goes through others, in turn, to a member that is heard by gossip alone", () => {
  const relays = relaysOf({ answering: [bert, carl], gossiping: [bert, dora] });
  const turns = Array.from({ length: 4 }, () => relays.through(dora, FENCE, NOW));
  expect(new Set(turns.flat())).toEqual(new Set([bert, carl]));
  expect(turns.map(({ length }) => length)).toEqual([1, 1, 1, 1]);
});

test.each([
  ["a member that answers", bert, FENCE],
  ["a member of which nothing is heard", emma, FENCE],
  ["a member, about anything but the next view", dora, { kind: "ping" }],
])("nothing goes through others to %s", (_, to, message) => {
  const relays = relaysOf({ answering: [bert, carl], gossiping: [dora] });
  for (let turn = 0; turn < 4; turn++) expect(relays.through(to, message, NOW)).toEqual([]);
});

test("an answer also goes through the member by which the question came", () => {
  const relays = relaysOf({ answering: [bert, carl, emma], gossiping: [dora] });
  relays.noteThrough(carl, dora);
  for (let turn = 0; turn < 3; turn++) expect(relays.through(dora, FENCE, NOW)).toContain(carl);
  relays.begin();
  expect(Array.from({ length: 3 }, () => relays.through(dora, FENCE, NOW)).flat()).toHaveLength(3);
});

test("a member passes on only what its sender says itself, to a member that answers", () => {
  const relays = relaysOf({ answering: [bert, carl], gossiping: [dora] });
  const relay = (from: NodeId, to: NodeId) => ({ kind: "relay", from, to }) as Parameters<Relays["passesOn"]>[1];
  expect(relays.passesOn(bert, relay(bert, carl), NOW)).toBe(true);
  expect(relays.passesOn(bert, relay(emma, carl), NOW)).toBe(false);
  expect(relays.passesOn(bert, relay(bert, dora), NOW)).toBe(false);
  expect(relays.passesOn(bert, relay(bert, bert), NOW)).toBe(false);
  expect(relays.passesOn(bert, relay(bert, anna), NOW)).toBe(false);
});
