/**
 * A webhook: where notices go, and which. It lies in a register, so every node has it, and any node may send.
 *
 * What its fields may be is checked here. Its secrets are sealed (webhook-secret.ts).
 */

import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Register } from "../../../mesh/core/replica/registers.ts";
import { unixMs } from "../../../mesh/core/wire/shapes.ts";
import { type Checked, type Complaint, checked, type Problem, problemAt } from "../../config/problem.ts";
import { isNoticeType, type Notice, typeList } from "../notices/notice.ts";

/** What an operator decides about a webhook. */
export interface WebhookFields {
  readonly name: string;
  readonly url: string;
  /** Empty: all types. */
  readonly types: readonly string[];
  /** Names of rooms; empty: all. */
  readonly rooms: readonly string[];
  readonly namespace: string | null;
  readonly enabled: boolean;
}

/** What the token that made a webhook may see: it gets no other notices. */
export interface WebhookOwner {
  readonly namespace?: string | undefined;
  readonly rooms?: readonly string[] | undefined;
}

export interface Webhook extends WebhookFields {
  readonly id: string;
  readonly createdMs: number;
  readonly owner: WebhookOwner;
  /** The secret that signs, sealed; and the one before it, for a while. */
  readonly secret: string;
  readonly previous?: { readonly secret: string; readonly untilMs: number } | undefined;
}

const NAME_CHARS_MAX = 100;
const URL_CHARS_MAX = 2_000;
/** A list of names in a filter; longer ones want a namespace. */
const FILTER_MAX = 100;

/** Rooms that a token may name. */
const ROOMS_OF_TOKEN_MAX = 1_000;

const DEFAULTS: Omit<WebhookFields, "name" | "url"> = { types: [], rooms: [], namespace: null, enabled: true };

const FIELD_NAMES = ["name", "url", "types", "rooms", "namespace", "enabled"] as const;

const NAMESPACE = /^[A-Za-z0-9_-]{1,32}$/;

/** The fields of a new webhook, or `before` with the fields that `document` names. */
export function parseWebhook(document: unknown, before?: WebhookFields): Checked<WebhookFields> {
  if (typeof document !== "object" || document === null || Array.isArray(document)) {
    const repair = 'send an object, such as {"name": "chat", "url": "https://example.com/hook"}';
    return { ok: false, problems: [problemAt("", document, { problem: "is not an object", repair })] };
  }
  const given = { ...DEFAULTS, ...before, ...document } as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(document).filter((name) => !(FIELD_NAMES as readonly string[]).includes(name));
  const problems: Problem[] = [
    ...unknown.map((name) =>
      problemAt(name, undefined, { problem: "is not a field of a webhook", repair: `use ${FIELD_NAMES.join(", ")}` }),
    ),
    ...FIELD_NAMES.flatMap((name) => {
      const complaint = COMPLAINTS[name](given[name]);
      return complaint === undefined ? [] : [problemAt(name, shown(name, given[name]), complaint)];
    }),
  ];
  return checked(
    Object.fromEntries(FIELD_NAMES.map((name) => [name, given[name]])) as unknown as WebhookFields,
    problems,
  );
}

/** A URL may hold a secret. */
function shown(name: string, value: unknown): unknown {
  return name === "url" && typeof value === "string" ? undefined : value;
}

const COMPLAINTS: Readonly<Record<(typeof FIELD_NAMES)[number], (value: unknown) => Complaint>> = {
  name: (value) =>
    typeof value === "string" && value.trim() !== "" && value.length <= NAME_CHARS_MAX && isPlain(value)
      ? undefined
      : { problem: "is not a name", repair: `write 1 to ${NAME_CHARS_MAX} characters, without control characters` },
  url: urlComplaint,
  types: (value) => listComplaint(value, (text) => isNoticeType(text), `name types among ${typeList()}`),
  rooms: (value) => listComplaint(value, (text) => text.length <= 200 && text !== "", "name rooms, such as [shop]"),
  namespace: (value) =>
    value === null || (typeof value === "string" && NAMESPACE.test(value))
      ? undefined
      : { problem: "is not a namespace", repair: "write 1 to 32 of A-Z, a-z, 0-9, _ and -; or null for all" },
  enabled: (value) =>
    typeof value === "boolean" ? undefined : { problem: "is not a boolean", repair: "write true or false" },
};

