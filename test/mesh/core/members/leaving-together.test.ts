/**
 * Several nodes leave within a moment, in every order: each leave ends, and who stays is a mesh that decides views.
 *
 * A process ends once it learns that it has left, as in the product. What is lost on the way is drawn from a seed.
 */

import { describe, expect, test } from "vitest";
import { seededRandom } from "../../../../cmd/crowd/random.ts";
import { accountOf, type NodeId } from "../../../../mesh/core/ids.ts";
import type { Left } from "../../../../mesh/core/members/members.ts";
import { at, type MembersNet, netOf } from "./members-net.ts";

const NAMES = ["anna", "bert", "cora", "dora", "emil"];
const TICK_MS = 100;

/** All orders of `count` of `names`. */
function orders(names: readonly string[], count: number): string[][] {
  if (count === 0) return [[]];
  return names.flatMap((first) =>
    orders(
      names.filter((name) => name !== first),
      count - 1,
    ).map((rest) => [first, ...rest]),
  );
}

/** Makes `leavers` leave, `apartMs` between two; ends each process that learns of it. Returns the outcome of each. */
function leaveAll(net: MembersNet, leavers: readonly string[], apartMs: number): Map<string, Left[]> {
  const told = new Map<string, Left[]>();
  for (const name of leavers) {
    const node = at(net, name);
    const lefts: Left[] = [];
    told.set(name, lefts);
    node.members.leave(net.now(node), (left) => lefts.push(left));
    if (apartMs > 0) net.flush();
    pass(net, apartMs);
  }
  net.flush();
  return told;
}

function pass(net: MembersNet, ms: number): void {
  for (let passed = 0; passed < ms; passed += TICK_MS) {
    net.run(TICK_MS);
    for (const { self, stopped } of [...net.nodes.values()]) if (stopped.length > 0) net.stop(self);
  }
}

/** Drops some of what is sent for a while. */
function lose(net: MembersNet, seed: number, part: number): void {
  const random = seededRandom(seed);
  net.passes = () => random() >= part;
}

/** Asserts that `names` are the mesh, that they take in another node, and that each account has one writer. */
function expectMesh(net: MembersNet, names: readonly string[]): void {
  net.passes = () => true;
  pass(net, 15_000);
  expect([...net.nodes.keys()].sort()).toEqual([...names].sort());
  net.start("zora");
  pass(net, 10_000);
  for (const { members } of net.nodes.values()) {
    expect(members.isStopped).toBe(false);
    expect(members.view?.members.map(({ node }) => node).sort()).toEqual([...names, "zora"].sort());
  }
  const written = [...net.nodes.values()].flatMap(({ members }) => [...members.writes()]);
  expect(written.sort()).toEqual([...new Set([...NAMES.filter((name) => known(net).has(name)), "zora"])].sort());
}

function known(net: MembersNet): ReadonlySet<string> {
  const [node] = net.nodes.values();
  const view = node?.members.view;
  return new Set([
    ...(view?.members ?? []).map(({ node }) => accountOf(node) as string),
    ...(view?.heirs ?? []).map(([account]) => account as string),
  ]);
}

describe("all leave but one or more", () => {
  for (const nodes of [3, 4, 5])
    for (let count = 2; count < nodes; count++)
      for (const apartMs of [0, 100, 1_100])
        test(`${count} of ${nodes}, ${apartMs} ms apart, in every order`, () => {
          const names = NAMES.slice(0, nodes);
          // Of the many orders of five a third will do: nothing in here looks at who is who but by rank.
          const tried = orders(names, count).filter((_, index) => nodes < 5 || count < 3 || index % 3 === 0);
          for (const [index, leavers] of tried.entries()) {
            const net = netOf(...names);
            if (index % 2 === 1) lose(net, index, 0.4);
            const told = leaveAll(net, leavers, apartMs);
            pass(net, 4_000);
            net.passes = () => true;
            pass(net, 11_000);
            const context = `${leavers.join(", ")} of ${names.join(", ")}`;
            expect(
              [...told.values()].map((lefts) => lefts.map(({ kind }) => kind)),
              context,
            ).toEqual(leavers.map(() => ["left"]));
            expectMesh(
              net,
              names.filter((name) => !leavers.includes(name)),
            );
          }
        });
});

describe("all leave", () => {
  test.each([2, 3, 4, 5])("%i at once: nobody can take over, and all are members as before", (nodes) => {
    const names = NAMES.slice(0, nodes);
    const net = netOf(...names);
    const told = leaveAll(net, names, 0);
    pass(net, 20_000);
    for (const lefts of told.values()) expect(lefts).toEqual([{ kind: "restart" }]);
    expectMesh(net, names);
  });

  test("the last ones one after the other: the last of all stays", () => {
    const net = netOf(...NAMES);
    const told = leaveAll(net, NAMES, 1_000);
    pass(net, 20_000);
    expect([...told.values()].map((lefts) => lefts.map(({ kind }) => kind))).toEqual([
      ...NAMES.slice(1).map(() => ["left"]),
      ["restart"],
    ]);
    expectMesh(net, ["emil"]);
  });
});

