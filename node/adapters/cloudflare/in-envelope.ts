/**
 * Puts answers that other parts of the admin API give under `/client/v4` into the envelope: no token, too large a body,
 * no such route, a disk that refuses. It changes their form alone.
 */

import type { Context, MiddlewareHandler } from "hono";
import { isObject } from "../../config/is-object.ts";
import { CODES, type Code, failed, refusedFor } from "./envelope.ts";

const CODE_OF: Readonly<Record<number, Code>> = {
  400: CODES.badJson,
  401: CODES.unauthorized,
  403: CODES.forbidden,
  404: CODES.noRoute,
  408: CODES.tooSlow,
  413: CODES.tooLarge,
  415: CODES.contentType,
  429: CODES.tooMany,
  503: CODES.notStored,
};

/** Ways of Cloudflare's clients to say who they are that have no meaning here. */
const OTHER_KEYS = ["X-Auth-Key", "X-Auth-Email", "X-Auth-User-Service-Key"];

/** For all routes under a path; to be registered before everything else there. */
export const inEnvelope: MiddlewareHandler = async (c, next) => {
  await next();
  const { status } = c.res;
  if (status < 400) return;
  const said: unknown = await c.res
    .clone()
    .json()
    .catch(() => undefined);
  if (isObject(said) && "success" in said) return;
  if (status === 401) {
    c.res = refusedFor(401, CODES.unauthorized, whyUnknown(c));
    return;
  }
  const code = CODE_OF[status] ?? (status < 500 ? CODES.invalid : CODES.internal);
  c.res = failed(status, [{ code, message: messageIn(said) ?? `Cannot answer: status ${status}` }]);
};

function whyUnknown(c: Context): string {
  const repair =
    "send Authorization: Bearer TOKEN with a token of this mesh (apiToken in the SDK, api_token in Terraform)";
  const keys = OTHER_KEYS.filter((name) => c.req.header(name) !== undefined);
  if (keys.length > 0 && c.req.header("Authorization") === undefined)
    return `Cannot authenticate by ${keys.join(" and ")}, as those are accounts at Cloudflare: ${repair}`;
  return `Cannot act without a token that is valid here: ${repair}`;
}

/** The message of our own API's error, in either of its forms. */
function messageIn(said: unknown): string | undefined {
  const error = isObject(said) && isObject(said.error) ? said.error : said;
  if (!isObject(error)) return undefined;
  const parts = [error.message ?? error.detail ?? error.title, error.hint].filter((part) => typeof part === "string");
  return parts.length === 0 ? undefined : parts.join(": ");
}
