/** The OpenAPI document says what the calls do: it is valid, whole, and answers keep to it. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { isObject } from "../../../../node/config/is-object.ts";
import { openApi } from "../../../../node/operator/api/openapi.ts";
import { OPERATIONS } from "../../../../node/operator/api/operations.ts";
import { PROBLEM_KINDS } from "../../../../node/operator/calls/problem-codes.ts";
import { honoPath } from "../../../../node/operator/calls/serve.ts";
import { adminWorld } from "../admin-world.ts";

interface Described {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
  readonly requestBody?: { readonly content: Content };
}
type Content = Readonly<Record<string, { readonly schema: { readonly $ref?: string }; readonly example?: unknown }>>;

const DOCUMENT = JSON.parse(JSON.stringify(openApi(OPERATIONS)));
const DESCRIBED: readonly (readonly [call: string, operation: Described])[] = Object.entries(DOCUMENT.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods as Record<string, Described>).map(
      ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
    ),
);

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addSchema(DOCUMENT, "api");

/** What a schema of the document says against a value; with `isExact`, fields that it does not know as well. */
function complaints(name: string, value: unknown, { isExact = false } = {}): unknown[] {
  const validate = isExact
    ? exact.getSchema(`api#/components/schemas/${name}`)
    : ajv.getSchema(`api#/components/schemas/${name}`);
  if (validate === undefined) throw new Error(`Cannot find schema ${name}`);
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message, params }) => ({ instancePath, message, params }));
}

const exact = new Ajv2020({ strict: false, allErrors: true });
addFormats(exact);
exact.addSchema(closed(DOCUMENT) as object, "api");

/** The document with every group of fields closed. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (!isObject(value)) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, closed(each)]));
  return "properties" in value && value.type === "object" ? { additionalProperties: false, ...inner } : inner;
}

/** The dashboard, and the API in Cloudflare's form, whose description is the one that Cloudflare publishes. */
const ELSEWHERE = /^\/(?:dashboard|client\/v4\/|preview\/)/;

describe("the document", () => {
  test("is valid OpenAPI 3.1 by a published validator", async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(DOCUMENT));
    expect(errors).toBeUndefined();
    expect([valid, validator.version]).toEqual([true, "3.1"]);
  });

  test("has every call that is served, and no other", () => {
    const { app } = adminWorld();
    const served = app.routes
      .filter(({ method, path }) => method !== "ALL" && path !== "/" && !ELSEWHERE.test(path))
      .map(({ method, path }) => `${method} ${path}`);
    const declared = OPERATIONS.map(({ method, path }) => `${method} ${honoPath(path)}`);
    expect([...new Set(served)].sort()).toEqual([...declared].sort());
    expect(DESCRIBED.map(([call]) => call).sort()).toEqual(
      OPERATIONS.map(({ method, path }) => `${method} ${path}`).sort(),
    );
  });

  test("names each call once", () => {
    const ids = DESCRIBED.map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("is answered without a token, and has none", async () => {
    const { app } = adminWorld();
    const answer = await app.request("/v1/openapi.json");
    expect([answer.status, answer.headers.get("Content-Type")]).toEqual([200, "application/json"]);
    expect(await answer.json()).toEqual(DOCUMENT);
  });

  test("says of every field what it means", () => {
    const silent: string[] = [];
    const look = (value: unknown, at: string): void => {
      if (Array.isArray(value)) for (const [index, each] of value.entries()) look(each, `${at}[${index}]`);
      if (!isObject(value)) return;
      for (const [key, each] of Object.entries(value)) {
        if (key !== "properties" || !isObject(each)) look(each, `${at}.${key}`);
        else
          for (const [field, schema] of Object.entries(each)) {
            const { description, $ref } = schema as Record<string, unknown>;
            if (description === undefined && $ref === undefined) silent.push(`${at}.${field}`);
            look(schema, `${at}.${field}`);
          }
      }
    };
    look(DOCUMENT.components.schemas, "");
    expect(silent).toEqual([]);
  });

  test("says of every field of a room and an event of which kind it is, and what it is by default", () => {
    for (const name of ["NewRoom", "NewEvent"]) {
      const { properties, required } = DOCUMENT.components.schemas[name];
      const kinds = ["type", "enum", "anyOf", "$ref"];
      for (const [field, schema] of Object.entries<Record<string, unknown>>(properties)) {
        expect([field, kinds.some((kind) => kind in schema)]).toEqual([field, true]);
        const isGiven = required.includes(field) || READ_ONLY.includes(field);
        expect([field, "default" in schema]).toEqual([field, !isGiven]);
      }
    }
  });
});

