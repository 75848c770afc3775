/**
 * Signatures by which a bot proves whose it is: Web Bot Auth (draft-ietf-webbotauth-httpsig-protocol-00), a use of HTTP
 * Message Signatures (RFC 9421) with Ed25519.
 *
 * The keys are in files of the operator, as their owners publish them (a JWKS). Nobody fetches a key: an address in
 * `Signature-Agent` is a stranger's. One signature of a request counts, the first with the tag `web-bot-auth`. It is good
 * from `created` to `expires` for the host that it names, and says nothing of other visitors who repeat it in that time.
 */

import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto";
import {
  type InnerList,
  type Item,
  isInnerList,
  parseDictionary,
  serializeInnerList,
  serializeItem,
} from "structured-headers";
import { isField } from "../http/fields.ts";
import type { HeaderList } from "../http/message.ts";
import type { BotClaim, SignedRequest } from "../rules/lookups.ts";

export interface BotKey {
  /** Whose it is: the name of its file. */
  readonly name: string;
  readonly key: KeyObject;
}

/** By thumbprint (RFC 7638). */
export type BotKeys = ReadonlyMap<string, BotKey>;

/** Keys of one file. A directory has a few: the present one, and the next. */
const KEYS_MAX = 100;

/** Characters of each of the fields that are parsed, in 0.1 ms. A signature with all its parameters takes some 400. */
const FIELD_CHARS_MAX = 2_048;

/** What a signature may cover; agents sign two or three parts. */
const COMPONENTS_MAX = 16;

/** Members of fields among them: each parses a field, before anybody knows whether the signature is good. */
const MEMBERS_MAX = 1;

/** How far the clock of a signer may be ahead. */
const AHEAD_SECONDS = 10;

const TAG = "web-bot-auth";

/** The Ed25519 keys of a JWKS, or what is wrong with it; keys of other kinds are left out. */
export function botKeys(name: string, { keys }: { readonly keys: readonly unknown[] }): BotKeys | string {
  if (keys.length > KEYS_MAX) return `has more than ${KEYS_MAX} keys: ${keys.length}`;
  const points = keys.flatMap((key) => pointIn(key) ?? []);
  if (points.length === 0) return "has no Ed25519 key";
  return new Map(
    points.map((x) => {
      const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
      return [thumbprint(x), { name, key }];
    }),
  );
}

/** The signature of a request under one of these keys, not yet verified; undefined where none can be good. */
export function botClaim({ request, secure, nowMs }: SignedRequest, keys: BotKeys): BotClaim | undefined {
  const input = fieldOf(request.headers, "signature-input");
  const signatures = input === undefined ? undefined : fieldOf(request.headers, "signature");
  if (input === undefined || signatures === undefined) return undefined;
  try {
    const [label, covered] = [...parseDictionary(input)].find(([, member]) => member[1].get("tag") === TAG) ?? [];
    if (label === undefined || covered === undefined || !isInnerList(covered)) return undefined;
    const bot = keys.get(String(covered[1].get("keyid")));
    const [bytes] = parseDictionary(signatures).get(label) ?? [];
    if (bot === undefined || !(bytes instanceof ArrayBuffer) || !isInTime(covered, nowMs)) return undefined;
    const base = signatureBase(covered, { request, secure });
    if (base === undefined) return undefined;
    return { name: bot.name, isGood: () => verify(null, Buffer.from(base, "latin1"), bot.key, Buffer.from(bytes)) };
  } catch {
    // No structured fields (RFC 9651): the sender is unproven, like one without a signature.
    return undefined;
  }
}

function pointIn(key: unknown): string | undefined {
  if (typeof key !== "object" || key === null) return undefined;
  const { kty, crv, x }: { readonly kty?: unknown; readonly crv?: unknown; readonly x?: unknown } = key;
  return kty === "OKP" && crv === "Ed25519" && typeof x === "string" && /^[\w-]{43}$/.test(x) ? x : undefined;
}

/** RFC 8037, appendix A.3. */
function thumbprint(x: string): string {
  return createHash("sha256").update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest("base64url");
}

function isInTime([, parameters]: InnerList, nowMs: number): boolean {
  const [created, expires, alg] = ["created", "expires", "alg"].map((name) => parameters.get(name));
  if (typeof created !== "number" || typeof expires !== "number") return false;
  const nowSeconds = nowMs / 1_000;
  return created <= nowSeconds + AHEAD_SECONDS && nowSeconds < expires && (alg === undefined || alg === "ed25519");
}

/**
 * What is signed (RFC 9421, section 2.5); undefined if the host is not part of it, nor the `Signature-Agent` that was
 * sent, or if it cannot be known.
 */
function signatureBase(covered: InnerList, from: Pick<SignedRequest, "request" | "secure">): string | undefined {
  const [components] = covered;
  const members = components.filter(([, parameters]) => parameters.has("key"));
  if (components.length > COMPONENTS_MAX || members.length > MEMBERS_MAX) return undefined;
  const names = components.map((component) => serializeItem(component));
  const isOfHost = names.includes('"@authority"') || names.includes('"@target-uri"');
  const hidesAgent =
    fieldOf(from.request.headers, "signature-agent") !== undefined &&
    !components.some(([name]) => name === "signature-agent");
  if (!isOfHost || hidesAgent || new Set(names).size < names.length) return undefined;
  const values = components.map((component) => componentValue(component, from));
  if (values.includes(undefined)) return undefined;
  const lines = names.map((name, at) => `${name}: ${values[at]}`);
  return [...lines, `"@signature-params": ${serializeInnerList(covered)}`].join("\n");
}

/** The value of a component (RFC 9421, sections 2.1 and 2.2); undefined if it is not there, or in an unknown form. */
function componentValue([name, parameters]: Item, { request, secure }: Pick<SignedRequest, "request" | "secure">) {
  if (typeof name !== "string") return undefined;
  const key = parameters.get("key");
  if (parameters.size > (key === undefined ? 0 : 1)) return undefined;
  if (!name.startsWith("@")) {
    const field = fieldOf(request.headers, name);
    if (key === undefined || field === undefined) return field;
    const member = parseDictionary(field).get(String(key));
    if (member === undefined) return undefined;
    return isInnerList(member) ? serializeInnerList(member) : serializeItem(member);
  }
  const { method, target } = request;
  const query = target.indexOf("?");
  const scheme = secure ? "https" : "http";
  switch (key === undefined ? name : "") {
    case "@method":
      return method;
    case "@authority":
      return authorityOf(request, secure);
    case "@scheme":
      return scheme;
    case "@request-target":
      return target;
    case "@target-uri":
      return `${scheme}://${authorityOf(request, secure)}${target}`;
    case "@path":
      return query < 0 ? target : target.slice(0, query);
    case "@query":
      return query < 0 ? "?" : target.slice(query);
    default:
      return undefined;
  }
}

/** The host in lower case, with its port unless that is the usual one. */
function authorityOf({ host, authority }: SignedRequest["request"], secure: boolean): string {
  const port = /:(\d+)$/.exec(authority)?.[1];
  return port === undefined || port === (secure ? "443" : "80") ? host : `${host}:${port}`;
}

/** All values of a field as one (RFC 9421, section 2.1); undefined if it is not there, or too long. */
function fieldOf(headers: HeaderList, name: string): string | undefined {
  const values = headers.filter((_, at) => at % 2 === 1 && isField(headers[at - 1] ?? "", name));
  const text = values.map((value) => value.trim()).join(", ");
  return values.length === 0 || text.length > FIELD_CHARS_MAX ? undefined : text;
}
