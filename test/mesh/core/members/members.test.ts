import { describe, expect, test } from "vitest";
import { type AccountId, accountOf, type NodeId } from "../../../../mesh/core/ids.ts";
import type { Of } from "../../../../mesh/core/members/member-messages.ts";
import type { Forgot, Left } from "../../../../mesh/core/members/members.ts";
import { at, LEASE_MS, type MembersNet, MembersNet as Net, netOf } from "./members-net.ts";

const anna = "anna" as NodeId;
const bert = "bert" as NodeId;
const cora = "cora" as NodeId;
const dora = "dora" as NodeId;
const MAY_BE_VOTED_ON = "members may have voted on it: then it is carried out all the same";

function membersOf(net: MembersNet, name: string): string[] {
  return (at(net, name).members.view?.members ?? []).map(({ node }) => node);
}

function cutOff(net: MembersNet, ...names: string[]): void {
  net.passes = ({ from, to }) => names.includes(from) === names.includes(to);
}

function leave(net: MembersNet, name: string): Left[] {
  const told: Left[] = [];
  const node = at(net, name);
  node.members.leave(net.now(node), (left) => told.push(left));
  net.flush();
  return told;
}

describe("founding and joining", () => {
  test("a node without a view founds a mesh of one, or waits for ever", () => {
    const net = new Net();
    const alone = net.start("anna", { found: true });
    expect(alone.members.view?.number).toBe(1);
    expect(alone.members.mayAct(net.now(alone))).toBe(true);
    const other = new Net();
    const waiting = other.start("bert");
    other.run(60_000);
    expect(waiting.members.view).toBeUndefined();
    expect(waiting.members.mayAct(other.now(waiting))).toBe(false);
    expect(waiting.members.writes()).toEqual([]);
  });

  test("nodes that ask together come with one view, and all of three vote at once", () => {
    const net = new Net();
    net.start("anna", { found: true });
    net.start("bert");
    net.start("cora");
    net.run(2_000);
    expect(at(net, "cora").members.view?.number).toBe(2);
    expect(at(net, "cora").members.view?.voters).toHaveLength(3);
    for (const node of net.nodes.values()) expect(node.members.lease(net.now(node))).toBe("held");
  });

  test("an identity that was used up learns it and is not admitted again", () => {
    const net = netOf("anna", "bert", "cora");
    leave(net, "cora");
    net.run(1_000);
    net.stop("cora");
    const again = net.start("cora");
    net.run(1_000);
    expect(again.stopped).toEqual(["left"]);
    net.stop("cora");
    const copied = net.start("cora");
    copied.disk.clear();
    copied.members = net.process(copied, 99, { found: false });
    copied.members.up(anna, net.now(copied), { locality: "here", incarnation: 0 });
    net.run(1_000);
    expect(copied.stopped).toEqual(["removed"]);
  });

  test("of two processes with one identity the older one stops", () => {
    const net = netOf("anna", "bert");
    const { members } = at(net, "bert");
    const ping = { kind: "ping", view: 2, incarnation: 1_000, id: 1 } as const;
    at(net, "anna").members.receive(bert, ping, net.now(at(net, "anna")));
    net.run(1_000);
    expect(at(net, "bert").stopped).toEqual(["newer-incarnation"]);
    expect(members.mayExtendOwn(net.now(at(net, "bert")))).toBe(false);
  });
});

