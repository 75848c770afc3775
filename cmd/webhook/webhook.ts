/** `anteroom webhook …`: where notices go, by the admin API of a running node. */

import type { ApiWebhook, WebhookTested } from "../../node/operator/api/webhook-shape.ts";
import { adminClient, answerField } from "../admin-client.ts";
import { type Invocation, isOn } from "../command.ts";
import { EXIT } from "../exit.ts";
import { count, table, tableOptions } from "../print.ts";
import { readFields } from "../room/room-input.ts";

/** A receiver has 10 s, and the node's own answer comes after that. */
const TEST_MS_MAX = 20_000;

export async function createWebhook(invocation: Invocation): Promise<number> {
  const document = readFields(invocation.positionals, invocation.io);
  const body = await adminClient(invocation).call("POST", "/v1/webhooks", document);
  return secretAnswer(invocation, body, ({ id, name }) => `Created webhook ${name} (${id}).`);
}

export async function listWebhooks(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const webhooks = answerField(
    await adminClient(invocation).call("GET", "/v1/webhooks"),
    "webhooks",
  ) as readonly ApiWebhook[];
  if (isOn(invocation, "json")) io.answer(JSON.stringify({ webhooks }));
  else if (webhooks.length > 0) io.answer(webhookTable(webhooks, invocation));
  else io.talk("No webhooks yet. Create one with: anteroom webhook create name=NAME url=URL");
  return EXIT.ok;
}

export async function updateWebhook(invocation: Invocation): Promise<number> {
  const [id = "", ...words] = invocation.positionals;
  const fields = readFields(words, invocation.io);
  const webhook = webhookIn(await adminClient(invocation).call("PATCH", pathOf(id), fields));
  invocation.io.answer(`Updated webhook ${webhook.name} (${id}): ${stateOf(webhook)}, ${filterOf(webhook)}.`);
  return EXIT.ok;
}

export async function rotateWebhook(invocation: Invocation): Promise<number> {
  const [id = ""] = invocation.positionals;
  const body = await adminClient(invocation).call("POST", `${pathOf(id)}/rotate`);
  return secretAnswer(
    invocation,
    body,
    ({ name, previous_secret_until }) =>
      `Webhook ${name} has a new secret. The one before signs as well until ${previous_secret_until}: change the receiver until then.`,
  );
}

export async function testWebhook(invocation: Invocation): Promise<number> {
  const [id = ""] = invocation.positionals;
  const body = await adminClient(invocation, { answerMaxMs: TEST_MS_MAX }).call("POST", `${pathOf(id)}/test`);
  const isDelivered = answerField(body, "delivered") === true;
  const { error, milliseconds, proxy } = Object(body) as WebhookTested;
  const by = proxy === null ? "" : `, by the proxy ${proxy}`;
  const { io } = invocation;
  if (isOn(invocation, "json")) io.answer(JSON.stringify(body));
  else if (isDelivered) io.answer(`The receiver took the notice within ${milliseconds} ms${by}.`);
  else io.answer(`The receiver did not take the notice: ${error}${by}.`);
  return isDelivered ? EXIT.ok : EXIT.checkFailed;
}

export async function deleteWebhook(invocation: Invocation): Promise<number> {
  const [id = ""] = invocation.positionals;
  const { name, waiting } = webhookIn(await adminClient(invocation).call("DELETE", pathOf(id)));
  const lost = waiting > 0 ? `: ${count(waiting, "notice")} will not be delivered` : "";
  invocation.io.answer(`Deleted webhook ${name} (${id})${lost}.`);
  return EXIT.ok;
}

/** The secret is the answer; what a person wants to know besides is talk. */
function secretAnswer(invocation: Invocation, body: unknown, words: (webhook: ApiWebhook) => string): number {
  const { io } = invocation;
  const webhook = webhookIn(body);
  const secret = String(answerField(body, "secret"));
  if (isOn(invocation, "json")) {
    io.answer(JSON.stringify({ webhook, secret }));
    return EXIT.ok;
  }
  io.talk(`${words(webhook)} Give its receiver this secret; it is not shown again:`);
  io.answer(secret);
  return EXIT.ok;
}

function webhookIn(body: unknown): ApiWebhook {
  return answerField(body, "webhook") as ApiWebhook;
}

function pathOf(id: string): string {
  return `/v1/webhooks/${encodeURIComponent(id)}`;
}

function stateOf({ enabled, failing_since: since }: ApiWebhook): string {
  if (!enabled) return "off";
  return since === null ? "ok" : `failing since ${since.slice(0, 16).replace("T", " ")}`;
}

function filterOf({ types, rooms, namespace }: ApiWebhook): string {
  const parts = [
    types.length === 0 ? "all types" : types.join(", "),
    ...(rooms.length === 0 ? [] : [`rooms ${rooms.join(", ")}`]),
    ...(namespace === null ? [] : [`namespace ${namespace}`]),
  ];
  return parts.join("; ");
}

function webhookTable(webhooks: readonly ApiWebhook[], { io }: Invocation): string {
  const columns = [
    ...[{ title: "ID" }, { title: "NAME", cutTo: 8 }, { title: "STATE" }, { title: "WAITING" }],
    ...[{ title: "DELIVERED" }, { title: "GIVEN UP" }, { title: "GETS", cutTo: 10 }, { title: "URL", cutTo: 12 }],
    { title: "SENDER", cutTo: 12 },
  ];
  const rows = webhooks.map((webhook) => {
    const { id, name, waiting, delivered, dead_letters: dead, url, sender } = webhook;
    const counts = [waiting, delivered, dead].map(String);
    return [id, name, stateOf(webhook), ...counts, filterOf(webhook), url, sender];
  });
  return table(columns, rows, tableOptions(io));
}
