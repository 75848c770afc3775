/**
 * The client in one file, which `npm run dist` writes to dist/anteroom-client.ts: client-head.txt, and the types and
 * routes of all calls from the OpenAPI document.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openApi } from "../../node/operator/api/openapi.ts";
import { OPERATIONS } from "../../node/operator/api/operations.ts";

type Json = Readonly<Record<string, unknown>>;

export const CLIENT_NAME = "anteroom-client.ts";

/** The client's text with the types of the calls of now. */
export function clientText(): string {
  const head = readFileSync(join(import.meta.dirname, "client-head.txt"), "utf8");
  return `${head}\n// What follows is made from the OpenAPI document.\n${typesText()}`;
}

function typesText(): string {
  const document = JSON.parse(JSON.stringify(openApi(OPERATIONS)));
  const schemas = Object.entries<Json>(document.components.schemas)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, schema]) => `\nexport type ${name} = ${typeOf(schema)};\n`);
  const calls = OPERATIONS.map(({ method, path, id }) => [id, document.paths[path][method.toLowerCase()]] as const);
  const types = calls.map(([id, call]) => `  ${id}: ${callType(call)};\n`);
  const routes = OPERATIONS.map(({ id, method, path }) => `  ${id}: ["${method}", "${path}"],\n`);
  return `${schemas.join("")}\nexport interface Calls {\n${types.join("")}}\n\nconst ROUTES = {\n${routes.join("")}} as const satisfies Record<CallName, readonly [string, string]>;\n`;
}

function callType({ parameters = [], requestBody, responses }: Json): string {
  const inPlace = (place: string) => (parameters as Json[]).filter((each) => each.in === place);
  const [params, query] = [inPlace("path"), inPlace("query")];
  const [answer] = Object.values(responses as Record<string, Json>);
  const parts = [
    ...(params.length > 0 ? [`params: { ${params.map(({ name }) => `${name}: string`).join("; ")} }`] : []),
    ...(query.length > 0 ? [`query?: { ${query.map(({ name }) => `${name}?: string`).join("; ")} }`] : []),
    ...(requestBody === undefined ? [] : [`body: ${contentType(requestBody as Json)}`]),
    `answer: ${contentType(answer ?? {})}`,
  ];
  return `{ ${parts.join("; ")} }`;
}

function contentType({ content }: Json): string {
  const kinds = Object.entries((content ?? {}) as Record<string, Json>);
  const [type, media] = kinds[0] ?? [];
  return type === "application/json" ? typeOf((media?.schema ?? {}) as Json) : "string";
}

function typeOf(schema: Json): string {
  const { $ref, anyOf, oneOf, type, items, additionalProperties, properties } = schema;
  if (typeof $ref === "string") return $ref.split("/").at(-1) ?? "unknown";
  if ("const" in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((each) => JSON.stringify(each)).join(" | ");
  const several = anyOf ?? oneOf;
  if (Array.isArray(several)) return [...new Set(several.map((each: Json) => typeOf(each)))].join(" | ");
  if (Array.isArray(type)) return type.map((each) => typeOf({ ...schema, type: each })).join(" | ");
  switch (type) {
    case "string":
    case "boolean":
    case "null":
      return type;
    case "number":
    case "integer":
      return "number";
    case "array":
      return `readonly (${typeOf((items ?? {}) as Json)})[]`;
    case "object":
      if (properties !== undefined) return fieldsType(schema);
      return `{ readonly [key: string]: ${typeOf((additionalProperties ?? {}) as Json)} }`;
    default:
      return "unknown";
  }
}

function fieldsType({ properties, required }: Json): string {
  const needed = new Set((required ?? []) as string[]);
  const fields = Object.entries(properties as Record<string, Json>).map(([name, schema]) => {
    const about = typeof schema.description === "string" ? `/** ${schema.description.replaceAll("*/", "")} */ ` : "";
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
    return `${about}readonly ${key}${needed.has(name) ? "" : "?"}: ${typeOf(schema)};`;
  });
  return `{\n${fields.map((field) => `  ${field}\n`).join("")}}`;
}