describe("leases", () => {
  test("an answer to a ping of an earlier run is not taken for one of this run", () => {
    const net = netOf("anna", "bert", "cora");
    const old = net.sent("pong").filter(({ to }) => to === cora);
    net.stop("cora");
    net.passes = () => false;
    const again = net.start("cora");
    net.run(2_000);
    for (const { from, message } of old) again.members.receive(from, message, net.now(again));
    expect(again.members.lease(net.now(again))).toBe("none");
  });

  test("a view of two needs no lease, and removes nobody", () => {
    const net = netOf("anna", "bert");
    cutOff(net, "bert");
    net.run(10 * LEASE_MS);
    for (const node of net.nodes.values()) {
      expect(node.members.mayAct(net.now(node))).toBe(true);
      expect(node.members.view?.number).toBe(2);
    }
  });

  test("a vote for a view of three ends that at once, whatever becomes of it", () => {
    const net = netOf("anna", "bert");
    net.passes = ({ from, message }) => !(from === bert && message.kind === "accepted");
    net.start("cora");
    net.run(500);
    const voted = at(net, "bert");
    expect(voted.members.view?.number).toBe(2);
    expect(voted.members.lease(net.now(voted))).toBe("none");
    net.stop("bert");
    net.passes = () => false;
    const again = net.start("bert");
    expect(again.members.lease(net.now(again))).toBe("none");
  });
});

describe("a node that was removed and is back", () => {
  /** Cora is cut off for long enough, and can say what it held. */
  function returned(...names: string[]): MembersNet {
    const net = netOf("anna", "bert", "cora", "dora", ...names);
    at(net, "cora").statement = { run: 3, tables: "what it held" };
    return net;
  }

  function away(net: MembersNet, ms = LEASE_MS + 10_000): void {
    cutOff(net, "cora");
    net.run(ms);
    net.passes = () => true;
  }

  test("says what it held to the heir alone, which has its accounts in no pot any more, and then goes", () => {
    const net = returned();
    away(net);
    const heir = at(net, "anna");
    expect(heir.members.pot(net.now(heir))).toMatchObject([{ accounts: ["cora"] }]);
    net.run(3_000);
    expect(heir.heard).toMatchObject([{ from: "cora", group: "view 5", accounts: ["cora"], tables: "what it held" }]);
    expect([at(net, "bert").heard, at(net, "dora").heard, at(net, "cora").stopped]).toEqual([[], [], ["removed"]]);
    expect(heir.members.pot(net.now(heir))).toMatchObject([{ accounts: ["cora"], isHeard: true }]);
    net.stop("anna");
    const again = net.start("anna");
    expect(again.members.pot(net.now(again))).toMatchObject([{ accounts: ["cora"], isHeard: true }]);
  });

  test("waits ten seconds for an heir that does not hear it, and not at all if it may say nothing", () => {
    const net = returned();
    away(net);
    net.passes = ({ message }) => message.kind !== "testimony-wanted";
    net.run(9_500);
    expect(at(net, "cora").stopped).toEqual([]);
    net.run(2_000);
    expect(at(net, "cora").stopped).toEqual(["removed"]);
    const mute = returned();
    at(mute, "cora").statement = undefined;
    away(mute);
    mute.run(1_000);
    expect([at(mute, "cora").stopped, at(mute, "anna").heard]).toEqual([["removed"], []]);
  });

  test("says nothing if it has offered everything to an heir that has not refused", () => {
    const net = returned();
    // It asks bert, as it does not hear anna, which will be the heir of its removal.
    net.passes = ({ from, to, message }) =>
      message.kind !== "offer" && !(from === "cora" && to === "anna") && !(from === "anna" && to === "cora");
    net.run(12_000);
    leave(net, "cora");
    net.run(1_000);
    away(net);
    net.run(3_000);
    expect(at(net, "cora").stopped).toEqual(["removed"]);
    expect(net.nodes.values().every(({ heard }) => heard.length === 0)).toBe(true);
  });
});

