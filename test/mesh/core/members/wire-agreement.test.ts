import { describe, expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import type { Of } from "../../../../mesh/core/members/member-messages.ts";
import type { View } from "../../../../mesh/core/members/view.ts";
import { WireAgreement } from "../../../../mesh/core/members/wire-agreement.ts";
import { WIRE_VERSION_FIRST, type WireRange } from "../../../../mesh/core/wire/wire-range.ts";
import { at, MembersNet } from "./members-net.ts";

const [anna, bert, cora] = ["anna", "bert", "cora"] as NodeId[] as [NodeId, NodeId, NodeId];
const OLD: WireRange = [WIRE_VERSION_FIRST, WIRE_VERSION_FIRST];
const NEW: WireRange = [WIRE_VERSION_FIRST, WIRE_VERSION_FIRST + 1];
const [FIRST, NEXT] = NEW;
/** Longer than all must have understood it. */
const AGREED_MS = 12_000;

describe("a newer wire version", () => {
  const all = () => [anna, bert, cora];

  test("is spoken once every member has understood it for ten seconds", () => {
    const wires = new WireAgreement(anna, NEW);
    wires.up(bert, NEW);
    expect(wires.next(all, FIRST, 0)).toBeUndefined();
    wires.up(cora, NEW);
    expect([0, 9_999, 10_000].map((ms) => wires.next(all, FIRST, ms))).toEqual([undefined, undefined, NEXT]);
  });
});

function wires(net: MembersNet): (number | undefined)[] {
  return Array.from(net.nodes.values(), ({ members }) => members.wire);
}

/** A mesh of five, each on its release. */
function mesh(releases: Readonly<Record<string, WireRange>>): MembersNet {
  const net = new MembersNet();
  for (const [name, understands] of Object.entries(releases)) {
    net.start(name, { found: net.nodes.size === 0, understands });
    net.run(1_000);
  }
  net.run(3_000);
  return net;
}

const FIVE = { anna: OLD, bert: OLD, cora: OLD, dora: OLD, emil: OLD };

/** Ends a node and starts it on its disk with another release. */
function upgrade(net: MembersNet, name: string, understands: WireRange = NEW): void {
  net.stop(name);
  net.run(1_000);
  net.start(name, { understands });
}

describe("a mesh that is upgraded one node at a time", () => {
  test("speaks the old version to the last, then all of it the new one, by one view that changes nothing else", () => {
    const net = mesh(FIVE);
    for (const name of Object.keys(FIVE)) {
      upgrade(net, name);
      net.run(4_000);
      expect(new Set(wires(net))).toEqual(new Set([FIRST]));
    }
    const before = at(net, "anna").members.view;
    net.run(AGREED_MS);
    expect(wires(net)).toEqual(Array(5).fill(NEXT));
    const after = at(net, "anna").members.view;
    expect([after?.number, after?.members, after?.heirs]).toEqual([
      (before?.number ?? 0) + 1,
      before?.members,
      before?.heirs,
    ]);
    for (const node of net.nodes.values()) expect(node.members.lease(net.now(node))).toBe("held");
  });

  test("waits for a node that is down, and continues once that is removed", () => {
    const net = mesh({ ...FIVE, anna: NEW, bert: NEW, cora: NEW, dora: NEW });
    net.stop("emil");
    for (const node of net.nodes.values()) node.members.down("emil" as NodeId, net.now(node));
    net.run(20_000);
    expect(new Set(wires(net))).toEqual(new Set([FIRST]));
    net.run(40_000);
    expect(wires(net)).toEqual(Array(4).fill(NEXT));
  });
});

describe("a node that is taken back to the old release while the mesh goes over", () => {
  /** Everyone understands the new version; what proposes it is stopped before the votes are counted. */
  function goingOver(): { net: MembersNet; value: View } {
    const net = mesh({ anna: NEW, bert: NEW, cora: NEW });
    net.passes = ({ message }) => message.kind !== "accept";
    net.run(AGREED_MS);
    const accept = net.sent("accept").at(-1)?.message as Of<"accept"> | undefined;
    if (accept?.value.wire !== NEXT) throw new Error("the new version was not proposed");
    return { net, value: accept.value };
  }

  test("is not asked to vote for the new version, and does not vote for it", () => {
    const { net, value } = goingOver();
    upgrade(net, "cora", OLD);
    net.carried.length = 0;
    net.passes = () => true;
    const { members } = at(net, "cora");
    const [round] = [99];
    const ask = { kind: "accept", ballot: [round, 1, anna], value, all: false, removes: [] } as const;
    members.receive(anna, { ...ask, view: value.number - 1, incarnation: 99 }, net.now(at(net, "cora")));
    net.flush();
    expect(net.sent("accepted").filter(({ from }) => from === cora)).toEqual([]);
    net.run(20_000);
    expect(
      net.sent("accept").filter(({ to, message }) => to === cora && (message as Of<"accept">).value.wire === NEXT),
    ).toEqual([]);
  });
});
