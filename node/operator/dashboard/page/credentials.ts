/** Tokens of the API and webhooks of the mesh: which there are, made, checked and deleted. A secret is shown once. */

import type { ApiToken } from "../../api/tokens.ts";
import type { ApiWebhook, WebhookTested } from "../../api/webhook-shape.ts";
import { type Call, read, send } from "./calls.ts";
import { button, make } from "./dom.ts";
import { chosen, fieldsOf, without } from "./fields.ts";
import { asCurl, type Column, openPanel, order, orderForm, problemOf, type Redraw, tableOf } from "./panel.ts";
import { numbers } from "./room-words.ts";
import { dateText } from "./times.ts";

interface Kind<Row> {
  readonly title: string;
  /** One of them, in the middle of a sentence. */
  readonly one: string;
  readonly path: string;
  readonly list: () => Promise<readonly Row[]>;
  readonly columns: readonly Column<Row>[];
  readonly nameOf: (row: Row) => string;
  readonly pathOf: (row: Row) => string;
  /** What is lost with it. */
  readonly lost: string;
  readonly schema: string;
  readonly main: readonly string[];
  /** Besides the one that deletes it. */
  readonly buttons: (row: Row, say: (text: string) => void) => readonly HTMLElement[];
}

const TOKENS: Kind<ApiToken> = {
  title: "Tokens",
  one: "token",
  path: "/v1/tokens",
  list: async () => (await read<{ tokens: readonly ApiToken[] }>("/v1/tokens")).tokens,
  columns: [
    { title: "Token", of: ({ name }) => name },
    { title: "Scopes", of: ({ scopes }) => scopes.join(", ") },
    {
      title: "Rooms",
      of: ({ rooms, namespace }) => rooms?.join(", ") ?? (namespace === null ? "all" : `${namespace}:…`),
    },
    { title: "Expires", of: ({ expires_on: on, expired }) => (expired ? "expired" : dateText(on) || "never") },
    { title: "Used here", of: ({ last_used_here: on }) => dateText(on) || "–" },
    { title: "Made by", of: ({ created_by: by }) => by },
  ],
  nameOf: ({ name }) => name,
  pathOf: ({ name }) => `/v1/tokens/${name}`,
  lost: "Programs that use it are refused from now on.",
  schema: "NewToken",
  main: ["name", "scopes", "expires"],
  buttons: (token) => [button("Rotate", () => void rotateToken(token), `Rotate token ${token.name}`)],
};

const WEBHOOKS: Kind<ApiWebhook> = {
  title: "Webhooks",
  one: "webhook",
  path: "/v1/webhooks",
  list: async () => (await read<{ webhooks: readonly ApiWebhook[] }>("/v1/webhooks")).webhooks,
  columns: [
    { title: "Webhook", of: ({ name }) => name },
    { title: "URL", of: ({ url }) => url },
    { title: "Format", of: ({ format }) => format },
    { title: "State", of: stateOf },
    { title: "Delivered", of: ({ delivered }) => numbers.format(delivered), isNumber: true },
    { title: "Given up", of: ({ dead_letters: dead }) => numbers.format(dead), isNumber: true },
  ],
  nameOf: ({ name }) => name,
  pathOf: ({ id }) => `/v1/webhooks/${id}`,
  lost: "What waits for it is lost.",
  schema: "NewWebhook",
  main: ["name", "url", "format", "types"],
  buttons: (webhook, say) => [
    button("Test", () => void test(webhook, say), `Test webhook ${webhook.name}`),
    button("Edit", () => void editWebhook(webhook), `Edit webhook ${webhook.name}`),
    button("Rotate", () => void rotateWebhook(webhook), `Rotate webhook ${webhook.name}`),
  ],
};

export async function openTokens(): Promise<void> {
  await open(TOKENS);
}

export async function openWebhooks(): Promise<void> {
  await open(WEBHOOKS);
}

/** `news`, such as a secret, is shown at once, and stays if the list cannot be read: the node does not say it again. */
async function open<Row>(kind: Kind<Row>, ...news: readonly HTMLElement[]): Promise<void> {
  if (news.length > 0) await openPanel(kind.title, async () => news);
  await openPanel(kind.title, async (redraw) => [...news, ...(await listed(kind, redraw).catch(problemOf))]);
}