describe("removal", () => {
  test("a silent member is removed after its lease, and one heir has its account in the pot", () => {
    const net = netOf("anna", "bert", "cora");
    net.stop("cora");
    net.run(LEASE_MS);
    expect(membersOf(net, "anna")).toContain("cora");
    net.run(10_000);
    expect(membersOf(net, "anna")).toEqual(["anna", "bert"]);
    const heir = at(net, "anna");
    expect(heir.members.writes()).toEqual(["anna", "cora"]);
    expect(heir.members.pot(net.now(heir))).toMatchObject([{ accounts: ["cora"] }]);
    expect(heir.members.reach.state(cora, net.now(heir))).toBe("removed");
    expect(heir.members.isUndecided).toBe(false);
    heir.members.settle(["cora" as AccountId], net.now(heir));
    expect(heir.members.pot(net.now(heir))).toEqual([]);
    expect(at(net, "bert").members.writerOf("cora" as AccountId)).toBe("anna");
  });

  test.each([
    { what: "a clock in order", learntByMs: 0, startByMs: 0 },
    { what: "a clock that is ahead at the restart", learntByMs: 0, startByMs: 3_600_000 },
    { what: "a clock that was behind when the pot was learnt of", learntByMs: -3_600_000, startByMs: 0 },
    { what: "a clock that is behind at the restart", learntByMs: 0, startByMs: -3_600_000 },
  ])("the pot's age is the time for which its heir has run: with $what", ({ learntByMs, startByMs }) => {
    const net = netOf("anna", "bert", "cora");
    const age = () => at(net, "anna").members.pot(net.now(at(net, "anna")))[0]?.passedMs ?? Number.NaN;
    at(net, "anna").skewMs = learntByMs;
    net.stop("cora");
    net.run(45_000);
    const ranMs = age();
    expect(ranMs).toBeGreaterThan(5_000);
    for (const step of [startByMs, 0]) {
      at(net, "anna").skewMs = step;
      net.stop("anna");
      net.sleep(100_000);
      net.start("anna");
      net.run(3_000);
    }
    // A second of each run at most is not on its disk yet when the next one starts.
    expect(age()).toBeLessThanOrEqual(ranMs + 6_000);
    expect(age()).toBeGreaterThanOrEqual(ranMs + 4_000);
  });

  test("a node whose disk may be an old one has no voice: it may have forgotten a vote", () => {
    const net = netOf("anna", "bert", "cora");
    const bert = at(net, "bert");
    bert.isInStep = false;
    net.carried.length = 0;
    cutOff(net, "cora");
    net.run(3 * LEASE_MS);
    const grants = net.sent("pong").filter(({ from }) => from === bert.self);
    expect(grants.length).toBeGreaterThan(0);
    expect(grants.every(({ message }) => (message as Of<"pong">).grants.length === 0)).toBe(true);
    for (const kind of ["fenced", "promise", "accepted", "prepare", "fence"] as const)
      expect(net.sent(kind).filter(({ from }) => from === bert.self)).toEqual([]);
    expect(membersOf(net, "anna")).toContain("cora");
    bert.isInStep = true;
    net.run(LEASE_MS);
    expect(membersOf(net, "anna")).toEqual(["anna", "bert"]);
  });

  test("a node that finds none of its members any more learns of its removal, even if its first question is lost", () => {
    const net = netOf("anna", "bert", "cora");
    net.stop("cora");
    net.run(2 * LEASE_MS);
    for (const name of ["dora", "emil"]) net.start(name);
    net.run(3_000);
    for (const name of ["anna", "bert"]) {
      leave(net, name);
      net.run(1_000);
      net.stop(name);
    }
    expect(membersOf(net, "dora")).toEqual(["dora", "emil"]);
    net.passes = ({ message }) => message.kind !== "view-wanted";
    const { stopped } = net.start("cora");
    net.passes = () => true;
    net.run(1_000);
    expect(stopped).toEqual(["removed"]);
  });

  test("a fence stands over restarts until the number is decided, with the same members if need be, and lets no lease past", () => {
    const net = netOf("anna", "bert", "cora");
    net.passes = ({ from, to, message }) => (from === cora) === (to === cora) && message.kind !== "promise";
    net.run(LEASE_MS + 5_000);
    const fenced = at(net, "anna");
    expect([bert, cora].map((node) => fenced.members.mayGiveTo(node, net.now(fenced)))).toEqual([true, false]);
    net.stop("bert");
    const again = net.start("bert");
    expect(again.members.isFenced("cora" as AccountId)).toBe(true);
    for (const from of [anna, cora]) {
      const ping = { kind: "ping", view: 3, incarnation: at(net, from).incarnation, id: 1 } as const;
      again.members.receive(from, ping, net.now(again));
    }
    net.flush();
    const answers = net
      .sent("pong")
      .slice(-2)
      .map(({ to, message }) => [to, (message as Of<"pong">).grants]);
    expect(answers).toEqual([
      [anna, [bert]],
      [cora, []],
    ]);
    net.passes = () => true;
    net.run(20_000);
    expect(membersOf(net, "bert")).toEqual(["anna", "bert", "cora"]);
    expect(again.members.isFenced("cora" as AccountId)).toBe(false);
    expect(again.members.view?.number).toBeGreaterThan(3);
    net.stop("bert");
    const after = net.start("bert");
    expect(after.members.isFenced("cora" as AccountId)).toBe(false);
    expect(after.members.isUndecided).toBe(false);
  });
});

