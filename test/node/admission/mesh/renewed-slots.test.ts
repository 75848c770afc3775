import { expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import { GRACE_MS } from "../../../../mesh/core/minute.ts";
import type { LineSummary } from "../../../../node/admission/line.ts";
import type { RoomMessage } from "../../../../node/admission/mesh/room-messages.ts";
import { at, FakeRoomNode, roomAt, SELF } from "./fake-room-node.ts";

const OTHER = "other" as NodeId;
/** The only session before is over, and its slot free. */
const FREE = at(6 * 60) + GRACE_MS;

test("a counter says whom it calls as soon as slots come free by time, without waiting for its next look", () => {
  const roomNode = new FakeRoomNode();
  roomNode.localities = new Map([["here", [SELF, OTHER]]]);
  const room = roomAt(roomNode, { totalActiveUsers: 1 });
  room.tick(at(1));
  const kinds: string[] = [];
  room.arrive("inside", at(2), ({ kind }) => kinds.push(kind));
  let key = 0;
  room.arrive("next", at(2), (decision) => {
    kinds.push(decision.kind);
    if (decision.kind === "waiting") key = decision.place.key;
  });
  expect(kinds).toEqual(["admitted", "waiting"]);
  /** To whom it has said, since the last question, that the visitor is called. */
  const told = () =>
    roomNode.outbox.take().sent.flatMap(({ to, message }) => {
      const { kind, line } = message as RoomMessage & { line?: LineSummary };
      return kind === "line" && line !== undefined && line.horizon >= key ? [to] : [];
    });
  for (let atMs = at(2.5); atMs < FREE; atMs += 500) {
    room.tick(atMs);
    if (atMs % 10_000 === 0) room.poll("next", key, atMs, () => {});
  }
  room.renew(FREE - 1);
  expect(told()).toEqual([]);
  room.renew(FREE);
  expect(told()).toEqual([OTHER]);
  room.renew(FREE + 100);
  expect(told()).toEqual([]);
});