describe("the reference page", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/admin-api.md"), "utf8");
  const written = (path: string) => path.replace(/\{(\w+)\}/g, (_, name: string) => name.toUpperCase());

  test("has every call", () => {
    const missing = OPERATIONS.filter(({ method, path }) => {
      const last = path.slice(path.lastIndexOf("/"));
      return !page.includes(`\`${method} ${written(path)}`) && !page.includes(`\`${last}\``);
    });
    expect(missing.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });

  test("has no call that does not exist, and all codes of problems", () => {
    const known = OPERATIONS.map(({ method, path }) => `${method} ${written(path)}`);
    const named = [...page.matchAll(/`((?:GET|POST|PATCH|DELETE) \/v1\/[^`\s?]*)/g)].map(([, call = ""]) => call);
    expect(named.filter((call) => !known.includes(call))).toEqual([]);
    expect(Object.keys(PROBLEM_KINDS).filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
  });
});

const READ_ONLY = [
  ...["id", "operator_order", "current_event", "next_event_prequeue_start_time", "next_event_start_time"],
  ...["created_on", "modified_on", "phase"],
];

describe("examples", () => {
  const contents = DESCRIBED.flatMap(([call, { requestBody }]) =>
    Object.values(requestBody?.content ?? {}).map(({ schema, example }) => [call, schema.$ref, example] as const),
  );

  test.each(contents)("%s: an example of %s fits it", (_, ref, example) => {
    expect(complaints(ref?.split("/").at(-1) ?? "", example, { isExact: true })).toEqual([]);
  });
});

describe("answers", () => {
  test("to all kinds of calls fit the document, and have no further fields", async () => {
    const { ask } = adminWorld();
    const seen: string[] = [];
    let last = "";
    for (const [method, template, body] of CALLS) {
      const path = template.replace("LAST", last);
      const answer = await ask(method, path, body);
      const described = DESCRIBED.find(([call]) => isCall(call, method, path))?.[1];
      if (described === undefined) throw new Error(`Cannot find ${method} ${path} in the document`);
      const type = answer.headers.get("Content-Type")?.split(";")[0] ?? "";
      const content = described.responses[String(answer.status)]?.content?.[type];
      if (content === undefined) throw new Error(`Cannot find ${answer.status} ${type} of ${method} ${path}`);
      const name = content.schema.$ref?.split("/").at(-1);
      if (name !== undefined) {
        const given = (await answer.json()) as { readonly webhook?: { readonly id: string } };
        expect([method, path, complaints(name, given, { isExact: true })]).toEqual([method, path, []]);
        last = given.webhook?.id ?? last;
      }
      if (answer.ok) seen.push(described.operationId);
    }
    expect(
      DESCRIBED.map(([, { operationId }]) => operationId)
        .filter((id) => !seen.includes(id))
        .sort(),
    ).toEqual(UNSEEN);
  });
});

const HOUR_MS = 3_600_000;
const inHours = (hours: number) => new Date(Date.UTC(2026, 8, 11, 11, 45) + hours * HOUR_MS).toISOString();
const MUSEUM = { name: "museum", host: "museum.example", total_active_users: 5, new_users_per_minute: 3 };
const SALE = {
  name: "sale",
  event_start_time: inHours(2),
  event_end_time: inHours(4),
  prequeue_start_time: inHours(1),
};

