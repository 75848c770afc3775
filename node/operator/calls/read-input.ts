/**
 * The query and the body of a request, read as its operation declares them; or all problems at once.
 *
 * Nothing unknown is let through: a misspelt `dry_run` would change what it was meant to try.
 */

import type { Context } from "hono";
import { z } from "zod";
import { type Problem, problemAt } from "../../config/problem.ts";
import { schemaProblems } from "../../config/schema-problems.ts";
import { failure, invalid } from "./api-answers.ts";
import { jsonBody, wrongType } from "./json-body.ts";
import type { Operation } from "./operation.ts";

/** A call that takes no body reads no more than a client may send anyway. */
const NO_BODY_BYTES_MAX = 1_024;

const NOTHING = z.strictObject({});

export type Input =
  | { readonly ok: true; readonly query: unknown; readonly body: unknown }
  | { readonly ok: false; readonly answer: Response };

export async function readInput(c: Context, { query, body }: Operation): Promise<Input> {
  const asked = readQuery(new URL(c.req.url).searchParams, query ?? NOTHING);
  const wrong = wrongType(c.req, body?.type);
  if (wrong !== undefined) return { ok: false, answer: wrong };
  const isOptional = body === undefined || body.isOptional === true;
  const sent =
    body?.type !== undefined
      ? ({ ok: true, value: undefined } as const)
      : await jsonBody(c.req, body?.bytesMax ?? NO_BODY_BYTES_MAX, { isOptional });
  if (!sent.ok) return { ok: false, answer: failure(sent.code, sent.message) };
  const isRead = body === undefined || body.read === "here";
  const checked = isRead ? (body?.schema ?? NOTHING).safeParse(sent.value) : undefined;
  const known = body?.schema instanceof z.ZodObject ? Object.keys(body.schema.shape) : [];
  const { repairs = {}, hidden = [] } = body ?? {};
  const problems = schemaProblems(checked?.error, { document: sent.value, known, repairs, hidden });
  const all = [...asked.problems, ...problems];
  if (all.length > 0) return { ok: false, answer: invalid(all) };
  return { ok: true, query: asked.value, body: checked === undefined ? sent.value : checked.data };
}

function readQuery(given: URLSearchParams, schema: z.ZodObject): { value: unknown; problems: readonly Problem[] } {
  const known = Object.keys(schema.shape);
  const document = Object.fromEntries(given);
  const twice = known.filter((name) => given.getAll(name).length > 1);
  const problems = twice.map((name) =>
    problemAt(name, given.getAll(name), { problem: "is there more than once", repair: "write it once" }),
  );
  const checked = schema.strict().safeParse(document);
  const repairs = Object.fromEntries(known.map((name) => [name, descriptionOf(schema.shape[name])]));
  return {
    value: checked.data,
    problems: [...problems, ...schemaProblems(checked.error, { document, known, repairs, hidden: [] })],
  };
}

/** A query's fields are described as what to write. */
function descriptionOf(schema: unknown): string {
  return schema instanceof z.ZodType ? `write ${schema.description ?? "another value"}` : "";
}
