/** In which minute the judge counts an admission: the one that its node stamped, however the visitor hears of it. */

import { expect, test } from "vitest";
import type { MeshDecision, OnDecision } from "../../node/admission/mesh/entrance.ts";
import type { MeshRoom } from "../../node/admission/mesh/mesh-room.ts";
import { DecisionsHeard } from "../sim/decisions-heard.ts";
import type { SimNode } from "../sim/sim-node.ts";
import type { VisitedWorld } from "../sim/visited-world.ts";

const LAST_GOOD = 7;

function heard() {
  const world = {
    time: { nowMs: 0 },
    minute: 1,
    oracle: { decisions: [] },
    roomOf: () => ({ heldMs: Number.POSITIVE_INFINITY }),
    broken: (text: string): never => {
      throw new Error(text);
    },
  };
  const decisions = new DecisionsHeard(world as unknown as VisitedWorld);
  const node = {
    identity: "n1",
    commits: 0,
    process: 1,
    isRunning: true,
    rooms: { isHeld: () => false, prequeueOf: () => {} },
  };
  /** A gate that answers each poll with `decision`, in the world's minute. */
  const gate = (decision: Partial<MeshDecision>): MeshRoom => {
    const answer = (onDecision: OnDecision): void =>
      onDecision({ kind: "admitted", lastGood: LAST_GOOD, home: "n1", ...decision } as MeshDecision, 0);
    const room = {
      id: "shop",
      admission: { minuteAt: () => world.minute },
      arrive: (_id: string, _nowMs: number, onDecision: OnDecision) => answer(onDecision),
      poll: (_id: string, _key: number, _nowMs: number, onDecision: OnDecision) => answer(onDecision),
      withdraw: () => {},
      revoke: () => true,
    } as unknown as MeshRoom;
    decisions.listen(room, node as unknown as SimNode);
    return room;
  };
  const poll = (room: MeshRoom): void => room.poll("v1", 5, 0, () => {});
  const stamped = (): number | undefined => decisions.received("v1");
  return { world, node, decisions, gate, poll, stamped };
}

test("a visitor who first hears of an admission from a gate that asked its home counts in the minute of the admission", () => {
  const { world, node, gate, poll, stamped } = heard();
  poll(gate({}));
  node.commits = 1;
  world.minute = 2;
  poll(gate({ isKnown: true }));
  expect([stamped(), stamped()]).toEqual([1, 1]);
});

test.each([
  [
    "the home was started again",
    ({ node, decisions }: ReturnType<typeof heard>) => {
      node.process = 2;
      decisions.look(0);
    },
  ],
  ["the session was revoked", ({ gate }: ReturnType<typeof heard>) => gate({}).revoke("v1", "n1" as never, 0)],
])("the minute of an admission stays known after %s", (_, happens) => {
  const parts = heard();
  const { world, node, gate, poll, stamped } = parts;
  poll(gate({}));
  node.commits = 1;
  world.minute = 2;
  happens(parts);
  expect(stamped()).toBe(1);
});

test("an admission is forgotten when no gate can tell of it any more", () => {
  const { world, node, decisions, gate, poll, stamped } = heard();
  poll(gate({}));
  node.commits = 1;
  for (world.minute of [LAST_GOOD + 2, LAST_GOOD + 3]) {
    decisions.look(0);
    expect(stamped()).toBe(world.minute === LAST_GOOD + 2 ? 1 : undefined);
  }
});

test("a visitor who is told of an admission that is not on disk breaks the run", () => {
  const { gate, poll, stamped } = heard();
  poll(gate({}));
  expect(stamped).toThrow("disk before telling: v1 was told of a session that is not on the disk of n1");
});
