/** Pledges between members: who acknowledges them, what a removal makes of them, and when nothing is known. */

import { expect, test } from "vitest";
import { accountOf, type NodeId, type RoomId } from "../../../../mesh/core/ids.ts";
import { at, LEASE_MS, type MembersNet, netOf } from "./members-net.ts";

const shop = "shop" as RoomId;
const cora = "cora" as NodeId;

function pledge(net: MembersNet, name: string, slots: number): boolean {
  const node = at(net, name);
  const isTaken = node.members.pledge(new Map([[shop, slots]]), net.now(node));
  net.flush();
  return isTaken;
}

function ceiling(net: MembersNet, name: string): number {
  return at(net, name).members.pledges.ceiling(shop);
}

/** Stops a node, and starts it from its disk, which holds all that it has sent. */
function startAgain(net: MembersNet, name: string, isDiskComplete = true): void {
  net.stop(name);
  net.start(name, { isDiskComplete });
}

/** Cora pledges 7 slots and is lost; dora joins before cora is removed. */
function lostThenReplaced(): MembersNet {
  const net = netOf("anna", "bert", "cora");
  pledge(net, "cora", 7);
  net.stop("cora");
  net.start("dora");
  net.run(6_000);
  return net;
}

/** What the next view says of the slots that the nodes which it removes hold. */
function decided(net: MembersNet, by = "anna") {
  net.run(LEASE_MS + 5_000);
  const { view } = at(net, by).members;
  return view?.ceilings && { accounts: view.ceilings.accounts, rooms: view.ceilings.rooms };
}

test("a pledge is acknowledged at once, and the view that removes its node carries it with the accounts", () => {
  const net = netOf("anna", "bert", "cora");
  expect([pledge(net, "cora", 7), ceiling(net, "cora")]).toEqual([true, 7]);
  net.stop("cora");
  expect(decided(net)).toEqual({ accounts: [accountOf(cora)], rooms: [[shop, 7]] });
  const heir = at(net, "anna");
  expect(heir.members.pot(net.now(heir))).toMatchObject([{ accounts: [cora], ceilings: [[shop, 7]] }]);
});

test("a node that is lost, and started again as a new one before it is removed, holds what it had pledged", () => {
  const net = lostThenReplaced();
  expect(at(net, "anna").members.view?.members.map(({ node }) => node)).toEqual(["anna", "bert", "cora", "dora"]);
  expect(decided(net)?.rooms).toEqual([[shop, 7]]);
});

test("a voter does not believe a disk that may lack what it has sent, and clears it", () => {
  const net = netOf("anna", "bert", "cora");
  pledge(net, "cora", 7);
  net.stop("cora");
  const { disk } = at(net, "bert");
  expect(disk.has("members/pledges/cora")).toBe(true);
  startAgain(net, "bert", false);
  expect(disk.has("members/pledges/cora")).toBe(false);
  startAgain(net, "bert");
  expect(decided(net)).toBeUndefined();
});

test("what a removed node had pledged is on no disk any more", () => {
  const net = netOf("anna", "bert", "cora");
  pledge(net, "cora", 7);
  net.stop("cora");
  decided(net);
  expect(["anna", "bert"].filter((name) => at(net, name).disk.has("members/pledges/cora"))).toEqual([]);
});

test("two nodes pledge nothing", () => {
  const net = netOf("anna", "bert");
  expect([at(net, "bert").members.mustPledge, pledge(net, "bert", 7)]).toEqual([false, false]);
});

test("ceilings are about the accounts that they name: an heir that missed a view has others besides, and all stay held", () => {
  const net = netOf("anna", "bert", "cora", "dora", "emma");
  const bert = at(net, "bert");
  const { view } = bert.members;
  if (view === undefined) throw new Error("Broken: bert is a member");
  const members = view.members.filter(({ node }) => node !== "dora" && node !== "emma");
  const heirs = [...view.heirs, ...["dora", "emma"].map((name) => [accountOf(name as NodeId), bert.self, 0] as const)];
  const ceilings = { accounts: [accountOf("emma" as NodeId)], rooms: [[shop, 3] as const] };
  const decided = { ...view, number: view.number + 2, members, heirs, ceilings };
  const head = { view: decided.number, incarnation: 99 };
  bert.members.receive("anna" as NodeId, { kind: "decided", decided, ...head }, net.now(bert));
  const pots = bert.members.pot(net.now(bert));
  expect(pots.map((pot) => [pot.accounts, pot.ceilings])).toEqual([[["dora", "emma"], undefined]]);
});

/** A net in which anna hears no answers to her pings, and what an answer to her newest ping of bert says. */
function unanswered() {
  const net = netOf("anna", "bert", "cora");
  net.passes = ({ to, message }) => to !== "anna" || message.kind !== "pong";
  net.run(LEASE_MS + 2_000);
  const anna = at(net, "anna");
  const answer = (grants: readonly NodeId[], pledged: number) => {
    const asked = net.sent("ping").findLast(({ from, to }) => from === "anna" && to === "bert")?.message;
    if (asked?.kind !== "ping") throw new Error("Broken: anna pings bert");
    const { view, incarnation: asker, id } = asked;
    const incarnation = net.carried.findLast(({ from }) => from === "bert")?.message.incarnation ?? 0;
    const pong = { kind: "pong", view, incarnation, id, asker, wallMs: net.now(anna).wallMs, leavers: [] } as const;
    anna.members.receive("bert" as NodeId, { ...pong, grants: [...grants], pledged }, net.now(anna));
    net.run(2_500);
  };
  return { net, anna, answer };
}

test("only a voter, or the node that keeps it, grants a lease for it", () => {
  const { net, anna, answer } = unanswered();
  expect(anna.members.mayAct(net.now(anna))).toBe(false);
  answer([cora], 0);
  expect(anna.members.mayAct(net.now(anna))).toBe(false);
  answer(["bert" as NodeId], 0);
  expect(anna.members.mayAct(net.now(anna))).toBe(true);
});

test("while a pledge is open no other one is sent: voters would count what the first says as acknowledged", () => {
  const { net, answer } = unanswered();
  expect([pledge(net, "anna", 7), ceiling(net, "anna")]).toEqual([true, 0]);
  expect(pledge(net, "anna", 9)).toBe(false);
  net.run(2_500);
  answer([], 1_000_000);
  expect(ceiling(net, "anna")).toBe(7);
});
