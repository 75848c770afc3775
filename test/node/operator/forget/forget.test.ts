import { expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import { forgetOrders } from "../../../../node/operator/forget/forget.ts";
import { at, netOf } from "../../../mesh/core/members/members-net.ts";

const [bert, cora] = ["bert", "cora"] as NodeId[] as [NodeId, NodeId];

function ordersOf(net: ReturnType<typeof netOf>, name: string) {
  const node = at(net, name);
  return forgetOrders({ members: node.members, now: () => net.now(node), wake: () => net.flush() });
}

test("a lost node is forgotten, and again is granted without an order", async () => {
  const net = netOf("anna", "bert", "cora");
  net.stop("cora");
  net.run(6_000);
  const orders = ordersOf(net, "anna");
  const first = orders.forget([cora], { forMs: 5_000 });
  net.run(2_000);
  expect(await first).toEqual({ ok: true, forgotten: [cora], already: [] });
  const { number } = at(net, "anna").members.view ?? {};
  expect([orders.former(), await orders.forget([cora], {})]).toEqual([
    [cora],
    { ok: true, forgotten: [], already: [cora] },
  ]);
  expect(await ordersOf(net, "bert").forget([cora], {})).toMatchObject({ already: [cora] });
  expect(at(net, "anna").members.view?.number).toBe(number);
});

test("one that the others have removed is granted, too, and one that answers is refused", async () => {
  const net = netOf("anna", "bert", "cora");
  net.stop("cora");
  net.run(60_000);
  const orders = ordersOf(net, "anna");
  expect(await orders.forget([cora], {})).toMatchObject({ ok: true, already: [cora] });
  expect(await orders.forget([bert, cora], {})).toMatchObject({ ok: false, reason: "answers" });
  expect(await orders.forget(["emil" as NodeId], {})).toMatchObject({ ok: false, reason: "unknown" });
});
