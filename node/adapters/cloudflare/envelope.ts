/**
 * The envelope of Cloudflare's API: `{ result, success, errors, messages }`, and the codes of its errors.
 *
 * Their schema wants a code of 1000 or more and names one, 7003. The others here are ours: 1000 and the HTTP status
 * that a single error of the kind would have, so that a script may read the kind from the code; docs/cloudflare.md
 * lists them.
 */

import type { Problem } from "../../config/problem.ts";

export const CODES = {
  noRoute: 7003,
  unauthorized: 10_000,
  forbidden: 9109,
  badJson: 1400,
  invalid: 1401,
  missing: 1402,
  unknownField: 1403,
  notFound: 1404,
  notHere: 1406,
  tooSlow: 1408,
  taken: 1409,
  tooLarge: 1413,
  contentType: 1415,
  tooMany: 1429,
  internal: 1500,
  notStored: 1503,
} as const;

export type Code = (typeof CODES)[keyof typeof CODES];

export interface Fault {
  readonly code: Code;
  readonly message: string;
  /** Of the field in the body, as a JSON pointer (RFC 6901). */
  readonly source?: { readonly pointer: string };
}

/** Where an answer is one page of several. */
export interface ResultInfo {
  readonly count: number;
  readonly page: number;
  readonly per_page: number;
  readonly total_count: number;
  readonly total_pages: number;
}

export function succeeded(result: unknown, resultInfo?: ResultInfo): Response {
  const info = resultInfo === undefined ? {} : { result_info: resultInfo };
  return Response.json({ result, success: true, errors: [], messages: [], ...info });
}

export function failed(status: number, faults: readonly Fault[]): Response {
  return Response.json({ result: null, success: false, errors: faults, messages: [] }, { status });
}

/** Refuses for one reason that no field of the body is the cause of. */
export function refusedFor(status: number, code: Code, message: string): Response {
  return failed(status, [{ code, message }]);
}

/** All problems of a body, each with its field. */
export function invalidBody(problems: readonly Problem[]): Response {
  return failed(400, problems.map(faultOf));
}

function faultOf(problem: Problem): Fault {
  const { path, value, problem: wrong, repair } = problem;
  const subject = path === "" ? "the body" : value === undefined ? path : `${path} = ${value}`;
  const pointer = pointerOf(path);
  return {
    code: codeOf(problem),
    message: `${subject} ${wrong}: ${repair}`,
    ...(pointer !== "" && { source: { pointer } }),
  };
}

function codeOf({ problem }: Problem): Code {
  if (problem === "is missing") return CODES.missing;
  if (problem.includes("not a known field")) return CODES.unknownField;
  if (problem.startsWith(NOT_HERE)) return CODES.notHere;
  return problem.startsWith("is taken") ? CODES.taken : CODES.invalid;
}

/** Begins the problem of each field or value of theirs that has no counterpart here. */
export const NOT_HERE = "cannot be had here";

/** `additional_routes[0].host` as `/additional_routes/0/host`. */
function pointerOf(path: string): string {
  const keys = path.split(/[.[\]]+/).filter((key) => key !== "");
  return keys.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
