/** The shapes of webhooks in the API. */

import { z } from "zod";
import type { Shape } from "../../config/document-fields.ts";
import { timeText } from "../../config/field-kinds.ts";
import { NOTICE } from "../notices/notice.ts";
import { WEBHOOK_FIELDS } from "../webhooks/webhook.ts";
import { named } from "./common-shapes.ts";

const { types, rooms, namespace, format, enabled } = WEBHOOK_FIELDS;

export const NEW_WEBHOOK = named(
  "NewWebhook",
  z.strictObject({
    ...WEBHOOK_FIELDS,
    types: types.default([]),
    rooms: rooms.default([]),
    namespace: namespace.default(null),
    format: format.default("json"),
    enabled: enabled.default(true),
  }),
);

export const WEBHOOK_PATCH = named("WebhookPatch", z.strictObject(WEBHOOK_FIELDS).partial());

const WEBHOOK = named(
  "Webhook",
  z.object({
    id: z.string().describe("the webhook's id"),
    ...WEBHOOK_FIELDS,
    created: timeText.describe("when it was made"),
    previous_secret_until: timeText.nullable().describe("until when the secret before the last rotation signs as well"),
    sender: z.string().describe("the node that sends for it now"),
    delivered: z.int().describe("notices of this node that the receiver took, since the node's start"),
    dead_letters: z.int().describe("notices that this node gave up, since its start"),
    waiting: z.int().describe("notices that wait for delivery at this node"),
    failing_since: timeText
      .nullable()
      .describe("since when the receiver takes none of this node; null while it does, or none waits"),
    last_error: z.string().nullable().describe("what the receiver answered then, or that its token is gone"),
  }),
);

/** A webhook as the API gives it. */
export type ApiWebhook = Shape<typeof WEBHOOK>;

export const WEBHOOK_ANSWER = named("WebhookAnswer", z.object({ webhook: WEBHOOK }));

export const WEBHOOK_LIST = named(
  "WebhookList",
  z.object({ webhooks: z.array(WEBHOOK).describe("in the order in which they were made") }),
);

export const WEBHOOK_WITH_SECRET = named(
  "WebhookWithSecret",
  z.object({ webhook: WEBHOOK, secret: z.string().describe("signs notices; it is shown this once") }),
);

named("Notice", NOTICE);

export const WEBHOOK_TESTED = named(
  "WebhookTested",
  z.object({
    delivered: z.boolean().describe("whether the receiver took it"),
    status: z.int().nullable().describe("of its answer; null without one"),
    error: z.string().nullable().describe("why it was not delivered"),
    proxy: z.string().nullable().describe("the proxy that was asked, of the node's environment; null for none"),
    milliseconds: z.int().describe("until the answer"),
    notice: NOTICE,
  }),
);

export type WebhookTested = Shape<typeof WEBHOOK_TESTED>;
