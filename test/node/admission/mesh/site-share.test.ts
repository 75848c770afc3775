/** A room and its site at one of several nodes: the slots of both are given, fetched and bounded together. */

import { expect, test } from "vitest";
import type { NodeId, RoomId } from "../../../../mesh/core/ids.ts";
import type { MeshRoom } from "../../../../node/admission/mesh/mesh-room.ts";
import { at, FakeRoomNode, gaugeOf, roomAt, SELF } from "./fake-room-node.ts";

const OTHER = "other" as NodeId;
const [SITE, BAR] = ["all", "bar"] as [RoomId, RoomId];

class CeilingsNode extends FakeRoomNode {
  readonly ceilings = new Map<RoomId, number>();

  override mayHold(room: RoomId = BAR): number {
    return this.ceilings.get(room) ?? Number.POSITIVE_INFINITY;
  }
}

/** A site of four slots, and a room that has more of its own. */
function siteAndRoom() {
  const roomNode = new CeilingsNode();
  roomNode.others = [OTHER];
  roomNode.localities = new Map([["here", [SELF, OTHER]]]);
  const made = (id: RoomId, slots: number): MeshRoom =>
    roomAt(roomNode, { totalActiveUsers: slots, newUsersPerMinute: slots }, { id });
  const [site, bar] = [made(SITE, 4), made(BAR, 8)];
  site.link({ site: undefined, siteId: undefined, members: [bar.asMember] });
  bar.link({ site: site.asSite, siteId: SITE, members: [] });
  return { roomNode, site, bar };
}

function ask(bar: MeshRoom, roomNode: FakeRoomNode, visitors: number) {
  const asked = Array.from({ length: visitors }, (_, index) => [`visitor ${index}`, 0, "first"]);
  const nothing = { active: 0, arrivals: 0 };
  const question = { kind: "ask", room: BAR, call: 1, asked, free: nothing, units: nothing };
  bar.receive(OTHER, question as never, at(2));
  const [told] = roomNode.outbox.take().sent.flatMap(({ message }) => (message.kind === "told" ? [message] : []));
  return told as unknown as { answers: { kind: string }[]; row: { gifts: { room: RoomId; resource: string }[] } };
}

test("a slot for another gate comes with one of the site, in one row", () => {
  const { roomNode, site, bar } = siteAndRoom();
  const { answers, row } = ask(bar, roomNode, 3);
  expect(answers.map(({ kind }) => kind)).toEqual(["go", "go", "go"]);
  expect(row.gifts.map(({ room, resource }) => `${room} ${resource}`).sort()).toEqual(
    ["all active", "all arrivals", "bar active", "bar arrivals"].sort(),
  );
  expect(site.gauge(at(3))).toMatchObject({ active: 1, arrivals: 1 });
});

test("no more visitors go to a gate than there are slots of the site", () => {
  const { roomNode, bar } = siteAndRoom();
  const { answers } = ask(bar, roomNode, 6);
  expect(answers.map(({ kind }) => kind)).toEqual(["go", "go", "go", "go", "waiting", "waiting"]);
});

test("slots of the site that are at another node are fetched, where the room's own are here", () => {
  const { roomNode, site, bar } = siteAndRoom();
  const all = { active: 2 ** 30, arrivals: 2 ** 30 };
  for (const resource of ["active", "arrivals"] as const)
    roomNode.give({ room: SITE, resource, minute: site.admission.minuteAt(at(1)), to: OTHER, units: all[resource] });
  roomNode.gauges.set(OTHER, gaugeOf(4));
  const kinds: string[] = [];
  bar.arrive("anna", at(2), ({ kind }) => kinds.push(kind));
  expect(kinds).toEqual([]);
  const { question, to } = roomNode.question;
  expect([question.kind, (question as unknown as { room: RoomId }).room, to]).toEqual(["recall", SITE, OTHER]);
});

test("what the site's ceiling at a node does not allow waits until that is raised", () => {
  const { roomNode, bar } = siteAndRoom();
  roomNode.ceilings.set(SITE, 0);
  expect(bar.admission.sessions.mayHoldMore(at(2))).toBe(false);
  const { lastGood } = { lastGood: bar.admission.minuteAt(at(2)) };
  expect(bar.admission.sessions.adopt("anna", lastGood, at(2)).kind).toBe("not-mine");
  roomNode.ceilings.set(SITE, 1);
  expect(bar.admission.sessions.adopt("anna", lastGood, at(2)).kind).toBe("acknowledged");
  expect(bar.admission.sessions.adopt("bert", lastGood, at(2)).kind).toBe("not-mine");
});
