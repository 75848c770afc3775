/**
 * Changes come as JSON, and say so: 415 for a body of any other type, or of none.
 *
 * A page of another site can have a browser send a form or plain text here without asking first, and JSON only after a
 * CORS preflight, which this API never allows. Without a token such a request is refused anyway; this
 * is the second lock. curl -d says it sends a form: write curl --json.
 */

import type { MiddlewareHandler } from "hono";
import { failure } from "./api-answers.ts";

const HINT = "send Content-Type: application/json; with curl, write --json DATA in place of -d DATA";

/** Methods whose requests have no body that anybody reads. */
const WITHOUT_BODY: readonly string[] = ["GET", "HEAD", "OPTIONS"];

export const jsonOnly: MiddlewareHandler = async (c, next) => {
  const { method, raw } = c.req;
  const isEmpty = raw.body === null || c.req.header("Content-Length") === "0";
  const type = c.req.header("Content-Type");
  if (WITHOUT_BODY.includes(method) || isEmpty || isJson(type)) return next();
  const said = type === undefined ? "it says no content type" : `its content type is ${JSON.stringify(type)}`;
  return failure("not-json", `Cannot read the body as ${said}`, { hint: HINT });
};

/** Whether a content type is JSON, with or without parameters. */
export function isJson(type: string | undefined): boolean {
  return /^\s*application\/json\s*(?:;|$)/i.test(type ?? "");
}
