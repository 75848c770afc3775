/** Several nodes with one webhook: which of them sends what. */

import { expect, test } from "vitest";
import type { NodeId } from "../../../../mesh/core/ids.ts";
import type { Notice } from "../../../../node/operator/notices/notice.ts";
import { WebhookSecrets } from "../../../../node/operator/webhooks/webhook-secret.ts";
import { HANDOVER_MS, WebhookSender } from "../../../../node/operator/webhooks/webhook-sender.ts";
import { Webhooks } from "../../../../node/operator/webhooks/webhooks.ts";
import { type MeshNode, NoticeMesh } from "../notices/notice-mesh.ts";

const HANDOVER_SECONDS = HANDOVER_MS / 1_000;
const SILENT = { error: nothing, warn: nothing, info: nothing, debug: nothing };
const FIELDS = { url: "https://example.com/hook", rooms: [], namespace: null, format: "json", enabled: true } as const;

interface Received {
  readonly by: string;
  readonly type: string;
  readonly id: string;
}

/** Three nodes, and a receiver of their notices about one room. */
function world() {
  const mesh = new NoticeMesh(3);
  mesh.room("shop", "{}");
  mesh.spread();
  const received: Received[] = [];
  const receiver = { isDown: false };
  const clock = () => mesh.nowMs;
  const secrets = new WebhookSecrets({ meshId: "m", meshKey: new Uint8Array(32) });
  const senderAt = (node: MeshNode) => {
    const webhooks = new Webhooks({ registers: node.registers, secrets, tokens: { stands: () => true }, clock });
    const fetch = async (_: string, { body }: RequestInit) => {
      if (receiver.isDown) return new Response(null, { status: 503 });
      const { type, id } = JSON.parse(String(body));
      received.push({ by: node.id, type, id });
      return new Response(null, { status: 204 });
    };
    const about = { mesh: "m", node: node.id, version: "1.2.3", clock, log: SILENT };
    const parts = { ...about, webhooks, fetch, fetchOutside: fetch, proxyOf: () => false as const };
    return { webhooks, sender: new WebhookSender({ ...parts, random: () => 0 }) };
  };
  const parts = new Map(mesh.nodes.map((node) => [node.id, senderAt(node)]));
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      mesh.pass(1);
      for (const node of mesh.nodes)
        if (mesh.up.has(node.id)) parts.get(node.id)?.sender.tick(node.status(), node.news);
      await new Promise(setImmediate);
    }
  };
  const types = ["room.held", "room.resumed"];
  parts.get(mesh.node(0).id)?.webhooks.create({ ...FIELDS, name: "chat", types }, {});
  const restart = (node: MeshNode) => {
    node.restart();
    parts.set(node.id, senderAt(node));
    mesh.up.add(node.id);
  };
  return { mesh, received, receiver, pass, restart, parts };
}

/** Of a visitor's turn, until a moment. */
const called = (node: string, nowMs: number, untilMs: number): Notice => {
  const data = { by: "email", contact: "ada@example.com" };
  return { id: "ntc_1", type: "visitor.called", atMs: nowMs, untilMs, node: node as NodeId, room: "shop", data };
};

/** A mesh at rest, and the node that sends. */
async function settled() {
  const all = world();
  const { mesh, received, pass } = all;
  await pass(30);
  mesh.is("shop", { order: "hold" });
  await pass(2);
  mesh.is("shop", {});
  await pass(HANDOVER_SECONDS);
  expect(received.map(({ type }) => type)).toEqual(["room.held", "room.resumed"]);
  const [sender] = mesh.nodes.filter(({ id }) => id === received[0]?.by);
  if (sender === undefined) throw new Error("nobody has sent");
  received.length = 0;
  return { ...all, sender };
}