describe("an heir that has left", () => {
  const heartbeats = new Set(["ping", "pong"]);

  /**
   * Emil hears Dora alone, and offers her everything: that stays unanswered, or (`isTaken`) only the answer is lost.
   * Then Dora leaves to Anna, and her process ends at once. No view is decided meanwhile.
   */
  function abandoned(isTaken: boolean) {
    const net = netOf(...NAMES);
    net.passes = ({ from, to, message }) =>
      !heartbeats.has(message.kind) || (from === "emil" || to === "emil" ? from === "dora" || to === "dora" : true);
    pass(net, 6_000);
    net.passes = ({ from, to, message }) =>
      message.kind !== "promise" &&
      !(from === "emil" && to === "dora" && !(isTaken && message.kind === "offer")) &&
      !(from === "dora" && to === "emil");
    const told = leaveAll(net, ["emil"], 0);
    leaveAll(net, ["dora"], 0);
    pass(net, 500);
    net.stop("dora");
    expect(net.sent("offer").map(({ from, to }) => `${from} to ${to}`)).toEqual(["emil to dora", "dora to anna"]);
    return { net, told };
  }

  test("is asked after at all others; the next one is asked if it took nothing over", () => {
    const { net, told } = abandoned(false);
    pass(net, 3_000);
    expect(told.get("emil")).toEqual([{ kind: "left", heir: "anna" }]);
    expectMesh(net, ["anna", "bert", "cora"]);
  });

  test("hands on what it took over, and the leaver hears of that", () => {
    const { net, told } = abandoned(true);
    pass(net, 3_000);
    expect(told.get("emil")).toEqual([{ kind: "left", heir: "anna" }]);
    expect(net.sent("offer").filter(({ from, to }) => from === "emil" && to !== "dora")).toEqual([]);
    expectMesh(net, ["anna", "bert", "cora"]);
  });

  test("and hands on again: the last one answers", () => {
    const { net, told } = abandoned(true);
    net.passes = ({ message }) => message.kind !== "promise" && message.kind !== "heir-found";
    leaveAll(net, ["anna"], 0);
    pass(net, 500);
    net.stop("anna");
    net.passes = ({ message }) => message.kind !== "promise";
    pass(net, 3_000);
    expect(told.get("emil")).toEqual([{ kind: "left", heir: "bert" }]);
    expectMesh(net, ["bert", "cora"]);
  });
});

describe("an heir that is lost for good with the offer", () => {
  const [anna] = NAMES as NodeId[] as [NodeId];

  /** Bert and Cora both leave to Anna, who was lost a moment before. */
  function stuck() {
    const net = netOf("anna", "bert", "cora");
    net.stop("anna");
    const told = leaveAll(net, ["bert", "cora"], 0);
    pass(net, 12_000);
    expect([...told.values()]).toEqual(Array(2).fill([{ kind: "unanswered", heir: anna }]));
    return net;
  }

  const forget = (net: MembersNet, name: string) => {
    const node = at(net, name);
    const order = node.members.forget([anna], net.now(node));
    net.flush();
    return order;
  };

  test("ends by the operator's word to each of them: they are members as before, and remove it", () => {
    const net = stuck();
    expect(forget(net, "bert")).toMatchObject({ problem: expect.stringContaining("cora, silent") });
    pass(net, 1_000);
    expect([at(net, "bert").members.isStopped, at(net, "cora").members.isStopped]).toEqual([false, true]);
    expect(forget(net, "cora")).toMatchObject({ problem: expect.stringContaining("bert, silent") });
    pass(net, 1_000);
    expect(forget(net, "cora")).toEqual({ ok: true });
    pass(net, 3_000);
    // What the lost one admitted on their slots is unknown: nothing is used before that must be over.
    expect(["bert", "cora"].map((name) => at(net, name).hasLostCounts)).toEqual([true, true]);
    expectMesh(net, ["bert", "cora"]);
  });

  test("the word for another node changes nothing, nor does it while the heir is heard", () => {
    const net = stuck();
    const bert = at(net, "bert");
    expect(bert.members.forget(["cora" as NodeId], net.now(bert))).toMatchObject({
      problem: expect.stringContaining("is leaving"),
    });
    net.start("anna");
    net.passes = ({ message }) => message.kind === "ping";
    pass(net, 3_000);
    expect(forget(net, "bert")).toMatchObject({ problem: expect.stringContaining("it must be silent") });
    expect([bert.members.isStopped, bert.hasLostCounts]).toEqual([true, false]);
  });
});

describe("while a lost member is being removed", () => {
  test("who is to leave works until that is done, and then leaves", () => {
    const net = netOf("anna", "bert", "cora", "dora");
    net.stop("dora");
    net.passes = ({ message }) => message.kind !== "accepted";
    pass(net, 35_000);
    const told = leaveAll(net, ["cora"], 0);
    pass(net, 30_000);
    expect([told.get("cora"), at(net, "cora").members.isStopped]).toEqual([[], false]);
    net.passes = () => true;
    pass(net, 10_000);
    expect(told.get("cora")).toMatchObject([{ kind: "left" }]);
    expectMesh(net, ["anna", "bert"]);
  });
});

describe("while an offer is out", () => {
  test("a leaver neither votes nor gives a lease: its heir may vote in its name by now", () => {
    const net = netOf("anna", "bert", "cora");
    net.passes = ({ message }) => message.kind !== "offer";
    leaveAll(net, ["cora"], 0);
    net.carried.length = 0;
    net.start("dora");
    pass(net, 3_000);
    const answers = net.carried.filter(({ from, message }) => from === "cora" && ANSWERS.has(message.kind));
    expect(answers).toEqual([]);
  });
});

const ANSWERS = new Set(["pong", "promise", "accepted", "fenced"]);
