/**
 * The OpenAPI 3.1 document of the admin API, made from its operations.
 *
 * zod writes the JSON Schemas (2020-12, as OpenAPI 3.1 has them). They describe what is sent: fields with a default may
 * be left out. Answers of a later release may have further fields.
 */

import { z } from "zod";
import { type AnswerOf, type Operation, paramsIn } from "../calls/operation.ts";
import { PROBLEM_KINDS, PROBLEM_TYPE, type ProblemCode } from "../calls/problem-codes.ts";
import { PROBLEM_ENTRY, SHAPES } from "./common-shapes.ts";

type Json = Readonly<Record<string, unknown>>;

/** Of the API's form, not of the release. */
const API_VERSION = "1";

const PARAMS: Readonly<Record<string, string>> = {
  name: "the name of a room",
  event: "the name of an event",
  draw: "the name of a room, or of an event",
  webhook: "the id of a webhook",
  token: "the name of a token",
};

const ABOUT = [
  "The admin API of anteroom, a virtual waiting room. Any node answers for all rooms of its mesh.",
  "Calls below /v1/ need a token; each names the scope that the token must have.",
  "Errors are problem details (RFC 9457) that name all problems at once, each with path, value and repair.",
].join("\n");

const TAGS = { ETag: { $ref: "#/components/headers/ETag" } };

export function openApi(operations: readonly Operation[]): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const each of operations) {
    paths[each.path] = { ...paths[each.path], [each.method.toLowerCase()]: operationObject(each) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "anteroom admin API",
      version: API_VERSION,
      description: ABOUT,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "the admin address of any node" }],
    security: [{ token: [] }],
    tags: [...new Set(operations.map(({ topic }) => topic))].map((name) => ({ name })),
    paths,
    components: {
      schemas: { ...schemas(), Problem: jsonSchema(PROBLEM) },
      headers: { ETag: { description: "of the state that the answer has", schema: { type: "string" } } },
      parameters: HEADERS,
      securitySchemes: {
        token: {
          type: "http",
          scheme: "bearer",
          description: "the token of admin.token, or one made by anteroom token; roles are its scopes",
        },
      },
    },
  };
}

const PROBLEM = z
  .object({
    type: z.string().describe("urn:anteroom:problem: and the code"),
    title: z.string().describe("the same for all problems of this code"),
    status: z.int().describe("the status of the answer"),
    detail: z.string().describe("what cannot be done, and why"),
    instance: z.string().describe("the path of the request"),
    code: z.enum(Object.keys(PROBLEM_KINDS)).describe("for programs"),
    reason: z.string().optional().describe("more exactly than the code, where there are several reasons"),
    hint: z.string().optional().describe("what to do about it"),
    problems: z.array(PROBLEM_ENTRY).optional().describe("all problems of the request"),
  })
  .describe("problem details (RFC 9457)");

const HEADERS = {
  IfMatch: {
    name: "If-Match",
    in: "header",
    schema: { type: "string" },
    description: "the ETag of the state that is to be changed; another state gets 412",
  },
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    schema: { type: "string" },
    description: "the ETag that is known already: 304 without a body",
  },
};

function operationObject(operation: Operation): Json {
  const { id, method, path, topic, scope, summary, description, query, body, isTagged } = operation;
  const headers = isTagged === true ? [method === "GET" ? "IfNoneMatch" : "IfMatch"] : [];
  const parameters = [
    ...paramsIn(path).map((name) => ({ name, in: "path", required: true, description: PARAMS[name], schema: TEXT })),
    ...queryParameters(query),
    ...headers.map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ];
  const about = [description, scope === undefined ? "Needs no token." : `Needs a token with scope ${scope}.`];
  return {
    operationId: id,
    tags: [topic],
    summary: summary.replace(/\[([^\]]+)\]\([^)]*\)/g, "$1"),
    description: about.filter((line) => line !== undefined).join("\n"),
    security: scope === undefined ? [] : [{ token: [scope] }],
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: { required: body.isOptional !== true, content: { [body.type ?? JSON_TYPE]: media(body) } },
    }),
    responses: responsesOf(operation),
  };
}

