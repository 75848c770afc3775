/**
 * A webhook: where notices go, and which. It lies in a register, so every node has it, and any node may send.
 *
 * What its fields may be is checked here. Its secrets are sealed (webhook-secret.ts).
 */

import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { WebhookKey } from "../../../mesh/core/replica/register-keys.ts";
import type { Register } from "../../../mesh/core/replica/registers.ts";
import { unixMs } from "../../../mesh/core/wire/shapes.ts";
import type { Shape } from "../../config/document-fields.ts";
import type { Complaint } from "../../config/problem.ts";
import { NAMESPACE } from "../../config/room-name.ts";
import { text } from "../../config/text-field.ts";
import { NOTICE_TYPES, type Notice, typeList } from "../notices/notice.ts";
import { WEBHOOK_FORMATS } from "./webhook-body.ts";

const NAME_CHARS_MAX = 100;
const URL_CHARS_MAX = 2_000;
/** A list of names in a filter; longer ones want a namespace. */
const FILTER_MAX = 100;

/** What an operator decides about a webhook. */
export const WEBHOOK_FIELDS = {
  name: z
    .string()
    .max(NAME_CHARS_MAX)
    .refine((text) => text.trim() !== "" && !/\p{Cc}/u.test(text), "is blank, or has control characters")
    .describe("for people, in logs and metrics"),
  url: text(urlComplaint, URL_CHARS_MAX).describe("where notices go: http or https, without user and password"),
  types: z
    .array(z.enum(Object.keys(NOTICE_TYPES), "is not a type of notice"))
    .max(FILTER_MAX)
    .describe("types of notices; empty for all but visitor.called"),
  rooms: z.array(z.string().min(1).max(200)).max(FILTER_MAX).describe("names of rooms; empty for all"),
  namespace: z
    .string()
    .regex(NAMESPACE, "is not a namespace")
    .nullable()
    .describe("rooms of this namespace only; null for all"),
  format: z
    .enum(WEBHOOK_FORMATS, "is not a format")
    .describe("json for programs; slack and teams for their incoming webhooks"),
  enabled: z.boolean().describe("false switches it off; notices of that time are not sent later"),
};

/** What to write in each. */
export const WEBHOOK_REPAIRS: Readonly<Record<keyof typeof WEBHOOK_FIELDS | "", string>> = {
  "": 'send an object, such as {"name": "chat", "url": "https://example.com/hook"}',
  name: `write 1 to ${NAME_CHARS_MAX} characters, without control characters`,
  url: "write an http:// or https:// URL without user and password, such as https://example.com/hook; the receiver knows us by the signature",
  types: `name at most ${FILTER_MAX} types among ${typeList()}`,
  rooms: `name at most ${FILTER_MAX} rooms, such as [shop]`,
  namespace: "write 1 to 32 of A-Z, a-z, 0-9, _ and -; or null for all",
  format: `write ${WEBHOOK_FORMATS.join(", ")}`,
  enabled: "write true or false",
};

export type WebhookFields = Shape<z.ZodObject<typeof WEBHOOK_FIELDS>>;

function urlComplaint(written: string): Complaint {
  const repair = WEBHOOK_REPAIRS.url;
  const url = URL.parse(written);
  if (url === null || !/^https?:\/\//i.test(written) || !/^https?:$/.test(url.protocol))
    return { problem: "is not an http or https URL", repair };
  if (url.username !== "" || url.password !== "") return { problem: "has a user or a password", repair };
  return url.hash === "" ? undefined : { problem: "has a fragment, which is never sent", repair };
}

/** Rooms that a token may name. */
const ROOMS_OF_TOKEN_MAX = 1_000;

const sealed = z.string().max(200);

/** What the token that made a webhook may see: it gets no other notices, and none once its last token is gone. */
const owner = z.object({
  namespace: z.string().max(100).optional(),
  rooms: z.array(z.string().max(200)).max(ROOMS_OF_TOKEN_MAX).optional(),
  /** With which it was made or changed last; left out for a host's own. */
  token: z.object({ name: z.string().max(100), createdMs: unixMs }).optional(),
});
export type WebhookOwner = Shape<typeof owner>;

const stored = z.object({
  id: z.string().regex(/^wh_[0-9a-f]{16}$/),
  ...WEBHOOK_FIELDS,
  // A newer release has more types.
  types: z.array(z.string().max(100)).max(FILTER_MAX),
  createdMs: unixMs,
  owner,
  /** The secret that signs, sealed; and the one before it, for a while. */
  secret: sealed,
  previous: z.object({ secret: sealed, untilMs: unixMs }).optional(),
});

/** As its register has it. */
export type StoredWebhook = Shape<typeof stored>;

/** A webhook and its place. */
export interface Webhook extends StoredWebhook {
  readonly key: WebhookKey;
}

export function newWebhookId(): string {
  return `wh_${randomBytes(8).toString("hex")}`;
}

/** Whether a webhook is to get a notice. */
export function wants(webhook: StoredWebhook, notice: Pick<Notice, "type" | "room">): boolean {
  const { enabled, types, rooms, namespace, owner } = webhook;
  // Visitors' addresses are not for everybody who wants to know how the site does.
  const isForAll = types.length === 0 && notice.type !== "visitor.called";
  if (!enabled || !(isForAll || types.includes(notice.type))) return false;
  return isWithin(notice.room, { namespace: namespace ?? undefined, rooms }) && isWithin(notice.room, owner);
}

/** Whether a room lies in what a filter names. A notice about a node is in a filter that names nothing only. */
export function isWithin(room: string | undefined, { namespace, rooms = [] }: WebhookOwner): boolean {
  if (namespace !== undefined && room?.startsWith(`${namespace}:`) !== true) return false;
  return rooms.length === 0 || (room !== undefined && rooms.includes(room));
}

const READ = new WeakMap<Register, StoredWebhook | undefined>();

/** The webhook in a register; undefined if there is none, or none that can be read. Reading one again costs nothing. */
export function webhookIn(register: Register | undefined): StoredWebhook | undefined {
  if (register?.document === undefined) return undefined;
  const { document } = register;
  return READ.getOrInsertComputed(register, () => parsed(document));
}

function parsed(document: string): StoredWebhook | undefined {
  try {
    const read = stored.safeParse(JSON.parse(document));
    return read.data;
  } catch {
    // From a member that writes what it should not: as if there were none.
    return undefined;
  }
}

export function webhookRegister(webhook: StoredWebhook | undefined, nowMs: number): Omit<Register, "stamp"> {
  return { firstName: "", document: webhook && JSON.stringify(webhook), createdMs: nowMs };
}
