/**
 * The JSON body of a request to the admin API, within bounds: bytes, depth, and time to arrive.
 *
 * Too much of any is an answer of 4xx. No document of a room is deeper than five levels.
 */

import type { HonoRequest } from "hono";
import { repeatedKey } from "./repeated-key.ts";

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
      readonly status: 400 | 408 | 413;
    };

/** The body as data, or why it cannot be read; an optional one that is empty is `{}`. */
export async function jsonBody(
  request: HonoRequest,
  bytesMax: number,
  { isOptional = false }: { readonly isOptional?: boolean } = {},
): Promise<JsonBody> {
  const text = await textWithin(request, READ_MS);
  if (text === undefined) {
    return failed("too-slow", `Cannot read the body as it did not arrive within ${READ_MS / 1_000} s`, 408);
  }
  if (Buffer.byteLength(text) > bytesMax) {
    return failed("too-large", `Cannot read a body of more than ${bytesMax} bytes here`, 413);
  }
  if (isOptional && text === "") return { ok: true, value: {} };
  if (isDeep(text)) {
    return failed("bad-json", `Cannot read the body as JSON: it is nested more than ${DEPTH_MAX} levels deep`, 400);
  }
  try {
    const value: unknown = JSON.parse(text);
    const key = repeatedKey(text);
    if (key === undefined) return { ok: true, value };
    const shown = JSON.stringify(key.slice(0, KEY_SHOWN_CHARS_MAX));
    return failed("bad-json", `Cannot read the body as JSON: an object has the key ${shown} twice: leave one out`, 400);
  } catch (error) {
    return failed("bad-json", `Cannot read the body as JSON: ${(error as Error).message}`, 400);
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

function failed(code: (JsonBody & { ok: false })["code"], message: string, status: 400 | 408 | 413): JsonBody {
  return { ok: false, code, message, status };
}