const JSON_TYPE = "application/json";
const TEXT = { type: "string" };

function queryParameters(query: z.ZodObject | undefined): Json[] {
  return Object.entries(query?.shape ?? {}).map(([name, schema]) => {
    const { description, ...plain } = jsonSchema(schema as z.ZodType);
    return { name, in: "query", required: false, description, schema: plain };
  });
}

/** What may go wrong with every change. */
const CHANGE_PROBLEMS: readonly ProblemCode[] = ["bad-request", "not-stored"];

function responsesOf(operation: Operation): Json {
  const { answer, otherwise, problems = [], scope, isTagged, method, body } = operation;
  const isOpen = scope === undefined;
  const codes: ProblemCode[] = [
    ...problems,
    ...(isOpen ? [] : (["unauthorized", "forbidden", "too-slow", "invalid", "too-large", "internal"] as const)),
    ...(body === undefined ? [] : (["bad-json"] as const)),
    ...(isTagged === true && method !== "GET" ? (["changed"] as const) : []),
    ...(method === "GET" ? [] : CHANGE_PROBLEMS),
  ];
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of codes) {
    const { status } = PROBLEM_KINDS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const refused = [...byStatus].map(([status, codes]) => [String(status), refusedObject(codes)]);
  return {
    [answer.status ?? 200]: answerObject(answer, isTagged === true),
    ...(isTagged === true && method === "GET" && { 304: { description: "If-None-Match names its ETag" } }),
    ...(otherwise && { [otherwise.status ?? 200]: answerObject(otherwise, false) }),
    ...Object.fromEntries(refused),
  };
}

function answerObject({ description, schema, type }: AnswerOf, isTagged: boolean): Json {
  const content =
    schema === undefined
      ? { [type ?? "text/plain"]: { schema: type === "application/json" ? { type: "object" } : TEXT } }
      : { [type ?? JSON_TYPE]: media({ schema }) };
  return { description, ...(isTagged && { headers: TAGS }), content };
}

function refusedObject(codes: readonly ProblemCode[]): Json {
  const description = codes.map((code) => `${code}: ${PROBLEM_KINDS[code].title}`).join("; ");
  return { description, content: { [PROBLEM_TYPE]: { schema: { $ref: "#/components/schemas/Problem" } } } };
}

function media({ schema, example }: { readonly schema: z.ZodType; readonly example?: unknown }): Json {
  const { id } = SHAPES.get(schema) ?? {};
  if (id === undefined) throw new Error("Cannot describe a body that has no name: give it one with named()");
  return { schema: { $ref: refTo(id) }, ...(example !== undefined && { example }) };
}

function schemas(): Record<string, Json> {
  const made = z.toJSONSchema(SHAPES, { ...OPTIONS, uri: refTo }).schemas;
  return Object.fromEntries(
    Object.entries(made).map(([name, { $schema: _, $id: __, ...schema }]) => [name, schema as Json]),
  );
}

function refTo(id: string): string {
  return `#/components/schemas/${id}`;
}

function jsonSchema(schema: z.ZodType): Json {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, OPTIONS);
  return plain as Json;
}

const OPTIONS: Parameters<typeof z.toJSONSchema>[1] & { io: "input" } = {
  io: "input",
  unrepresentable: "any",
  // A default that is transformed, and the long pattern of a date, are not for readers.
  override: ({ zodSchema, jsonSchema }) => {
    const { def } = zodSchema._zod;
    if (def.type === "default") jsonSchema.default = def.defaultValue;
    const { fallback } = z.globalRegistry.get(zodSchema) ?? {};
    if (fallback !== undefined) jsonSchema.default = fallback;
    Reflect.deleteProperty(jsonSchema, "fallback");
    if (jsonSchema.format === "date-time") Reflect.deleteProperty(jsonSchema, "pattern");
  },
};
