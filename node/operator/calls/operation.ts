/**
 * How a call of the admin API is declared: once, with the shapes of what it takes and gives.
 *
 * The same declaration checks requests (serve.ts), makes the OpenAPI document (openapi.ts) and the reference page. A
 * declaration is a value without a handler, so that all of this works without a node.
 */

import type { z } from "zod";
import type { Scope } from "../access/principal.ts";
import type { ProblemCode } from "./problem-codes.ts";

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

const TOPICS = [
  "rooms",
  "events",
  "operation",
  "passes",
  "draws",
  "lane",
  "notices",
  "tokens",
  "node",
  "mesh",
] as const;

/**
 * What is declared about a JSON body or answer: a schema with a name in shapes.ts, so that the document can refer to
 * it.
 */
export interface BodyOf<Schema extends z.ZodType> {
  /** Of each line, where there are several. */
  readonly schema: Schema;
  readonly bytesMax?: number;
  /** What to write in each field, by the path of its problem; `""` for the document itself. */
  readonly repairs?: Readonly<Record<string, string>>;
  /** Fields whose values may be secrets: no problem shows them. */
  readonly hidden?: readonly string[];
  /**
   * Where it is read: `here`, before the handler, or the `handler`, which then gets it as it came: for documents with
   * problems and repairs of their own.
   */
  readonly read: "here" | "handler";
  /** JSON by default; any other is a stream, which the handler reads while it answers. */
  readonly type?: string;
  /** Whether an empty body counts as `{}`. */
  readonly isOptional?: true;
  readonly example: unknown;
}

/** 200 and JSON by default; any other media type is text. */
export interface AnswerOf {
  readonly status?: 201 | 503;
  readonly description: string;
  readonly schema?: z.ZodType;
  readonly type?: string;
}

export interface Operation<
  Path extends string = string,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
> {
  /** `operationId`: the name of the method in a client. */
  readonly id: string;
  readonly method: Method;
  /** With parameters in braces: `/v1/rooms/{name}`. */
  readonly path: Path;
  readonly topic: (typeof TOPICS)[number];
  /** Undefined: no token is needed. */
  readonly scope: Scope | undefined;
  /** One clause for tables; Markdown. */
  readonly summary: string;
  /** More sentences, if the call needs them. */
  readonly description?: string;
  /** Fields that are left out must be optional in the schema. */
  readonly query?: Query;
  /** Without one, an empty body and `{}` are taken. */
  readonly body?: BodyOf<Body>;
  readonly answer: AnswerOf;
  /** An answer that is no problem, although its status says so. */
  readonly otherwise?: AnswerOf;
  /** What may go wrong besides that which may go wrong with every call (openapi.ts). */
  readonly problems?: readonly ProblemCode[];
  /** Whether it takes If-Match (changes) or If-None-Match (reads), and answers with an ETag. */
  readonly isTagged?: boolean;
}

/** The names in braces of a path. */
export type ParamsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [Key in Name]: string } & ParamsOf<Rest>
  : unknown;

/** Declares a call; it only keeps the types. */
export function operation<
  const Path extends string,
  Query extends z.ZodObject = z.ZodObject<Record<never, never>>,
  Body extends z.ZodType = z.ZodObject<Record<never, never>>,
>(declared: Operation<Path, Query, Body>): Operation<Path, Query, Body> {
  return declared;
}

/** The parameters of a path, in order. */
export function paramsIn(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}