describe("leaving", () => {
  test("a node that may lack gifts of its own leaves only when it knows them", () => {
    const net = netOf("anna", "bert", "cora");
    const node = at(net, "cora");
    node.mayHandOver = false;
    const told = leave(net, "cora");
    net.run(5_000);
    expect([node.members.writes(), told]).toEqual([["cora"], []]);
    node.mayHandOver = true;
    net.run(5_000);
    expect([node.members.writes(), told]).toMatchObject([[], [{ kind: "left" }]]);
  });

  test("a node that does not know the time takes nothing over; the leaver asks again", () => {
    const net = netOf("anna", "bert", "cora");
    for (const heir of ["anna", "bert"]) at(net, heir).mayTakeOver = false;
    const told = leave(net, "cora");
    net.run(3_000);
    expect([told, at(net, "anna").taken, at(net, "bert").taken]).toEqual([[], [], []]);
    at(net, "bert").mayTakeOver = true;
    net.run(3_000);
    expect(told).toMatchObject([{ kind: "left", heir: "bert" }]);
  });

  test("the heir of a node that has lost counts has all its accounts in pots that begin with the offer", () => {
    const net = netOf("anna", "bert", "cora");
    net.stop("cora");
    net.run(LEASE_MS + 10_000);
    const node = at(net, "anna");
    node.hasLostCounts = true;
    expect(node.members.pot(net.now(node))[0]?.passedMs).toBeGreaterThan(0);
    leave(net, "anna");
    const heir = at(net, "bert");
    expect(heir.members.pot(net.now(heir))).toMatchObject([
      { accounts: ["cora"], group: "left by anna", passedMs: 0 },
      { accounts: ["anna"], group: "left by anna", passedMs: 0 },
    ]);
  });

  test("one heir takes everything over at once, votes for the leaver, and the next view drops it", () => {
    const net = netOf("anna", "bert");
    const told = leave(net, "anna");
    net.run(5_000);
    expect(told).toEqual([{ kind: "left", heir: "bert" }]);
    expect(at(net, "anna").stopped).toEqual(["left"]);
    const heir = at(net, "bert");
    expect(heir.taken).toMatchObject([{ accounts: ["anna"], tables: "tables of anna" }]);
    expect(heir.members.view?.members.map(({ node }) => node)).toEqual(["bert"]);
    expect(heir.members.writes()).toEqual(["bert", "anna"]);
    expect(heir.members.pot(net.now(heir))).toEqual([]);
    expect(heir.members.reach.state(anna, net.now(heir))).toBe("left");
  });

  test("who is refused by all extends nothing before it has a new lease", () => {
    const net = netOf("anna", "bert", "cora");
    net.passes = ({ message }) => message.kind.startsWith("offer");
    for (const node of net.nodes.values()) node.members.leave(net.now(node), () => {});
    net.flush();
    net.run(12_000);
    for (const node of net.nodes.values())
      expect([node.members.isStopped, node.members.lease(net.now(node))]).toEqual([false, "none"]);
    net.passes = () => true;
    net.run(3_000);
    for (const node of net.nodes.values()) expect(node.members.lease(net.now(node))).toBe("held");
  });

  test("a refusal is final: a late copy of the offer makes no second heir", () => {
    const net = netOf("anna", "bert");
    const [one, other] = [at(net, "anna"), at(net, "bert")];
    one.members.leave(net.now(one), () => {});
    other.members.leave(net.now(other), () => {});
    net.flush();
    net.run(15_000);
    expect([one.members.isStopped, other.members.isStopped]).toEqual([false, false]);
    const late = net.sent("offer").filter(({ to }) => to === anna);
    expect(late.length).toBeGreaterThan(1);
    net.stop("anna");
    const again = net.start("anna");
    for (const { message } of late) again.members.receive(bert, { ...message, incarnation: 1_000 }, net.now(again));
    net.flush();
    expect(again.members.writes()).toEqual(["anna"]);
    expect(again.taken).toEqual([]);
  });

  test("while it has fenced a lost node, a member takes over nobody", () => {
    const net = netOf("anna", "bert", "cora", "dora");
    net.passes = ({ from, to, message }) =>
      (from === dora) === (to === dora) && !(message.kind === "fence" && to === cora) && message.kind !== "promise";
    net.run(LEASE_MS + 6_000);
    expect([anna, cora].map((name) => at(net, name).members.isFenced(accountOf(dora)))).toEqual([true, false]);
    leave(net, "cora");
    net.run(3_000);
    expect(net.sent("offer").length).toBeGreaterThan(0);
    expect(net.sent("offer-taken")).toEqual([]);
  });
});

