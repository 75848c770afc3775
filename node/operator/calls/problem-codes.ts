/**
 * What can go wrong with a call of the admin API: the codes of problem details (RFC 9457), each with its status and
 * title. docs/admin-api.md has the same table.
 */

interface ProblemKind {
  readonly status: number;
  /** The same for every problem of this code. */
  readonly title: string;
}

export const PROBLEM_KINDS = {
  "bad-json": { status: 400, title: "The body is not JSON, is nested too deep, or has a key twice" },
  "bad-request": { status: 400, title: "A field of the request cannot be read" },
  unauthorized: { status: 401, title: "The token is missing or wrong" },
  forbidden: { status: 403, title: "The token does not have this scope" },
  "not-found": { status: 404, title: "There is no such room, node or call" },
  "method-not-allowed": { status: 405, title: "The path is known, but not with this method" },
  "too-slow": { status: 408, title: "The body did not arrive in time" },
  exists: { status: 409, title: "There is one of that name already" },
  conflict: { status: 409, title: "The order cannot be carried out now" },
  refused: { status: 409, title: "The mesh does not carry out the order" },
  changed: { status: 412, title: "It was changed since it was read" },
  "too-large": { status: 413, title: "The body is too large" },
  "not-json": { status: 415, title: "The content type of the body is not application/json" },
  misdirected: { status: 421, title: "The admin address is not known by this host name" },
  invalid: { status: 422, title: "The request has problems" },
  "too-many": { status: 429, title: "There were too many requests" },
  internal: { status: 500, title: "The node has a fault" },
  "no-worker": { status: 503, title: "The workers of this host are being restarted" },
  "not-ready": { status: 503, title: "The node has not heard yet what it must know" },
  "not-stored": { status: 503, title: "The disk refused the change" },
} as const satisfies Readonly<Record<string, ProblemKind>>;

export type ProblemCode = keyof typeof PROBLEM_KINDS;

export const PROBLEM_TYPE = "application/problem+json";

/** The `type` of problems with this code. */
export function problemUrn(code: ProblemCode): string {
  return `urn:anteroom:problem:${code}`;
}