test("a visitor's turn is sent by the node that knows of it, only to webhooks that name it, and not once it is over", async () => {
  const { mesh, received, receiver, pass, parts } = await settled();
  for (const node of mesh.nodes) {
    const { webhooks, sender } = parts.get(node.id) ?? {};
    if (node === mesh.node(0)) webhooks?.create({ ...FIELDS, name: "all", types: [] }, {});
    mesh.spread();
    expect(sender?.sendOwn(called(node.id, mesh.nowMs, mesh.nowMs + 60_000))).toBe(false);
  }
  parts.get(mesh.node(0).id)?.webhooks.create({ ...FIELDS, name: "desk", types: ["visitor.called"] }, {});
  mesh.spread();
  for (const node of mesh.nodes) {
    expect(parts.get(node.id)?.sender.sendOwn(called(node.id, mesh.nowMs, mesh.nowMs + 60_000))).toBe(true);
    await pass(2);
    expect(received.splice(0)).toMatchObject([{ by: node.id, type: "visitor.called" }]);
  }
  receiver.isDown = true;
  parts.get(mesh.node(0).id)?.sender.sendOwn(called(mesh.node(0).id, mesh.nowMs, mesh.nowMs + 5_000));
  await pass(10);
  receiver.isDown = false;
  await pass(400);
  expect(received).toEqual([]);
});

test("what was seen shortly before the sender was found lost comes from the next one", async () => {
  const { mesh, received, receiver, pass, sender } = await settled();
  receiver.isDown = true;
  mesh.is("shop", { order: "hold" });
  await pass(10);
  mesh.up.delete(sender.id);
  receiver.isDown = false;
  await pass(5);
  expect(received).toMatchObject([{ type: "room.held" }]);
});

test("what the sender had sent before it was lost comes again with the same id, if it was shortly before", async () => {
  const { mesh, received, pass, sender } = await settled();
  mesh.is("shop", { order: "hold" });
  await pass(5);
  mesh.up.delete(sender.id);
  await pass(5);
  expect(received).toHaveLength(2);
  expect(new Set(received.map(({ id }) => id)).size).toBe(1);
  mesh.is("shop", {});
  await pass(60);
  mesh.up.delete(received[2]?.by as never);
  await pass(60);
  expect(received).toHaveLength(3);
});

test("what changes while the sender starts again comes from the one that replaces it", async () => {
  const { mesh, received, pass, restart, sender } = await settled();
  mesh.up.delete(sender.id);
  await pass(20);
  restart(sender);
  for (const isHeld of [true, false, true, false]) {
    mesh.is("shop", isHeld ? { order: "hold" } : {});
    await pass(10);
  }
  const types = ["room.held", "room.resumed", "room.held", "room.resumed"];
  const firsts = received.filter(({ id }, at) => received.findIndex((each) => each.id === id) === at);
  expect(firsts.map(({ type }) => type)).toEqual(types);
  await pass(HANDOVER_SECONDS);
  received.length = 0;
  mesh.is("shop", { order: "hold" });
  await pass(5);
  expect(received).toMatchObject([{ by: sender.id, type: "room.held" }]);
});

test("a node that came back is the sender again after that time, also when the clock is set back then", async () => {
  const { mesh, received, pass, restart, sender } = await settled();
  mesh.up.delete(sender.id);
  await pass(20);
  restart(sender);
  await pass(2 * HANDOVER_SECONDS);
  mesh.nowMs -= 3.5 * HANDOVER_MS;
  mesh.is("shop", { order: "hold" });
  await pass(5);
  expect(received).toMatchObject([{ by: sender.id, type: "room.held" }]);
});

test("what waits at a node is delivered by it when another one sends meanwhile", async () => {
  const { mesh, received, receiver, pass, restart, sender } = await settled();
  mesh.up.delete(sender.id);
  await pass(5);
  receiver.isDown = true;
  mesh.is("shop", { order: "hold" });
  await pass(5);
  restart(sender);
  await pass(2 * HANDOVER_SECONDS);
  receiver.isDown = false;
  await pass(300);
  expect(received).toMatchObject([{ type: "room.held" }]);
});

function nothing(): void {}