describe("a node that learns its first view", () => {
  test("agrees to no removal for a lease: its earlier process may have granted one", () => {
    const net = netOf("anna", "bert", "cora");
    net.run(LEASE_MS);
    // Bert alone hears Cora, and has a disk from before it joined.
    const areApart = (from: NodeId, to: NodeId) => [from, to].includes(anna) && [from, to].includes(cora);
    net.passes = ({ from, to }) => !areApart(from, to);
    net.run(LEASE_MS + 10_000);
    const lost = at(net, "cora");
    expect(lost.members.lease(net.now(lost))).toBe("held");
    at(net, "bert").disk.clear();
    net.stop("bert");
    cutOff(net, "cora");
    net.start("bert");
    let isHeld = true;
    for (let passedMs = 0; membersOf(net, "anna").includes("cora"); passedMs += 500) {
      expect(passedMs).toBeLessThan(3 * LEASE_MS);
      net.run(500);
      isHeld = lost.members.lease(net.now(lost)) === "held";
    }
    expect(isHeld).toBe(false);
    expect(membersOf(net, "bert")).toEqual(["anna", "bert"]);
  });

  test("delays no removal in its first run, in which it has granted nothing", () => {
    const removedAfterMs = (replacedAfterMs: number): number => {
      const net = netOf("anna", "bert", "cora");
      net.stop("cora");
      let passedMs = 0;
      for (; membersOf(net, "anna").includes("cora"); passedMs += 500) {
        if (passedMs === replacedAfterMs) net.start("dora");
        net.run(500);
      }
      return passedMs;
    };
    const withoutMs = removedAfterMs(Number.POSITIVE_INFINITY);
    expect([10_000, 25_000].map(removedAfterMs)).toEqual([withoutMs, withoutMs]);
  });

  test("does not agree either way to the removal of a node that it hears", () => {
    const net = netOf("anna", "bert", "cora");
    const hearsCora = (node: NodeId) => [cora, dora].includes(node);
    net.passes = ({ from, to }) => [from, to].every(hearsCora) || ![from, to].includes(cora);
    net.start("dora");
    net.run(3 * LEASE_MS);
    expect(membersOf(net, "anna")).toEqual(["anna", "bert", "cora", "dora"]);
    // With a fence up it would give no more leases to the node that it hears.
    expect(net.sent("fence").some(({ to }) => to === dora)).toBe(true);
    expect(net.sent("fenced").filter(({ from }) => from === dora)).toEqual([]);
  });
});