const CALLS: readonly (readonly [method: string, path: string, body?: unknown])[] = [
  ["GET", "/v1/status"],
  ["GET", "/v1/settings"],
  ["GET", "/v1/rooms"],
  [
    "POST",
    "/v1/rooms",
    { ...MUSEUM, lanes: { 1: 20 }, page: { title: "Museum" }, rules: [{ expression: "ip.src eq 10.0.0.1" }] },
  ],
  ["POST", "/v1/rooms", MUSEUM],
  ["POST", "/v1/rooms", { ...MUSEUM, total_active_users: 0, x: 1 }],
  ["GET", "/v1/rooms/museum"],
  ["GET", "/v1/rooms/gone"],
  ["PATCH", "/v1/rooms/museum", { total_active_users: 6 }],
  ["PATCH", "/v1/rooms/museum", { total_active_users: "6" }],
  ["POST", "/v1/rooms/museum/events", SALE],
  ["GET", "/v1/rooms/museum/events"],
  ["GET", "/v1/rooms/museum/events/sale"],
  ["PATCH", "/v1/rooms/museum/events/sale", { suspended: true }],
  ["GET", "/v1/rooms/museum"],
  ["DELETE", "/v1/rooms/museum/events/sale"],
  ["DELETE", "/v1/rooms/museum/events/sale"],
  ["POST", "/v1/rooms/museum/passes", { key: "a", lane: 1 }],
  ["POST", "/v1/rooms/museum/passes", { staff: true }],
  ["POST", "/v1/rooms/museum/wave", { wave: "spring", rate: "500/10m", count: 2 }],
  ["POST", "/v1/rooms/museum/passes?wave=spring&first=1", { key: "b" }],
  ["GET", "/v1/status"],
  ["POST", "/v1/rooms/museum/visitors/4QK7-X2MD", { action: "admit" }],
  ["POST", "/v1/rooms/museum/visitors/4QK7-X2MD", { action: "block", until: "12h" }],
  ["POST", "/v1/rooms/museum/visitors/4QK7-X2MD", { action: "unblock" }],
  ["POST", "/v1/rooms/museum/hold"],
  ["POST", "/v1/rooms/museum/open"],
  ["GET", "/v1/rooms/museum"],
  ["POST", "/v1/rooms/museum/resume"],
  ["POST", "/v1/rooms/museum/rollout", { to: "http://10.0.0.2:3000" }],
  ["POST", "/v1/rooms/apply", { rooms: [{ ...MUSEUM, total_active_users: 7 }] }],
  ["POST", "/v1/rooms/apply?dry_run=true", { rooms: [MUSEUM] }],
  ["POST", "/v1/trial", { url: "https://shop.example/pay" }],
  ["POST", "/v1/preview", { custom_page_html: "<p>{{position}}</p>" }],
  ["GET", "/v1/rooms/museum/visitor-keys"],
  ["GET", "/v1/rooms/museum/analytics?from=-3h&step=1h"],
  ["GET", "/v1/rooms/museum/analytics?from=1h&step=0"],
  ["GET", "/v1/rooms/gone/analytics"],
  ["GET", "/v1/lane"],
  ["POST", "/v1/lane/rotate", {}],
  ["POST", "/v1/webhooks", { name: "chat", url: "http://127.0.0.1:1/" }],
  ["POST", "/v1/webhooks", { name: "chat" }],
  ["GET", "/v1/webhooks"],
  ["GET", "/v1/webhooks/LAST"],
  ["PATCH", "/v1/webhooks/LAST", { types: ["room.held"], rooms: ["museum"] }],
  ["POST", "/v1/webhooks/LAST/rotate"],
  ["POST", "/v1/webhooks/LAST/test"],
  ["DELETE", "/v1/webhooks/LAST"],
  ["DELETE", "/v1/webhooks/LAST"],
  ["POST", "/v1/tokens", { name: "ci", scopes: ["read"], namespace: "team", rooms: ["team:a"], expires: "90d" }],
  ["POST", "/v1/tokens", { name: "ci", scopes: ["read"] }],
  ["POST", "/v1/tokens/ci/rotate", { grace: "1h" }],
  ["GET", "/v1/tokens/ci"],
  ["GET", "/v1/tokens"],
  ["DELETE", "/v1/tokens/ci"],
  ["DELETE", "/v1/tokens/ci"],
  ["DELETE", "/v1/rooms/museum"],
  ["POST", "/v1/forget", { nodes: ["Lost"] }],
  ["POST", "/v1/forget", { nodes: ["nobody"] }],
  ["POST", "/v1/leave"],
  ["POST", "/v1/leave"],
  ["GET", "/healthz"],
  ["GET", "/readyz"],
  ["GET", "/metrics"],
  ["GET", "/v1/openapi.json"],
];

/** `LAST`: the id of the webhook that was answered last. Tested elsewhere: where there are draws, and origins. */
const UNSEEN = ["getDraw", "getDrawFile", "giveDrawValue", "listDraws", "rollOut"];

function isCall(call: string, method: string, path: string): boolean {
  const [, pattern = ""] = call.split(" ");
  if (!call.startsWith(`${method} `)) return false;
  const literal = OPERATIONS.some((each) => each.path === path.split("?")[0]);
  const wanted = path.split("?")[0] ?? "";
  return literal ? pattern === wanted : new RegExp(`^${pattern.replace(/\{\w+\}/g, "[^/]+")}$`).test(wanted);
}
