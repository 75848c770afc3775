import { describe, expect, test, vi } from "vitest";
import type { Minute, NodeId } from "../../../../mesh/core/ids.ts";
import { slotsOf } from "../../../../mesh/core/ledger/shares.ts";
import type { Asked } from "../../../../node/admission/mesh/room-messages.ts";
import type { Waiting } from "../../../../node/admission/mesh/room-node.ts";
import { type AskReply, TicketCounter } from "../../../../node/admission/mesh/ticket-counter.ts";
import { at, FakeRoomNode, gaugeOf, M, nodes, partsOf, ROOM, SELF } from "./fake-room-node.ts";

const [GATE, OTHER] = nodes("gate", "other") as [NodeId, NodeId];
const NONE = { active: 0, arrivals: 0 };

function counterParts(slots: number) {
  const roomNode = new FakeRoomNode();
  roomNode.localities = new Map([["here", [SELF, GATE, OTHER]]]);
  return { roomNode, ...partsOf(roomNode, { totalActiveUsers: slots, newUsersPerMinute: slots }) };
}

/** A ticket counter that owns so many slots, with two gates beside it. */
function counter(slots: number) {
  const { roomNode, ticketCounter, admission } = counterParts(slots);
  /** What is decided by now; undefined while it must wait. */
  const ask = (from: NodeId, asked: readonly Asked[], { free = NONE, nowMs = at(0) } = {}) => {
    const replies: AskReply[] = [];
    ticketCounter.ask({ from, asked, free, units: NONE }, nowMs, (reply) => replies.push(reply));
    return replies;
  };
  const kinds = (from: NodeId, asked: readonly Asked[], how?: Parameters<typeof ask>[2]) =>
    ask(from, asked, how)[0]?.answers.map(({ kind }) => kind);
  return { roomNode, ticketCounter, admission, ask, kinds };
}

/** The same with another locality beside it, whose node asks, and a line here of which this is known. */
function lender(slots: number, waiting: Waiting) {
  const { roomNode, config, admission, slots: own } = counterParts(slots);
  roomNode.localities = new Map([
    ["here", [SELF]],
    ["there", [OTHER]],
  ]);
  const ticketCounter = new TicketCounter({
    id: ROOM,
    roomNode,
    config,
    admission,
    slots: own,
    waiting: () => waiting,
  });
  const lend = (count: number, joined: Minute) => {
    const wanted = { slots: { active: count, arrivals: count }, units: NONE };
    const { row, free } = ticketCounter.lend({ node: OTHER, locality: "there", joined }, wanted, at(0));
    const units = row?.gifts.map(({ totals }) => totals.at(-1)?.[1] ?? 0) ?? [];
    return { inAll: units.map((each) => slotsOf(slots, each)), free };
  };
  return { roomNode, admission, ticketCounter, lend };
}

const first = (id: string, key = 0): Asked => [id, key, "first"];

test("a decision that throws does not hold up those who ask after it", () => {
  const { admission, ask, kinds } = counter(10);
  const enter = admission.enter.bind(admission);
  vi.spyOn(admission, "enter").mockImplementation((key, ...rest) => {
    if (key === 7) throw new Error("broken");
    return enter(key, ...rest);
  });
  expect(() => ask(GATE, [first("anna", 7)])).toThrow("broken");
  expect(kinds(GATE, [first("bert")])).toEqual(["go"]);
});

test("a visitor who was sent in gets another slot if it is not known where it was sent, or the same gate did not find the slot", () => {
  const { kinds } = counter(3);
  expect(kinds(GATE, [first("a")])).toEqual(["go"]);
  expect(kinds(OTHER, [["a", 0, "as-new"]])).toEqual(["go"]);
  expect(kinds(OTHER, [first("a")])).toEqual(["go"]);
  expect(kinds(OTHER, [["a", 0, "place"]])).toEqual(["waiting"]);
});

describe("slots are sent for", () => {
  /**
   * One slot, taken, and four visitors in line; another locality has many `active` slots, and arrivals of which one is
   * its reserve.
   */
  function fetching(seenThere: number) {
    const { roomNode, ticketCounter, kinds } = counter(1);
    roomNode.localities = new Map([
      ["here", [SELF, GATE]],
      ["there", [OTHER]],
    ]);
    kinds(
      GATE,
      ["a", "b", "c", "d", "e"].map((id) => first(id)),
    );
    roomNode.gauges.set(OTHER, gaugeOf({ active: 30, arrivals: 4 }));
    roomNode.lastMinute.set("there", seenThere);
    ticketCounter.tick(at(1));
    return roomNode.asked.map(({ question }) => question);
  }

  test("as far as there are both: none of one for which the other is kept back", () => {
    expect(fetching(1_000)).toMatchObject([{ kind: "recall", slots: { active: 3, arrivals: 3 } }]);
  });
});

test("a lender that does not answer is passed over: the next one is asked", () => {
  const { roomNode, ticketCounter, kinds } = counter(1);
  expect(kinds(GATE, [first("a"), first("b")])).toEqual(["go", "waiting"]);
  roomNode.gauges.set(OTHER, gaugeOf(2));
  ticketCounter.tick(at(1));
  expect(roomNode.question.to).toBe(OTHER);
  ticketCounter.tick(at(1.5));
  roomNode.question.answer(undefined, at(2));
  expect(roomNode.asked).toEqual([]);
  ticketCounter.tick(at(2.5));
  expect(roomNode.asked).toEqual([]);
  roomNode.gauges.set(GATE, gaugeOf(1));
  ticketCounter.tick(at(2.9));
  expect(roomNode.question.to).toBe(GATE);
});

describe("another locality", () => {
  test("is lent what no visitor here needs who joined as early, and told what is left", () => {
    const { lend } = lender(5, [
      [(M - 2) as Minute, 3],
      [M, 2],
    ]);
    expect(lend(4, (M - 1) as Minute)).toEqual({ inAll: [2, 2], free: NONE });
    expect(lend(1, (M - 1) as Minute).inAll).toEqual([]);
    expect(lend(5, (M - 3) as Minute)).toEqual({ inAll: [5, 5], free: NONE });
  });

  test("is lent none of the slots that are owed to overtaken visitors here", () => {
    const { admission, lend } = lender(5, [[M, 4]]);
    vi.spyOn(admission, "owed", "get").mockReturnValue(3);
    expect(lend(5, (M - 3) as Minute)).toEqual({ inAll: [2, 2], free: NONE });
  });

  test("whose visitors have waited for longer, and that asks for slots, comes before the line here", () => {
    const { roomNode, admission, ticketCounter, lend } = lender(2, [[M, 2]]);
    const keys = [at(0.1), at(0.2)].map((ms) => {
      const entry = admission.enter(undefined, ms, 0);
      return entry.kind === "waiting" ? entry.place.key : 0;
    });
    roomNode.gauges.set(OTHER, gaugeOf(0, [[M - 3, 5]]));
    lend(0, (M - 3) as Minute);
    ticketCounter.tick(at(1));
    expect(admission.lineSummary.horizon).toBe(0);
    // Who has not asked lately needs them no more.
    ticketCounter.tick(at(3));
    expect(admission.lineSummary.horizon).toBe(keys[1]);
  });
});
