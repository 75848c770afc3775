/** The shapes of webhooks in the API. What their fields may be is checked in webhooks/webhook.ts. */

import { z } from "zod";
import { timeText } from "../../config/field-kinds.ts";
import { NOTICE_TYPES, TEST_TYPE } from "../notices/notice.ts";
import { named } from "./common-shapes.ts";

const TYPES = Object.keys(NOTICE_TYPES);

const name = z.string().min(1).max(100).describe("for people, in logs and metrics");
const url = z.string().max(2_000).describe("where notices go: http or https, without user and password");
const types = z.array(z.enum(TYPES)).max(100).describe("types of notices; empty for all");
const rooms = z.array(z.string()).max(100).describe("names of rooms; empty for all");
const namespace = z.string().nullable().describe("rooms of this namespace only; null for all");
const enabled = z.boolean().describe("false switches it off; notices of that time are not sent later");

const FIELDS = { name, url, types, rooms, namespace, enabled };

export const NEW_WEBHOOK = named(
  "NewWebhook",
  z.strictObject({
    ...{ name, url },
    types: types.default([]),
    rooms: rooms.default([]),
    namespace: namespace.default(null),
    enabled: enabled.default(true),
  }),
);

export const WEBHOOK_PATCH = named("WebhookPatch", z.strictObject(FIELDS).partial());

const WEBHOOK = named(
  "Webhook",
  z.object({
    id: z.string().describe("the webhook's id"),
    ...FIELDS,
    created: timeText.describe("when it was made"),
    previous_secret_until: timeText.nullable().describe("until when the secret before the last rotation signs as well"),
    sender: z.string().describe("the node that sends for it now"),
    delivered: z.int().describe("notices that the receiver took"),
    dead_letters: z.int().describe("notices that were given up"),
    waiting: z.int().describe("notices that wait for delivery"),
    failing_since: timeText.nullable().describe("since when the receiver takes none; null while it does"),
    last_error: z.string().nullable().describe("what the receiver answered then"),
  }),
);

export const WEBHOOK_EXAMPLE = {
  ...{
    id: "wh_7f4e2a90c1b3d586",
    name: "chat",
    url: "https://example.com/hook",
    types: [],
    rooms: [],
    namespace: null,
  },
  ...{ enabled: true, created: "2026-11-27T10:00:00.000Z", previous_secret_until: null, sender: "12D3KooWSQHf" },
  ...{ delivered: 12, dead_letters: 0, waiting: 0, failing_since: null, last_error: null },
};

export const WEBHOOK_ANSWER = named("WebhookAnswer", z.object({ webhook: WEBHOOK }));

export const WEBHOOK_LIST = named(
  "WebhookList",
  z.object({ webhooks: z.array(WEBHOOK).describe("in the order in which they were made") }),
);

export const WEBHOOK_WITH_SECRET = named(
  "WebhookWithSecret",
  z.object({ webhook: WEBHOOK, secret: z.string().describe("signs notices; it is shown this once") }),
);

const NOTICE = named(
  "Notice",
  z.object({
    id: z.string().describe("the same at every node, and of this change only"),
    type: z.enum([...TYPES, TEST_TYPE]).describe("what happened"),
    time: timeText.describe("when it was first seen"),
    mesh: z.string().describe("the mesh"),
    node: z.string().describe("the node that reported it"),
    room: z.string().nullable().describe("the room's name; null in a notice about a node"),
    namespace: z.string().nullable().describe("the room's namespace"),
    data: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .describe("figures and names, by type"),
  }),
);

export const WEBHOOK_TESTED = named(
  "WebhookTested",
  z.object({
    delivered: z.boolean().describe("whether the receiver took it"),
    status: z.int().nullable().describe("of its answer; null without one"),
    error: z.string().nullable().describe("why it was not delivered"),
    milliseconds: z.int().describe("until the answer"),
    notice: NOTICE,
  }),
);
