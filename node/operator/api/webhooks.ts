/** The part of the admin API about webhooks: `/v1/webhooks`. */

import type { Context } from "hono";
import { WEBHOOKS_MAX } from "../../../mesh/core/replica/register-keys.ts";
import { type Problem, problemAt } from "../../config/problem.ts";
import { isoOf } from "../../iso-time.ts";
import { LEADS_HERE, leadsHere } from "../../outside.ts";
import { SHARE } from "../../rooms/share.ts";
import { isLimited, isOneTooMany, maySee, type Principal } from "../access/principal.ts";
import { failure, invalid } from "../calls/api-answers.ts";
import { operation } from "../calls/operation.ts";
import type { Serve } from "../calls/serve.ts";
import { type AdminEnv, type AuditLog, actorOf } from "../logs/audit.ts";
import { WEBHOOK_REPAIRS, type Webhook, type WebhookFields, type WebhookOwner } from "../webhooks/webhook.ts";
import type { WebhookSender } from "../webhooks/webhook-sender.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import {
  type ApiWebhook,
  NEW_WEBHOOK,
  WEBHOOK_ANSWER,
  WEBHOOK_LIST,
  WEBHOOK_PATCH,
  WEBHOOK_TESTED,
  WEBHOOK_WITH_SECRET,
} from "./webhook-shape.ts";

export interface WebhookRoutes {
  readonly webhooks: Webhooks;
  readonly sender: Pick<WebhookSender, "senderOf" | "deliveriesOf" | "test">;
  readonly nowMs: () => number;
  readonly audit: AuditLog;
}

/** A URL, and names of 100 rooms. */
const BODY_BYTES_MAX = 64 * 1024;

const ALL = "/v1/webhooks";
const ONE = "/v1/webhooks/{webhook}";
const OF = { topic: "notices", scope: "configure" } as const;
const BODY = { bytesMax: BODY_BYTES_MAX, read: "here", repairs: WEBHOOK_REPAIRS, hidden: ["url"] } as const;
const ANSWER = {
  description: "the webhook",
  schema: WEBHOOK_ANSWER,
} as const;
const WITH_SECRET = {
  description: "the webhook and its secret, which is shown this once",
  schema: WEBHOOK_WITH_SECRET,
} as const;

const LIST = operation({
  id: "listWebhooks",
  method: "GET",
  path: ALL,
  ...OF,
  summary: "lists the [webhooks](webhooks.md#webhooks), with what waits and what was given up",
  answer: {
    description: "in the order in which they were made",
    schema: WEBHOOK_LIST,
  },
});
const READ = operation({
  id: "getWebhook",
  method: "GET",
  path: ONE,
  ...OF,
  summary: "returns a webhook",
  answer: ANSWER,
  problems: ["not-found"],
});
const CREATE = operation({
  id: "createWebhook",
  method: "POST",
  path: ALL,
  ...OF,
  summary: "creates a webhook; the answer has its secret, this once only",
  body: { ...BODY, schema: NEW_WEBHOOK, example: { name: "chat", url: "https://example.com/hook" } },
  answer: { ...WITH_SECRET, status: 201 },
  problems: ["conflict"],
});
const UPDATE = operation({
  id: "updateWebhook",
  method: "PATCH",
  path: ONE,
  ...OF,
  summary: "changes these fields; from then on it depends on your token",
  body: { ...BODY, schema: WEBHOOK_PATCH, example: { types: ["room.held"] } },
  answer: ANSWER,
  problems: ["not-found"],
});
const REMOVE = operation({
  id: "deleteWebhook",
  method: "DELETE",
  path: ONE,
  ...OF,
  summary: "deletes a webhook, and what waits for it",
  answer: { ...ANSWER, description: "the webhook as it was" },
  problems: ["not-found"],
});
const ROTATE = operation({
  id: "rotateWebhookSecret",
  method: "POST",
  path: `${ONE}/rotate`,
  ...OF,
  summary: "gives a webhook a new secret; the one before signs as well for a day",
  answer: WITH_SECRET,
  problems: ["not-found"],
});
const TEST = operation({
  id: "testWebhook",
  method: "POST",
  path: `${ONE}/test`,
  ...OF,
  summary: "sends a notice of type `webhook.test` now, and says what the receiver answered",
  answer: {
    description: "what became of it",
    schema: WEBHOOK_TESTED,
  },
  problems: ["not-found"],
});

export const WEBHOOK_OPERATIONS = [LIST, READ, CREATE, UPDATE, REMOVE, ROTATE, TEST];

