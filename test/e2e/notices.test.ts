/** Three nodes as real processes, a receiver that is down for a while, and a node that is killed meanwhile. */

import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import type { ApiWebhook } from "../../node/operator/api/webhook-shape.ts";
import type { NoticeDocument } from "../../node/operator/notices/notice.ts";
import { bodyOf, Origin, TestNode, until } from "./process.ts";

const ROOM = { name: "shop", host: "*", total_active_users: 6, new_users_per_minute: 60 };
/** A node is lost that was killed, and none that is only slow. */
const TIMES = ["--lease", "20s"];

/** A receiver that keeps what it got, by the order in which it came. */
class Receiver {
  readonly got: { readonly text: string; readonly headers: Record<string, string> }[] = [];
  isDown = false;
  refused = 0;

  async start(): Promise<string> {
    const { url } = await Origin.start(async (request, response) => {
      const text = await bodyOf(request);
      if (this.isDown) this.refused += 1;
      else this.got.push({ text, headers: request.headers as Record<string, string> });
      response.writeHead(this.isDown ? 503 : 204).end();
    });
    return `${url}/hook?key=secret`;
  }

  get notices(): NoticeDocument[] {
    return this.got.map(({ text }) => JSON.parse(text));
  }

  types(): string[] {
    return this.notices.map(({ type }) => type);
  }
}

describe("a webhook of a mesh", () => {
  test("gets signed notices although its receiver is down for a while, and those of the next node when its sender is killed", async () => {
    const receiver = new Receiver();
    const origin = await Origin.start();
    const common = { origin: origin.url, minuteMs: 4_000 };
    const first = await TestNode.start({ ...common, rooms: [ROOM], flags: TIMES });
    const flags = [...(await first.joining()), ...TIMES];
    const nodes = [first, await TestNode.start({ ...common, flags }), await TestNode.start({ ...common, flags })];
    const url = await receiver.start();
    const types = "[room.held, room.opened, room.queueing_started, node.lost, node.removed]";
    const made = await first.run(["webhook", "create", "name=test", `url=${url}`, `types=${types}`]);
    expect([made.code, made.stdout]).toEqual([0, expect.stringMatching(/^whsec_/)]);
    const secret = made.stdout.trim();
    expect((await first.run(["room", "hold", "shop"])).code).toBe(0);
    await until(() => receiver.types().includes("room.held"));
    expect((await first.run(["room", "resume", "shop"])).code).toBe(0);
    // A node that joins sends after 30 s, and takes what it finds in its first 15 s as reported.
    await until(async () =>
      (await Promise.all(nodes.map((node) => node.status()))).every(({ uptime_seconds }) => uptime_seconds >= 40),
    );
    await until(async () => new Set((await Promise.all(nodes.map(webhookAt))).map(({ sender: at }) => at)).size === 1);
    const webhook = await webhookAt(first);
    const ids = await Promise.all(nodes.map(async (node) => (await node.status()).node));
    const sender = nodes[ids.indexOf(webhook.sender)];
    const [one] = nodes.filter((node) => node !== sender);
    if (sender === undefined || one === undefined) throw new Error("no sender");

    receiver.isDown = true;
    expect((await one.run(["room", "hold", "shop"])).code).toBe(0);
    await until(async () => (await one.room()).state === "held");
    expect(await (await fetch(one.gate, { headers: { accept: "text/html" } })).text()).toContain("html");
    await until(() => receiver.refused > 0);
    await until(async () => (await webhookAt(sender)).waiting > 0);
    receiver.isDown = false;
    await until(() => receiver.types().includes("room.queueing_started"));
    await until(async () => (await webhookAt(sender)).waiting === 0);
    expect(await webhookAt(sender)).toMatchObject({ dead_letters: 0, failing_since: null });

    await sender.process.end("SIGKILL");
    await until(() => ["node.lost", "node.removed"].every((type) => receiver.types().includes(type)));
    expect((await one.run(["room", "open", "shop"])).code).toBe(0);
    await until(() => receiver.types().includes("room.opened"));
    const senderOf = (type: string) => receiver.notices.find((notice) => notice.type === type)?.node;
    expect(senderOf("room.queueing_started")).toBe(webhook.sender);
    expect(senderOf("room.opened")).not.toBe(webhook.sender);

    for (const { text, headers } of receiver.got) {
      const notice = JSON.parse(text);
      expect(new Webhook(secret).verify(text, headers)).toEqual(notice);
      expect(headers["webhook-id"]).toBe(notice.id);
    }
    for (const node of nodes) expect(node.process.log).not.toContain("key=secret");
  });
});

async function webhookAt(node: TestNode): Promise<ApiWebhook> {
  const { stdout } = await node.run(["webhook", "list", "--json"]);
  const [webhook] = (JSON.parse(stdout) as { webhooks: ApiWebhook[] }).webhooks;
  if (webhook === undefined) throw new Error("There is no webhook");
  return webhook;
}