async function listed<Row>(kind: Kind<Row>, redraw: Redraw): Promise<readonly HTMLElement[]> {
  const { title, one, path, list, columns, nameOf, pathOf, lost, schema, main } = kind;
  const said = make("p", { role: "status" });
  const remove = (row: Row): HTMLElement => {
    const call: Call = { method: "DELETE", path: pathOf(row) };
    const question = `Delete ${one} ${nameOf(row)}? ${lost}`;
    return button("Delete", () => void order(question, call, redraw), `Delete ${one} ${nameOf(row)}`);
  };
  const table = tableOf({
    label: title,
    columns,
    rows: await list(),
    none: `There is no ${one} that you may see.`,
    buttons: (row) => [...kind.buttons(row, (text) => said.replaceChildren(text)), remove(row)],
  });
  const fields = await fieldsOf(schema);
  const form = orderForm<{ readonly secret: string }>({
    label: `Make a ${one}`,
    fields: chosen(fields, main),
    more: without(fields, main),
    button: `Make the ${one}`,
    call: ({ values }) => ({ method: "POST", path, body: values() }),
    done: ({ secret }) => open(kind, secretShown(`the new ${one}`, secret)),
  });
  return [table, said, asCurl(() => ({ method: "GET", path })), make("h3", {}, `Make a ${one}`), form];
}

/** `more`: what there is to say about the secret before it. */
function secretShown(of: string, secret: string, ...more: readonly string[]): HTMLElement {
  const words = [`The secret of ${of}. Copy it now: it is not shown again.`, ...more].join(" ");
  return make("div", { role: "status", class: "secret" }, make("p", {}, words), make("pre", { tabindex: "0" }, secret));
}

interface RotatedToken {
  readonly token: ApiToken;
  readonly secret: string;
  readonly silent_nodes: readonly string[];
}

async function rotateToken(old: ApiToken): Promise<void> {
  const { name } = old;
  await openPanel(`Rotate token ${name}`, async () => [
    orderForm<RotatedToken>({
      label: `Another secret for token ${name}`,
      fields: await fieldsOf("RotateOrder"),
      button: "Rotate",
      call: ({ values }) => ({ method: "POST", path: `${TOKENS.pathOf(old)}/rotate`, body: values() }),
      done: ({ token, secret, silent_nodes: silent }) => {
        const until = token.previous_secret?.until;
        const before = until === undefined ? "has ended" : `counts until ${dateText(until)}`;
        const late = silent.length === 0 ? [] : [`These nodes learn of it when they are back: ${silent.join(", ")}.`];
        return open(TOKENS, secretShown(`token ${name}`, secret, `The one before ${before}.`, ...late));
      },
    }),
  ]);
}

async function editWebhook(webhook: ApiWebhook): Promise<void> {
  const { name } = webhook;
  await openPanel(`Edit webhook ${name}`, async () => [
    orderForm({
      label: `Webhook ${name}`,
      fields: await fieldsOf("WebhookPatch"),
      values: webhook,
      button: "Save",
      call: ({ changed }) => ({ method: "PATCH", path: WEBHOOKS.pathOf(webhook), body: changed() }),
      done: openWebhooks,
    }),
  ]);
}

async function rotateWebhook(webhook: ApiWebhook): Promise<void> {
  const { name } = webhook;
  const question = `Give webhook ${name} another secret? The one before signs as well for a day: change the receiver until then.`;
  const call: Call = { method: "POST", path: `${WEBHOOKS.pathOf(webhook)}/rotate` };
  await order<{ readonly webhook: ApiWebhook; readonly secret: string }>(question, call, ({ webhook: now, secret }) => {
    const before = `The one before signs as well until ${dateText(now.previous_secret_until)}.`;
    return open(WEBHOOKS, secretShown(`webhook ${name}`, secret, before));
  });
}

function stateOf({ enabled, failing_since: since, last_error: error, waiting }: ApiWebhook): string {
  if (!enabled) return "off";
  if (since !== null || error !== null) return `failing: ${error ?? dateText(since)}`;
  return waiting > 0 ? `${numbers.format(waiting)} waiting` : "on";
}

async function test({ id, name }: ApiWebhook, say: (text: string) => void): Promise<void> {
  const sent = send<WebhookTested>({ method: "POST", path: `/v1/webhooks/${id}/test` });
  const { delivered, status, error } = await sent.catch((problem: unknown) => ({
    ...{ delivered: false, status: null },
    error: String(problem),
  }));
  const answer = status === null ? "" : ` (status ${status})`;
  say(delivered ? `${name} took the test${answer}.` : `${name} did not take the test${answer}: ${error ?? "refused"}`);
}
