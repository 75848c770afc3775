/**
 * The admin API's answers to what it cannot do: problem details (RFC 9457).
 *
 * `type`, `title` and `status` follow from the code; `detail` is about this one request. `instance`, its path, is
 * added on the way out (serve.ts). Extension members: `code`, `hint`, `reason` and `problems`.
 */

import type { Problem } from "../../config/problem.ts";
import type { Refusal } from "../../rooms/changed.ts";
import { PROBLEM_KINDS, PROBLEM_TYPE, type ProblemCode, problemUrn } from "./problem-codes.ts";

export interface Details {
  readonly problems?: readonly Problem[];
  /** The repair. */
  readonly hint?: string;
  /** A code for scripts. */
  readonly reason?: string;
  /** Fields of the answer's head. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The body of a problem. */
export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance?: string;
  readonly code: ProblemCode;
  readonly reason?: string;
  readonly hint?: string;
  readonly problems?: readonly Problem[];
}

export function refusal({ code, message, problems }: Refusal): Response {
  return failure(code, message, { problems });
}

export function invalid(problems: readonly Problem[]): Response {
  return failure("invalid", "Cannot take this as there are problems", { problems });
}

export function failure(
  code: ProblemCode,
  detail: string,
  { problems = [], hint, reason, headers = {} }: Details = {},
): Response {
  const { status, title } = PROBLEM_KINDS[code];
  const document: ProblemDocument = {
    type: problemUrn(code),
    title,
    status,
    detail,
    code,
    ...(reason !== undefined && { reason }),
    ...(hint !== undefined && { hint }),
    ...(problems.length > 0 && { problems }),
  };
  return Response.json(document, { status, headers: { ...headers, "Content-Type": PROBLEM_TYPE } });
}

/** The same answer with the path of its request, if it is a problem. */
export async function withInstance(answer: Response, instance: string): Promise<Response> {
  if (answer.headers.get("Content-Type") !== PROBLEM_TYPE) return answer;
  const { type, title, status, detail, ...more } = (await answer.json()) as ProblemDocument;
  const headers = new Headers(answer.headers);
  headers.delete("Content-Length");
  return new Response(JSON.stringify({ type, title, status, detail, instance, ...more }), { status, headers });
}
