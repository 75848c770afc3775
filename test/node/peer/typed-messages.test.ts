/**
 * A message that is not as its shape says does not compile. The compiler is the test: a line below `@ts-expect-error`
 * that compiles is an error of `npm run types`. None of these functions is called.
 */

import { expect, expectTypeOf, test } from "vitest";
import type { Minute, NodeId, RoomId } from "../../../mesh/core/ids.ts";
import type { MemberMessage } from "../../../mesh/core/members/member-messages.ts";
import { Calls } from "../../../mesh/core/wire/calls.ts";
import type { Outbox, Outgoing } from "../../../mesh/core/wire/outbox.ts";
import { ROOM_ANSWERS, type RoomMessage } from "../../../node/admission/mesh/room-messages.ts";
import type { MessageOf, PeerMessage } from "../../../node/peer/message-kinds.ts";

const to = "anna" as NodeId;
const room = "shop" as RoomId;
const head = { view: 1, incarnation: 1 };

function sends(outbox: Outbox<PeerMessage>): void {
  outbox.send(to, { kind: "noted", call: 1 });
  outbox.send(to, { kind: "fence", ...head, nodes: [to], left: [], isForgetting: false });
  // @ts-expect-error no message has this kind
  outbox.send(to, { kind: "notet", call: 1 });
  // @ts-expect-error a field is missing
  outbox.send(to, { kind: "noted" });
  // @ts-expect-error a field has another type
  outbox.send(to, { kind: "noted", call: "1" });
  // @ts-expect-error a field is misspelt
  outbox.send(to, { kind: "noted", call: 1, cal: 1 });
  // @ts-expect-error a field of another kind
  outbox.send(to, { kind: "polls", room, keys: [], isAnswer: true });
  // @ts-expect-error an optional field is misspelt
  outbox.send(to, { kind: "ping", ...head, id: 1, sessionMinute: 5 });
  // @ts-expect-error a text where an id must be
  outbox.send(to, { kind: "heir-wanted", ...head, of: "anna" });
}

function sendsAsPart(outbox: Outgoing<MemberMessage>): void {
  // @ts-expect-error a message of another part of the node
  outbox.send(to, { kind: "noted", call: 1 });
}

function passesOn(outbox: Outbox<RoomMessage>): Outgoing<MemberMessage> {
  // @ts-expect-error an outbox of rooms takes no messages about members
  return outbox;
}

function asks(outbox: Outbox<PeerMessage>): void {
  const calls = new Calls<RoomMessage, typeof ROOM_ANSWERS>(outbox, ROOM_ANSWERS, 1);
  const wait = { nowMs: 0, forMs: 1 };
  const lastGood = 0 as Minute;
  calls.ask(to, { kind: "revoke", room, id: "session", lastGood }, wait, (answer) => answer?.call);
  calls.ask(to, { kind: "check-in", room, sessions: [] }, wait, (answer) => answer?.checked);
  // @ts-expect-error that is no question
  calls.ask(to, { kind: "gift", room, row: { account: to, gifts: [], counts: [] } }, wait, () => {});
  // @ts-expect-error a field is missing
  calls.ask(to, { kind: "revoke", room }, wait, () => {});
  // @ts-expect-error a field is misspelt
  calls.ask(to, { kind: "revoke", room, id: "session", lastGood, rom: room }, wait, () => {});
  // @ts-expect-error another question has this answer
  calls.ask(to, { kind: "revoke", room, id: "session", lastGood }, wait, (answer) => answer?.checked);
}

test("messages have the types of their shapes", () => {
  expectTypeOf<MessageOf<"noted">>().toEqualTypeOf<{ kind: "noted"; call: number }>();
  expectTypeOf<keyof MessageOf<"ask">>().toEqualTypeOf<
    "kind" | "room" | "call" | "asked" | "lanes" | "free" | "units"
  >();
  expect([sends, sendsAsPart, passesOn, asks]).toHaveLength(4);
});
