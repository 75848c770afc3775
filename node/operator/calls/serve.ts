/**
 * Serves declared calls: checks a request as its operation declares it, and then calls the handler.
 *
 * A path that is known with another method gets 405 with `Allow` (RFC 9110, section 15.5.6).
 */

import type { Context, Hono, MiddlewareHandler } from "hono";
import type { z } from "zod";
import type { Scope } from "../access/principal.ts";
import type { AdminEnv } from "../logs/audit.ts";
import { failure } from "./api-answers.ts";
import { unlessKnown } from "./entity-tag.ts";
import { type Operation, type ParamsOf, paramsIn } from "./operation.ts";
import { readInput } from "./read-input.ts";

/** A request that was checked. */
export interface Call<Path extends string, Query extends z.ZodObject, Body extends z.ZodType> {
  readonly c: Context<AdminEnv>;
  readonly params: ParamsOf<Path>;
  readonly query: z.output<Query>;
  /** As the operation's schema gives it; as it came where the handler reads it. */
  readonly body: z.output<Body>;
}

export type Serve = <Path extends string, Query extends z.ZodObject, Body extends z.ZodType>(
  operation: Operation<Path, Query, Body>,
  handle: (call: Call<Path, Query, Body>) => Response | Promise<Response>,
) => void;

/** A function that adds calls to `app`. `needs` lets only requests pass that have the scope. */
export function servingOn(app: Hono<AdminEnv>, needs: (scope: Scope) => MiddlewareHandler<AdminEnv>): Serve {
  return (operation, handle) => {
    const guards = operation.scope === undefined ? [] : [needs(operation.scope)];
    app.on(operation.method, [honoPath(operation.path)], ...guards, async (c: Context<AdminEnv>) => {
      const input = await readInput(c, operation as unknown as Operation);
      if (!input.ok) return input.answer;
      const params = Object.fromEntries(paramsIn(operation.path).map((name) => [name, c.req.param(name) ?? ""]));
      const call = { c, params, query: input.query, body: input.body } as unknown as Parameters<typeof handle>[0];
      if (operation.method === "GET") return unlessKnown(c.req, await handle(call));
      if (operation.isTagged !== true && c.req.header("If-Match") !== undefined) return noCondition();
      return handle(call);
    });
  };
}

/** A condition that nobody checks would promise what does not hold. */
function noCondition(): Response {
  const problem = { path: "If-Match", problem: "is not checked by this call", repair: "leave it out" };
  return failure("bad-request", "Cannot make this change under a condition", { problems: [problem] });
}

/** What a request gets that no call answers. */
export function noSuchCall(c: Context, operations: readonly Operation[]): Response {
  const { method, path } = c.req;
  const methods = operations.flatMap((each) => (patternOf(each.path).test(path) ? [each.method] : []));
  const allowed = [...new Set(methods.flatMap((each) => (each === "GET" ? ["GET", "HEAD"] : [each])))].join(", ");
  if (allowed === "") return failure("not-found", `Cannot find ${method} ${path}`);
  const hint = `use ${allowed}`;
  return failure("method-not-allowed", `Cannot ${method} ${path}`, { hint, headers: { Allow: allowed } });
}

/** A path with parameters in hono's form. */
export function honoPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+")}$`);
}