export function webhookRoutes(serve: Serve, parts: WebhookRoutes): void {
  const { webhooks, sender, audit } = parts;
  const shown = (webhook: Webhook): ApiWebhook => apiWebhook(webhook, parts);
  const found = ({ var: { principal } }: Context<AdminEnv>, id: string): Webhook | Response => {
    const webhook = webhooks.byId(id);
    if (webhook !== undefined && isFor(principal, webhook)) return webhook;
    return failure("not-found", `Cannot find webhook ${id}`, { hint: "list them with: anteroom webhook list" });
  };
  const note = (c: Context<AdminEnv>, action: string, { name, id }: Webhook): void =>
    audit.note(actorOf(c), action, { webhook: name, id });

  serve(LIST, ({ c }) =>
    c.json({
      webhooks: webhooks
        .all()
        .filter((webhook) => isFor(c.var.principal, webhook))
        .map(shown),
    }),
  );
  serve(READ, ({ c, params }) => {
    const webhook = found(c, params.webhook);
    return webhook instanceof Response ? webhook : c.json({ webhook: shown(webhook) });
  });
  serve(CREATE, ({ c, body }) => {
    const { principal } = c.var;
    const owner: WebhookOwner = { namespace: principal.namespace, rooms: principal.rooms, ...tokenOf(principal) };
    const problems = [...notSeen(principal, body), ...leadingHere(owner, body)];
    if (problems.length > 0) return invalid(problems);
    const owners = webhooks.all().map((webhook) => webhook.owner);
    if (isOneTooMany(owner, owners, WEBHOOKS_MAX)) {
      const message = `Cannot make another webhook with this token, of ${WEBHOOKS_MAX} in a mesh: ${SHARE}`;
      return failure("conflict", message, { hint: "delete one that is not used" });
    }
    const made = webhooks.create(body, owner);
    if (made === undefined) {
      const hint = "delete one that is not used, or send several rooms to one receiver";
      return failure("conflict", `Cannot make another webhook as a mesh has ${WEBHOOKS_MAX} at most`, { hint });
    }
    note(c, "webhook created", made.webhook);
    const headers = { Location: `${ALL}/${made.webhook.id}` };
    return c.json({ webhook: shown(made.webhook), secret: made.secret }, 201, headers);
  });
  serve(UPDATE, ({ c, params, body }) => {
    const webhook = found(c, params.webhook);
    if (webhook instanceof Response) return webhook;
    const fields: WebhookFields = Object.assign(fieldsOf(webhook), body);
    const problems = [...notSeen(c.var.principal, fields), ...leadingHere(webhook.owner, fields)];
    if (problems.length > 0) return invalid(problems);
    const changed = webhooks.update(webhook, fields, tokenOf(c.var.principal));
    note(c, "webhook updated", changed);
    return c.json({ webhook: shown(changed) });
  });
  serve(REMOVE, ({ c, params }) => {
    const webhook = found(c, params.webhook);
    if (webhook instanceof Response) return webhook;
    const answered = shown(webhook);
    webhooks.remove(webhook);
    note(c, "webhook deleted", webhook);
    return c.json({ webhook: answered });
  });
  serve(ROTATE, ({ c, params }) => {
    const webhook = found(c, params.webhook);
    if (webhook instanceof Response) return webhook;
    const rotated = webhooks.rotate(webhook);
    note(c, "secret of a webhook rotated", webhook);
    return c.json({ webhook: shown(rotated.webhook), secret: rotated.secret });
  });
  serve(TEST, async ({ c, params }) => {
    const webhook = found(c, params.webhook);
    if (webhook instanceof Response) return webhook;
    note(c, "webhook tested", webhook);
    const { kind, status = null, error, proxy, ms, notice } = await sender.test(webhook);
    return c.json({ delivered: kind === "delivered", status, error: error || null, proxy, milliseconds: ms, notice });
  });
}

/** A token sees webhooks that were made for what it sees itself. */
function isFor(principal: Principal, { owner }: Webhook): boolean {
  if (principal.namespace !== undefined && owner.namespace !== principal.namespace) return false;
  const { rooms } = principal;
  return rooms === undefined || (owner.rooms?.every((room) => rooms.includes(room)) ?? false);
}

/** What the fields name that the principal may not see. */
function notSeen(principal: Principal, { rooms, namespace }: WebhookFields): Problem[] {
  const repair = "name rooms that this token sees";
  const others = isLimited(principal) ? rooms.filter((room) => !maySee(principal, room)) : [];
  const isOther = namespace !== null && principal.namespace !== undefined && namespace !== principal.namespace;
  return [
    ...(others.length > 0 ? [problemAt("rooms", others, { problem: "has rooms that are not known", repair })] : []),
    ...(isOther ? [problemAt("namespace", namespace, { problem: "is not known", repair })] : []),
  ];
}

/** The token on which a webhook depends that the principal makes or changes; none for the host's own. */
function tokenOf({ name, createdMs }: Principal): Pick<WebhookOwner, "token"> {
  return createdMs === undefined ? {} : { token: { name, createdMs } };
}

/** A receiver that a webhook of this owner may not have. */
function leadingHere(owner: WebhookOwner, { url }: WebhookFields): Problem[] {
  const isRefused = isLimited(owner) && leadsHere(URL.parse(url)?.hostname ?? "");
  return isRefused ? [{ path: "url", ...LEADS_HERE }] : [];
}

function fieldsOf({ name, url, types, rooms, namespace, format, enabled }: Webhook): WebhookFields {
  return { name, url, types, rooms, namespace, format, enabled };
}

const TOKEN_GONE = "nothing is sent, as the token is gone with which it was changed last: change it with another one";

function apiWebhook(webhook: Webhook, { webhooks, sender, nowMs }: WebhookRoutes): ApiWebhook {
  const { id, createdMs, previous } = webhook;
  const { delivered, dead, waiting, trouble } = sender.deliveriesOf(webhook);
  const isSigning = previous !== undefined && nowMs() < previous.untilMs;
  return {
    id,
    ...fieldsOf(webhook),
    created: isoOf(createdMs),
    previous_secret_until: isSigning ? isoOf(previous.untilMs) : null,
    sender: sender.senderOf(webhook),
    delivered,
    dead_letters: dead,
    waiting,
    failing_since: trouble === undefined ? null : isoOf(trouble.sinceMs),
    last_error: webhooks.isOwned(webhook) ? (trouble?.error ?? null) : TOKEN_GONE,
  };
}
