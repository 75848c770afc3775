/** Three real nodes that are asked at once for changes of one state: one of them makes its change. */

import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { endAll, TestNode, until } from "./process.ts";

afterEach(endAll);

const LIMITS = { total_active_users: 6, new_users_per_minute: 60 };
const SHOP = { ...LIMITS, name: "shop", host: "*" };
const SALE = { name: "sale", event_start_time: "2036-09-12T10:00:00Z", event_end_time: "2036-09-12T12:00:00Z" };
const FLAGS = ["--lease", "30s", "--island", "60s"];
const ROUNDS = 10;
const PATIENCE_MS = 120_000;
const REFUSED = [200, 412, 412];

async function ask(node: TestNode, method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const answer = await fetch(`http://${node.admin}/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${node.token}`, "content-type": "application/json", ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: what a client gets is asserted field by field.
  return { status: answer.status, tag: answer.headers.get("ETag") ?? "", body: (await answer.json()) as any };
}

/** What all nodes answer once they agree. */
async function agreed(nodes: readonly TestNode[], path: string) {
  const read = () => Promise.all(nodes.map((node) => ask(node, "GET", path)));
  await until(async () => new Set((await read()).map(({ tag }) => tag)).size === 1);
  const [first] = await read();
  if (first === undefined) throw new Error("no node");
  return first;
}

const sorted = (all: readonly { readonly status: number }[]): number[] => all.map(({ status }) => status).sort();

test(
  "of three changes under one ETag at three nodes one is made, and the others get 412 with the ETag of that one",
  async () => {
    const common = { origin: "http://127.0.0.1:9", minuteMs: 4_000 };
    const one = await TestNode.start({ ...common, rooms: [SHOP], flags: FLAGS });
    const { mesh_address } = await one.process.logged("anteroom is up");
    const flags = ["--join", String(mesh_address), "--mesh-key", join(one.data, "mesh.key"), ...FLAGS];
    const nodes = [one, await TestNode.start({ ...common, flags }), await TestNode.start({ ...common, flags })];
    const alive = async (node: TestNode) =>
      (await node.status()).members.filter(({ state }) => state === "alive").length;
    for (const node of nodes) await until(async () => (await alive(node)) === 3);
    const atOnce = (method: string, path: string, change: (at: number) => object, headers: Record<string, string>) =>
      Promise.all(nodes.map((node, at) => ask(node, method, path, change(at), headers)));

    for (let round = 0; round < ROUNDS; round++) {
      const { tag } = await agreed(nodes, "rooms/shop");
      const limit = (at: number): number => 100 + round * 10 + at;
      const change = (at: number) => ({ total_active_users: limit(at) });
      const all = await atOnce("PATCH", "rooms/shop", change, { "If-Match": tag });
      expect([round, sorted(all)]).toEqual([round, REFUSED]);
      const winner = all.findIndex(({ status }) => status === 200);
      const after = await agreed(nodes, "rooms/shop");
      expect([after.body.room.total_active_users, after.tag]).toEqual([limit(winner), all[winner]?.tag]);
      expect(all.map((each) => each.tag)).toEqual([after.tag, after.tag, after.tag]);
    }

    // Held and resumed, the room is as it was: that is another state, and its right is to be had.
    const { tag } = await agreed(nodes, "rooms/shop");
    for (const order of ["hold", "resume"]) {
      const before = await agreed(nodes, "rooms/shop");
      const all = await atOnce("POST", `rooms/shop/${order}`, () => ({}), { "If-Match": before.tag });
      expect([order, sorted(all)]).toEqual([order, REFUSED]);
    }
    expect((await agreed(nodes, "rooms/shop")).tag).toBe(tag);
    const described = (at: number) => ({ description: `by ${at}` });
    const back = await atOnce("PATCH", "rooms/shop", described, { "If-Match": tag });
    expect(sorted(back)).toEqual(REFUSED);

    // A change that is refused for what it says keeps no other node out.
    const room = await agreed(nodes, "rooms/shop");
    expect((await ask(one, "PATCH", "rooms/shop", { total_active_users: 0 }, { "If-Match": room.tag })).status).toBe(
      422,
    );
    const [, other = one] = nodes;
    expect((await ask(other, "PATCH", "rooms/shop", { description: "" }, { "If-Match": room.tag })).status).toBe(200);

    await agreed(nodes, "rooms/shop");
    expect((await ask(one, "POST", "rooms/shop/events", SALE)).status).toBe(201);
    await agreed(nodes, "rooms/shop");
    const event = await agreed(nodes, "rooms/shop/events/sale");
    const events = await atOnce("PATCH", "rooms/shop/events/sale", described, { "If-Match": event.tag });
    expect(sorted(events)).toEqual(REFUSED);

    const list = await agreed(nodes, "rooms");
    const museum = (at: number) => ({
      rooms: [{ ...LIMITS, ...described(at), name: "museum", host: "museum.example" }],
    });
    const applied = await atOnce("POST", "rooms/apply", museum, { "If-Match": list.tag });
    expect(sorted(applied)).toEqual(REFUSED);

    const annex = (at: number) => ({ ...LIMITS, ...described(at), host: "annex.example" });
    const created = await atOnce("PUT", "rooms/annex", annex, { "If-None-Match": "*" });
    expect(sorted(created)).toEqual([201, 412, 412]);
  },
  PATIENCE_MS,
);