describe("a clock that is wrong", () => {
  /** Cora's clock is wrong, bert leaves, and anna falls silent: a view of two needs no lease. */
  function alone(): MembersNet {
    const net = netOf("anna", "bert", "cora");
    at(net, "cora").skewMs = -78_000;
    net.run(3_000);
    leave(net, "bert");
    net.run(3_000);
    expect(membersOf(net, "cora")).toEqual(["anna", "cora"]);
    net.stop("anna");
    return net;
  }
  const mayAct = (net: MembersNet, name: string) => at(net, name).members.mayAct(net.now(at(net, name)));

  test("does not become right because the members that showed it have fallen silent, but when none is left", () => {
    const net = alone();
    net.run(20_000);
    expect(mayAct(net, "cora")).toBe(false);
    at(net, "cora").members.forget([anna], net.now(at(net, "cora")));
    net.run(5_000);
    expect(membersOf(net, "cora")).toEqual(["cora"]);
    expect(mayAct(net, "cora")).toBe(true);
  });
});

describe("forgetting", () => {
  test("one of two is forgotten by the operator's word; only sessions that are out count in its pot", () => {
    const net = netOf("anna", "bert");
    net.stop("anna");
    net.run(6_000);
    const node = at(net, "bert");
    expect(node.members.forget([anna], net.now(node))).toEqual({ ok: true });
    net.run(1_000);
    expect(membersOf(net, "bert")).toEqual(["bert"]);
    expect(node.members.pot(net.now(node))).toMatchObject([{ accounts: ["anna"] }]);
    expect(node.members.view?.number).toBeGreaterThan(1_000_000);
  });

  test("one that is about to be removed is forgotten at once", () => {
    const net = netOf("anna", "bert", "cora", "dora");
    net.passes = ({ message }) => message.kind !== "fenced";
    net.stop("dora");
    net.run(LEASE_MS + 5_000);
    const node = at(net, "anna");
    net.carried.length = 0;
    expect(node.members.forget([dora], net.now(node))).toEqual({ ok: true });
    net.run(200);
    expect(net.sent("fence").at(-1)?.message).toMatchObject({ nodes: ["dora"], isForgetting: true });
  });

  test("one that answers is not: it leaves by itself", () => {
    const net = netOf("anna", "bert", "cora");
    const node = at(net, "anna");
    const order = () => node.members.forget([cora], net.now(node));
    const problem =
      "Cannot forget cora as it must be silent: current value is cora, heard within the last seconds. A running node must leave: run anteroom leave there, or stop it for good first";
    expect(order()).toEqual({ reason: "answers", problem });
    // Its connection has ended, and nothing else is known.
    node.members.down(cora, net.now(node));
    expect(order()).toEqual({ reason: "answers", problem });
    net.run(LEASE_MS);
    expect(membersOf(net, "anna")).toEqual(["anna", "bert", "cora"]);
  });

  test("one that another member hears is not, and the order is taken back", () => {
    const net = netOf("anna", "bert", "cora");
    net.passes = ({ from, to }) => !(from === cora && to === anna) && !(from === anna && to === cora);
    net.run(6_000);
    const node = at(net, "anna");
    const told: Forgot[] = [];
    expect(node.members.forget([cora], net.now(node), { notify: (forgot) => told.push(forgot) })).toEqual({ ok: true });
    net.run(1_000);
    expect(told).toEqual([{ reason: "answers", problem: "Cannot forget cora as bert hears cora" }]);
    net.passes = () => true;
    net.run(2 * LEASE_MS);
    expect(membersOf(net, "anna")).toEqual(["anna", "bert", "cora"]);
    expect(node.members.isUndecided).toBe(false);
  });

  test("an order that cannot be carried out is taken back when its node is back, or after 20 s", () => {
    for (const isBack of [true, false]) {
      const net = netOf("anna", "bert", "cora", "dora");
      net.stop("dora");
      net.run(6_000);
      const node = at(net, "anna");
      const told: Forgot[] = [];
      expect(node.members.forget([dora], net.now(node), { notify: (forgot) => told.push(forgot) })).toEqual({
        ok: true,
      });
      net.stop("cora");
      net.run(10_000);
      expect(told).toEqual([]);
      if (isBack) net.start("dora");
      net.run(11_000);
      const why = isBack ? "dora answers" : "cora did not answer within 20 s";
      const reason = isBack ? "answers" : "others-silent";
      expect(told).toEqual([{ reason, problem: `Cannot forget dora as ${why}` }]);
      net.start("cora");
      if (!isBack) net.start("dora");
      net.run(3 * LEASE_MS);
      for (const name of ["anna", "bert", "cora", "dora"])
        expect(membersOf(net, name)).toEqual(["anna", "bert", "cora", "dora"]);
      expect(node.members.isUndecided).toBe(false);
    }
  });

  /** Cora is cut off, and bert orders to forget her. Messages of the kind `lost` do not arrive. */
  function orderWhileLost(lost: string, forMs?: number) {
    const net = netOf("anna", "bert", "cora");
    cutOff(net, "cora");
    net.run(6_000);
    const { passes } = net;
    net.passes = (carried) => passes(carried) && carried.message.kind !== lost;
    const node = at(net, "bert");
    const told: Forgot[] = [];
    node.members.forget([cora], net.now(node), { notify: (forgot) => told.push(forgot), ...(forMs && { forMs }) });
    net.run(300);
    return { net, node, told };
  }

  test("an order whose node is back while votes are open ends without an outcome when its time is over", () => {
    const { net, told } = orderWhileLost("accepted");
    net.passes = ({ message }) => message.kind !== "accepted";
    net.run(20_000);
    expect(told).toEqual([{ reason: "not-agreed", problem: `Cannot forget cora as it is back; ${MAY_BE_VOTED_ON}` }]);
  });

  test("an order whose time is over while votes are open says that it may be carried out all the same", () => {
    const { net, told } = orderWhileLost("accepted", 3_000);
    net.run(3_200);
    const problem = `Cannot forget cora as not all other members agreed within 3 s; ${MAY_BE_VOTED_ON}`;
    expect(told).toEqual([{ reason: "not-agreed", problem }]);
    cutOff(net, "cora");
    net.run(5_000);
    expect(membersOf(net, "anna")).toEqual(["anna", "bert"]);
  });

  test("an order for a node that answers is refused at once while members vote on something else", () => {
    const net = netOf("anna", "bert", "cora");
    net.passes = ({ message }) => message.kind !== "accepted";
    net.start("dora");
    net.run(1_000);
    const node = at(net, "bert");
    expect(node.members.isUndecided).toBe(true);
    expect(node.members.forget([cora], net.now(node))).toMatchObject({ reason: "answers" });
  });

  test("two that are lost at once are forgotten together, each by a word of its own that waits for the other", () => {
    const net = netOf("anna", "bert", "cora");
    for (const name of ["anna", "bert"]) net.stop(name);
    net.run(6_000);
    const node = at(net, "cora");
    const told: Forgot[] = [];
    const order = (lost: NodeId, forMs?: number) =>
      node.members.forget([lost], net.now(node), { forMs, notify: (forgot) => told.push(forgot) });
    expect(order(anna)).toMatchObject({ reason: "others-silent" });
    expect(order(anna, 10_000)).toEqual({ ok: true });
    net.run(5_000);
    expect(membersOf(net, "cora")).toHaveLength(3);
    expect(order(bert, 10_000)).toEqual({ ok: true });
    net.run(2_000);
    expect([told, membersOf(net, "cora"), node.members.former]).toEqual([[{}, {}], ["cora"], [anna, bert]]);
  });

  test("a word for one that is back is taken back, and another one is carried out without it", () => {
    const net = netOf("anna", "bert", "cora", "dora");
    for (const name of ["anna", "bert", "dora"]) net.stop(name);
    net.run(6_000);
    const node = at(net, "cora");
    const told: string[] = [];
    for (const lost of [anna, bert])
      node.members.forget([lost], net.now(node), {
        forMs: 20_000,
        notify: (forgot) => told.push(`${lost} ${forgot.problem}`),
      });
    net.run(2_000);
    for (const name of ["anna", "dora"]) net.start(name);
    net.run(3_000);
    expect(told.toSorted()).toEqual(["anna Cannot forget anna as anna answers", "bert undefined"]);
    expect(membersOf(net, "cora")).toEqual(["anna", "cora", "dora"]);
  });

  test("a node that has only just started takes no such order: it has heard nobody yet", () => {
    const net = netOf("anna", "bert");
    net.stop("anna");
    const again = net.start("anna");
    again.isInStep = false;
    expect(again.members.forget([bert], net.now(again))).toEqual({
      reason: "not-ready",
      problem:
        "Cannot forget bert as this node must first compare its disk with a member's: it has just started, try again in some seconds",
    });
  });

  test("with a majority of voters lost, all others must answer or be forgotten too", () => {
    const net = netOf("anna", "bert", "cora", "dora");
    for (const name of ["anna", "bert"]) net.stop(name);
    net.run(6_000);
    const node = at(net, "cora");
    expect(node.members.forget([anna], net.now(node))).toEqual({
      reason: "others-silent",
      problem:
        "Cannot forget anna as all other members must answer: current value is bert, silent. Start the nodes that can be started; forget those that run nowhere in the same command",
    });
    expect(node.members.forget([cora], net.now(node))).toMatchObject({ problem: expect.stringContaining("itself") });
    expect(node.members.forget(["emil" as NodeId], net.now(node))).toMatchObject({
      problem: expect.stringContaining("must be a member: current value is emil"),
    });
    expect(node.members.forget([anna, bert], net.now(node))).toEqual({ ok: true });
    net.run(2_000);
    expect(membersOf(net, "dora")).toEqual(["cora", "dora"]);
    expect(at(net, "dora").members.writerOf(accountOf(anna))).toBe("cora");
  });
});

describe("clocks", () => {
  test("a node whose clock is off holds back, extends its sessions, and all name it", () => {
    const net = netOf("anna", "bert", "cora");
    const node = at(net, "cora");
    node.skewMs = -5_000;
    // Its own step shows at once.
    expect(node.members.mayAct(net.now(node))).toBe(false);
    expect(node.members.mayExtendOwn(net.now(node))).toBe(true);
    net.run(5_000);
    expect(node.members.mayAct(net.now(node))).toBe(false);
    expect(at(net, "anna").members.mayAct(net.now(at(net, "anna")))).toBe(true);
    const text =
      "The clock of cora is 5.0 s behind the median of 3 members, and clocks may be 4 s apart: it admits, adopts and gives nothing until its time is set";
    expect(at(net, "anna").members.clocks.problems(net.now(at(net, "anna")))).toEqual([text]);
    expect(node.members.clocks.problems(net.now(node))).toEqual([text]);
    node.skewMs = 0;
    net.run(5_000);
    expect(node.members.mayAct(net.now(node))).toBe(true);
  });
});
