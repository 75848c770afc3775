/**
 * The length of a message's body (RFC 9112 §6): the question on which request smuggling depends.
 *
 * Requests: anything that two servers could read differently is refused, never repaired. Answers of the origin: the
 * same, except that equal repeated lengths are one length, that chunks override a length (RFC 9112 §6.3), also in
 * HTTP/1.0 (§6.1), and that a body may end with the connection.
 */

import type { Refusal } from "./fields.ts";

/**
 * `none`: no body and no framing field; a number: Content-Length; `until-close`: the connection's end is the end of the
 * body.
 */
export type Framing = "none" | "chunked" | "until-close" | number;

interface FramingFields {
  readonly contentLength: string | undefined;
  readonly transferEncoding: string | undefined;
}

/** Framing of a request's body. */
export function requestFraming(fields: FramingFields, minorVersion: 0 | 1): Framing | Refusal {
  const { contentLength, transferEncoding } = fields;
  if (transferEncoding !== undefined) {
    if (contentLength !== undefined) return { status: 400, reason: "both Content-Length and Transfer-Encoding" };
    if (minorVersion === 0) return { status: 400, reason: "Transfer-Encoding in HTTP/1.0" };
    if (transferEncoding.toLowerCase() !== "chunked") return { status: 400, reason: "a Transfer-Encoding not chunked" };
    return "chunked";
  }
  if (contentLength === undefined) return "none";
  return lengthOf(contentLength) ?? { status: 400, reason: "Content-Length is not one number" };
}

/** Framing of an origin's answer to a request of `method`; a text that says what is wrong with it. */
export function responseFraming(
  fields: FramingFields,
  answer: { readonly status: number; readonly method: string },
): { readonly framing: Framing; readonly contentLength: number | undefined } | string {
  const { transferEncoding } = fields;
  const values = fields.contentLength?.split(",").map((value) => value.trim());
  const contentLength = values === undefined ? undefined : lengthOf(values[0] ?? "");
  if (values !== undefined && (contentLength === undefined || values.some((value) => value !== values[0]))) {
    return "Content-Length is not one number";
  }
  const isChunked = transferEncoding !== undefined;
  if (isChunked && transferEncoding.toLowerCase() !== "chunked") return "a Transfer-Encoding not chunked";
  if (answer.status < 200 || answer.status === 204) return { framing: "none", contentLength: undefined };
  if (answer.method === "HEAD" || answer.status === 304)
    return { framing: "none", contentLength: isChunked ? undefined : contentLength };
  if (isChunked) return { framing: "chunked", contentLength: undefined };
  return { framing: contentLength ?? "until-close", contentLength };
}

function lengthOf(value: string): number | undefined {
  if (!/^[0-9]{1,16}$/.test(value)) return undefined;
  const length = Number(value);
  return Number.isSafeInteger(length) ? length : undefined;
}
