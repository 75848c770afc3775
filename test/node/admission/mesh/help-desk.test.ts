import { expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import { HelpDesk } from "../../../../node/admission/mesh/help-desk.ts";
import { at, FakeRoomNode, ROOM, SELF } from "./fake-room-node.ts";

const BERT = "bert" as NodeId;
const CORA = "cora" as NodeId;
const NUMBER = "4QK7-X2MD";
const SIGHT = { state: "waiting", sinceMs: 1, position: 7 } as const;

function desk() {
  const roomNode = new FakeRoomNode();
  roomNode.localities = new Map([["here", [SELF, BERT, CORA]]]);
  roomNode.others = [BERT, CORA];
  return { roomNode, desk: new HelpDesk({ id: ROOM, roomNode, refreshMs: () => 60_000 }) };
}

test("a node that is told recognises the visitor once, moves one who is to be admitted, and answers all who asked", () => {
  const { desk: there } = desk();
  const heard: unknown[] = [];
  there.hear({ number: NUMBER, action: "find", forMs: 1_000 }, at(0), (sight) => heard.push(sight));
  expect(there.orders(NUMBER, "admit")).toBe(false);
  there.hear({ number: NUMBER, action: "admit", forMs: 1_000 }, at(0), (sight) => heard.push(sight));
  expect([there.orders("0000-0000", "admit"), there.orders(NUMBER, "admit"), there.orders(NUMBER, "admit")]).toEqual([
    ...[false, true, false],
  ]);
  there.seen("0000-0000", SIGHT);
  there.seen(NUMBER, SIGHT);
  there.seen(NUMBER, SIGHT);
  expect(heard).toEqual([
    { ...SIGHT, isDone: true },
    { ...SIGHT, isDone: true },
  ]);
  expect(there.isLooking).toBe(false);
});

test("no more visitors are looked for than a node can remember", () => {
  const { desk: there } = desk();
  for (let number = 0; number < 2_000; number += 1) {
    there.hear({ number: String(number), action: "admit", forMs: 1_000 }, at(0), () => {});
  }
  expect([there.orders("999", "admit"), there.orders("1000", "admit")]).toEqual([true, false]);
  there.tick(at(1));
  expect(there.isLooking).toBe(false);
});