function urlComplaint(value: unknown): Complaint {
  const repair = "write an http:// or https:// URL without user and password, such as https://example.com/hook";
  if (typeof value !== "string" || value.length > URL_CHARS_MAX)
    return { problem: `is not a text of at most ${URL_CHARS_MAX} characters`, repair };
  const url = URL.parse(value);
  if (url === null || !/^https?:\/\//i.test(value) || !/^https?:$/.test(url.protocol))
    return { problem: "is not an http or https URL", repair };
  if (url.username !== "" || url.password !== "")
    return { problem: "has a user or a password", repair: `${repair}; the receiver knows us by the signature` };
  return url.hash === "" ? undefined : { problem: "has a fragment, which is never sent", repair };
}

function listComplaint(value: unknown, isGood: (text: string) => boolean, repair: string): Complaint {
  if (!Array.isArray(value)) return { problem: "is not a list", repair };
  if (value.length > FILTER_MAX) return { problem: `has more than ${FILTER_MAX} entries`, repair };
  const bad = value.find((each) => typeof each !== "string" || !isGood(each));
  return bad === undefined ? undefined : { problem: `has an entry that is not known: ${JSON.stringify(bad)}`, repair };
}

function isPlain(text: string): boolean {
  return !/\p{Cc}/u.test(text);
}

export function newWebhookId(): string {
  return `wh_${randomBytes(8).toString("hex")}`;
}

/** Whether a webhook is to get a notice. */
export function wants(webhook: Webhook, notice: Pick<Notice, "type" | "room">): boolean {
  const { enabled, types, rooms, namespace, owner } = webhook;
  if (!enabled || (types.length > 0 && !types.includes(notice.type))) return false;
  return isWithin(notice.room, { namespace: namespace ?? undefined, rooms }) && isWithin(notice.room, owner);
}

/** Whether a room lies in what a filter names. A notice about a node is in a filter that names nothing only. */
export function isWithin(
  room: string | undefined,
  {
    namespace,
    rooms = [],
  }: { readonly namespace?: string | undefined; readonly rooms?: readonly string[] | undefined },
): boolean {
  if (namespace !== undefined && room?.startsWith(`${namespace}:`) !== true) return false;
  return rooms.length === 0 || (room !== undefined && rooms.includes(room));
}

const sealed = z.string().max(200);

const stored = z.object({
  id: z.string().regex(/^wh_[0-9a-f]{16}$/),
  name: z.string().max(NAME_CHARS_MAX),
  url: z.string().max(URL_CHARS_MAX),
  types: z.array(z.string().max(100)).max(FILTER_MAX),
  rooms: z.array(z.string().max(200)).max(FILTER_MAX),
  namespace: z.string().nullable(),
  enabled: z.boolean(),
  createdMs: unixMs,
  owner: z.object({
    namespace: z.string().max(100).optional(),
    rooms: z.array(z.string().max(200)).max(ROOMS_OF_TOKEN_MAX).optional(),
  }),
  secret: sealed,
  previous: z.object({ secret: sealed, untilMs: unixMs }).optional(),
});

/** The webhook in a register; undefined if there is none, or none that can be read. */
export function webhookIn(register: Register | undefined): Webhook | undefined {
  if (register?.document === undefined) return undefined;
  try {
    const read = stored.safeParse(JSON.parse(register.document));
    return read.success && urlComplaint(read.data.url) === undefined ? read.data : undefined;
  } catch {
    // From a member that writes what it should not: as if there were none.
    return undefined;
  }
}

export function webhookRegister(webhook: Webhook | undefined, nowMs: number): Omit<Register, "stamp"> {
  return { firstName: "", document: webhook && JSON.stringify(webhook), createdMs: nowMs };
}
