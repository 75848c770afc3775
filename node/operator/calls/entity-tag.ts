/**
 * ETags of rooms, events and their lists, and the conditions of requests about them (RFC 9110, section 13).
 *
 * A tag is a hash of the document as it is answered. All that is in it belongs to the mesh, so every node of a release
 * has the same tag for the same state. It is strong: If-Match compares it by its characters, and a weak tag never
 * matches.
 */

import type { HonoRequest } from "hono";
import { sha256Hex } from "../../sha256.ts";
import { failure } from "./api-answers.ts";

/** 128 bits: two documents never have the same by chance. */
const HEX_DIGITS = 32;

export function entityTag(document: unknown): string {
  return `"${sha256Hex(JSON.stringify(document)).slice(0, HEX_DIGITS)}"`;
}

/** JSON with the tag of `document`, which is the part of it that a condition is about. */
export function tagged(body: object, document: unknown, status: 200 | 201 = 200): Response {
  return Response.json(body, { status, headers: { ETag: entityTag(document) } });
}

/**
 * Makes a change if the condition of its request holds at this node for `document`, as it is now; undefined where it
 * does not exist. Two nodes that have not heard of each other's change may each make one: then the later stamp wins.
 */
export function changeIf(
  request: HonoRequest,
  document: object | undefined,
  change: () => Response | Promise<Response>,
): Response | Promise<Response> {
  return (document && changedSince(request, document)) ?? change();
}

/** What a change gets that is about another state than the present `document`; undefined where it may go on. */
function changedSince(request: HonoRequest, document: unknown): Response | undefined {
  const [match, noneMatch] = [request.header("If-Match"), request.header("If-None-Match")];
  const tag = entityTag(document);
  if (match !== undefined && match.trim() !== "*" && !tagsIn(match).includes(tag)) {
    const detail = `Cannot change this as its ETag is ${tag} now, which If-Match does not name`;
    const hint = "read it again, repeat the change on what it is now, and send the new ETag";
    return failure("changed", detail, { hint, headers: { ETag: tag } });
  }
  if (noneMatch === undefined || !isAmong(noneMatch, tag)) return undefined;
  const detail = `Cannot change this as it exists, and its ETag is ${tag}, which If-None-Match excludes`;
  return failure("changed", detail, { hint: "leave If-None-Match out to change it", headers: { ETag: tag } });
}

/** 304 without a body for a reader that has `answer` already. */
export function unlessKnown(request: HonoRequest, answer: Response): Response {
  const [tag, known] = [answer.headers.get("ETag"), request.header("If-None-Match")];
  if (tag === null || known === undefined || !isAmong(known, tag)) return answer;
  return new Response(null, { status: 304, headers: { ETag: tag } });
}

/** The weak comparison: a `W/` before either makes no difference. */
function isAmong(field: string, tag: string): boolean {
  return field.trim() === "*" || tagsIn(field).some((each) => each.replace(/^W\//, "") === tag);
}

function tagsIn(field: string): readonly string[] {
  return field.match(/(?:W\/)?"[^"]*"/g) ?? [];
}
