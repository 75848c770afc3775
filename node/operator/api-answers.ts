/** The admin API's answers to what it cannot do: `{ error: { code, message, hint?, problems? } }`. */

import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Problem } from "../config/problem.ts";
import type { Refusal } from "../rooms/rooms.ts";
import type { JsonBody } from "./json-body.ts";

const STATUS_OF: Record<Refusal["code"], ContentfulStatusCode> = {
  "not-found": 404,
  exists: 409,
  conflict: 409,
  invalid: 422,
};

export interface Details {
  readonly problems?: readonly Problem[];
  /** The repair. */
  readonly hint?: string;
  /** A code for scripts. */
  readonly reason?: string;
}

export function refusal({ code, message, problems }: Refusal): Response {
  return failure(code, message, STATUS_OF[code], { problems });
}

export function invalid(problems: readonly Problem[]): Response {
  return failure("invalid", "Cannot take this as there are problems", 422, { problems });
}

export function unread({ code, message, status }: JsonBody & { ok: false }): Response {
  return failure(code, message, status);
}

export function failure(
  code: string,
  message: string,
  status: number,
  { problems = [], hint, reason }: Details = {},
): Response {
  const error = {
    ...{ code, message },
    ...(reason !== undefined && { reason }),
    ...(hint !== undefined && { hint }),
    ...(problems.length > 0 && { problems }),
  };
  return Response.json({ error }, { status });
}
