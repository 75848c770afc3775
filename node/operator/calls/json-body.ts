/**
 * The JSON body of a request to the admin API, within bounds: bytes, depth, and time to arrive.
 *
 * Too much of any is an answer of 4xx. No document of a room is deeper than five levels. A key that an object has twice
 * is refused (RFC 8259, section 4, leaves open which one counts): `JSON.parse` takes the last one and says nothing;
 * another reader, such as a proxy that checks requests, may take the first.
 */

import type { HonoRequest } from "hono";
import { failure } from "./api-answers.ts";

/** Levels of lists and objects. Very deep JSON would overflow the stack of the checks. */
const DEPTH_MAX = 20;

/**
 * A body of the largest size takes this long over a slow link; a client that stalls does not keep its request open
 * longer.
 */
const READ_MS = 30_000;

/** Longer than the name of any field. */
const KEY_SHOWN_CHARS_MAX = 64;

export type JsonBody =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false;
      readonly code: "bad-json" | "too-slow" | "too-large";
      readonly message: string;
    };

/** Methods whose requests have no body that anybody reads. */
const WITHOUT_BODY: readonly string[] = ["GET", "HEAD", "OPTIONS"];

/**
 * Changes come as JSON, and say so: 415 for a body of any other type, or of none. A call may take one more type.
 *
 * A page of another site can have a browser send a form or plain text here without asking first, and JSON only after a
 * CORS preflight, which this API never allows. Without a token such a request is refused anyway; this
 * is the second lock. curl -d says it sends a form: write curl --json.
 */
export function wrongType(request: HonoRequest, taken: string | undefined): Response | undefined {
  const { method, raw } = request;
  const isEmpty = raw.body === null || request.header("Content-Length") === "0";
  const type = request.header("Content-Type");
  const isTaken = isJson(type) || (taken !== undefined && isOfType(type, taken));
  if (WITHOUT_BODY.includes(method) || isEmpty || isTaken) return undefined;
  const said = type === undefined ? "it says no content type" : `its content type is ${JSON.stringify(type)}`;
  const hint = "send Content-Type: application/json; with curl, write --json DATA in place of -d DATA";
  return failure("not-json", `Cannot read the body as ${said}`, { hint });
}

/** Whether a content type is JSON, with or without parameters. */
export function isJson(type: string | undefined): boolean {
  return isOfType(type, "application/json");
}

export function isOfType(type: string | null | undefined, wanted: string): boolean {
  return type?.split(";")[0]?.trim().toLowerCase() === wanted;
}

/** The body as data, or why it cannot be read; an optional one that is empty is `{}`. */
export async function jsonBody(
  request: HonoRequest,
  bytesMax: number,
  { isOptional = false }: { readonly isOptional?: boolean } = {},
): Promise<JsonBody> {
  const text = await textWithin(request, READ_MS);
  if (text === undefined) {
    return failed("too-slow", `Cannot read the body as it did not arrive within ${READ_MS / 1_000} s`);
  }
  if (Buffer.byteLength(text) > bytesMax) {
    return failed("too-large", `Cannot read a body of more than ${bytesMax} bytes here`);
  }
  if (isOptional && text === "") return { ok: true, value: {} };
  if (isDeep(text)) {
    return failed("bad-json", `Cannot read the body as JSON: it is nested more than ${DEPTH_MAX} levels deep`);
  }
  try {
    const value: unknown = JSON.parse(text);
    const key = repeatedKey(text);
    if (key === undefined) return { ok: true, value };
    const shown = JSON.stringify(key.slice(0, KEY_SHOWN_CHARS_MAX));
    return failed("bad-json", `Cannot read the body as JSON: an object has the key ${shown} twice: leave one out`);
  } catch (error) {
    return failed("bad-json", `Cannot read the body as JSON: ${(error as Error).message}`);
  }
}

async function textWithin(request: HonoRequest, ms: number): Promise<string | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), ms);
  try {
    return await Promise.race([request.text(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Counts brackets outside of strings. */
function isDeep(text: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') isInString = !isInString;
    else if (isInString && char === "\\") at += 1;
    else if (!isInString && (char === "[" || char === "{")) depth += 1;
    else if (!isInString && (char === "]" || char === "}")) depth -= 1;
    if (depth > DEPTH_MAX) return true;
  }
  return false;
}

/** A string, and whether it is a key; or a bracket. The string's parts overlap nowhere, so nothing is tried twice. */
const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\]]/g;

/** The first key that an object has twice, in a text that `JSON.parse` has read; undefined if there is none. */
export function repeatedKey(text: string): string | undefined {
  // A list has no keys, and its set stays empty.
  const keysOf: Set<string>[] = [];
  for (const [token, string, colon] of text.matchAll(TOKEN)) {
    if (token === "{" || token === "[") keysOf.push(new Set());
    else if (token === "}" || token === "]") keysOf.pop();
    else if (string !== undefined && colon !== undefined) {
      const key: string = JSON.parse(string);
      const keys = keysOf.at(-1);
      if (keys?.has(key) === true) return key;
      keys?.add(key);
    }
  }
  return undefined;
}

function failed(code: (JsonBody & { ok: false })["code"], message: string): JsonBody {
  return { ok: false, code, message };
}
