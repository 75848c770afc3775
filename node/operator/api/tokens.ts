/**
 * The part of the admin API about tokens: `/v1/tokens`.
 *
 * A token sees, makes and deletes only tokens with no more rights than its own; others do not exist for it. A secret is
 * in the answer that makes it, and nowhere else.
 */

import { z } from "zod";
import { GRACE } from "../../config/expiry.ts";
import { timeText } from "../../config/field-kinds.ts";
import { isoOf } from "../../iso-time.ts";
import { SHARE } from "../../rooms/share.ts";
import { isOneTooMany, type Principal } from "../access/principal.ts";
import { failure, invalid } from "../calls/api-answers.ts";
import { operation } from "../calls/operation.ts";
import type { Serve } from "../calls/serve.ts";
import { type AuditLog, actorOf } from "../logs/audit.ts";
import type { MemberStatus } from "../status/status.ts";
import type { Token } from "../tokens/token.ts";
import {
  ROTATE_ORDER,
  rotationOf,
  TOKEN_ORDER,
  TOKEN_REPAIRS,
  TOKEN_SCOPES,
  tokenPlan,
} from "../tokens/token-order.ts";
import { excessOf, type Maker, mayMake, reaches } from "../tokens/token-rights.ts";
import { TOKENS_MAX, type Tokens } from "../tokens/tokens.ts";
import { named } from "./common-shapes.ts";

/** A name, scopes, and a hundred names of rooms. */
const BODY_BYTES_MAX = 64 * 1024;

const TOKEN = named(
  "Token",
  z.object({
    name: z.string().describe("unique in the mesh; in the audit log it says who did something"),
    scopes: TOKEN_SCOPES,
    namespace: z.string().nullable().describe("it sees rooms of this namespace alone; null for all"),
    rooms: z.array(z.string()).nullable().describe("it sees rooms of these names alone; null for all"),
    created_on: timeText,
    created_by: z.string().describe("the token with which it was made"),
    expires_on: timeText.nullable().describe("null for one without an end"),
    expired: z.boolean().describe("whether it has ended"),
    last_used_here: timeText.nullable().describe("at the node that answers, since its start"),
    previous_secret: z
      .object({
        until: timeText.describe("when it ends"),
        last_used_here: timeText.nullable().describe("at the node that answers, since its start"),
      })
      .nullable()
      .describe("the secret before the last rotation, while it counts"),
  }),
);

/** A token as the API gives it: without its secret, and without the hash of it. */
export type ApiToken = Readonly<z.output<typeof TOKEN>>;

const SECRET = z.string().describe("the token itself, for Authorization: Bearer; it is shown this once");
const SILENT = z.array(z.string()).describe("nodes that do not answer: they go by what was before, until they do");

const CALL = { topic: "tokens", scope: "configure" } as const;
const ALL = "/v1/tokens";
const ONE = "/v1/tokens/{token}";
const BODY = { bytesMax: BODY_BYTES_MAX, repairs: TOKEN_REPAIRS, read: "here" } as const;

const LIST = operation({
  ...CALL,
  id: "listTokens",
  method: "GET",
  path: ALL,
  summary: "lists the [tokens](tokens.md) with no more rights than the caller's; hosts' own tokens are not listed",
  answer: {
    description: "the tokens",
    schema: named("TokenList", z.object({ tokens: z.array(TOKEN).describe("by name") })),
  },
});

const READ = operation({
  ...CALL,
  id: "getToken",
  method: "GET",
  path: ONE,
  summary: "returns a token, without its secret",
  answer: {
    description: "the token",
    schema: named("TokenAnswer", z.object({ token: TOKEN })),
  },
  problems: ["not-found"],
});

const CREATE = operation({
  ...CALL,
  id: "createToken",
  method: "POST",
  path: ALL,
  summary: "makes a token with no more rights than the caller's; its secret is in this answer alone",
  body: {
    ...BODY,
    schema: named("NewToken", TOKEN_ORDER),
    example: { name: "team-ci", scopes: ["read", "configure"], namespace: "team", expires: "90d" },
  },
  answer: {
    status: 201,
    description: "the token and its secret",
    schema: named("MadeToken", z.object({ token: TOKEN, secret: SECRET })),
  },
  problems: ["exists", "conflict"],
});

const ROTATE = operation({
  ...CALL,
  id: "rotateToken",
  method: "POST",
  path: `${ONE}/rotate`,
  summary: `gives a token another secret; the one before counts for \`grace\`, ${GRACE} if left out`,
  body: {
    ...BODY,
    schema: named("RotateOrder", ROTATE_ORDER),
    example: { grace: GRACE },
  },
  answer: {
    description: "the token and its secret",
    schema: named("RotatedToken", z.object({ token: TOKEN, secret: SECRET, silent_nodes: SILENT })),
  },
  problems: ["not-found", "conflict"],
});

const REMOVE = operation({
  ...CALL,
  id: "deleteToken",
  method: "DELETE",
  path: ONE,
  summary: "deletes a token, on all nodes",
  answer: {
    description: "the token as it was",
    schema: named("RemovedToken", z.object({ token: TOKEN, silent_nodes: SILENT })),
  },
  problems: ["not-found"],
});

export const TOKEN_OPERATIONS = [LIST, READ, CREATE, ROTATE, REMOVE];

export interface TokenRoutes {
  readonly tokens: Tokens;
  readonly roomMs: () => number;
  readonly members: () => readonly MemberStatus[];
  readonly audit: AuditLog;
}

export function tokenRoutes(serve: Serve, { tokens, roomMs, members, audit }: TokenRoutes): void {
  const apiToken = (token: Token) => apiTokenOf(token, { tokens, nowMs: roomMs() });
  const silent = () => ({
    silent_nodes: members()
      .filter(({ state }) => state === "unreachable")
      .map(({ node }) => node),
  });

  serve(LIST, ({ c }) =>
    c.json({ tokens: tokens.all().flatMap((token) => (reaches(c.var.principal, token) ? [apiToken(token)] : [])) }),
  );
  serve(READ, ({ c, params: { token: name } }) => {
    const token = tokenFor(tokens, c.var.principal, name);
    return token === undefined ? unknown(name) : c.json({ token: apiToken(token) });
  });
  serve(CREATE, ({ c, body }) => {
    const order = tokenPlan(body, roomMs());
    if (!order.ok) return invalid(order.problems);
    const maker: Maker = c.var.principal;
    const plan = { ...order.value, expiresMs: order.value.expiresMs ?? maker.expiresMs };
    if (!mayMake(maker, plan)) return invalid(excessOf(maker, plan));
    const { name } = plan;
    if (tokens.all().some((token) => token.name.toLowerCase() === name.toLowerCase())) {
      const hint = "choose another name, or give that token another secret: anteroom token rotate";
      return failure("exists", `Cannot make token ${name} as there is one of that name`, { hint });
    }
    if (isOneTooMany(maker, tokens.all(), TOKENS_MAX)) {
      const message = `Cannot make another token with this one, of ${TOKENS_MAX} in a mesh: ${SHARE}`;
      return failure("conflict", message, { hint: "delete tokens that nobody uses: anteroom token list" });
    }
    if (tokens.isFull) {
      const expired = tokens.all().filter((token) => isOver(token, roomMs())).length;
      const message = `Cannot make another token as there are ${TOKENS_MAX} already, ${expired} of them expired`;
      return failure("conflict", message, { hint: "delete tokens that nobody uses: anteroom token list" });
    }
    const { token, secret } = tokens.create(plan, maker.name);
    audit.note(actorOf(c), "token made", tokenFields(token));
    return c.json({ token: apiToken(token), secret }, 201, NOT_KEPT);
  });
  serve(ROTATE, ({ c, params: { token: name }, body }) => {
    const nowMs = roomMs();
    const order = rotationOf(body, nowMs);
    if (!order.ok) return invalid(order.problems);
    const { principal } = c.var;
    const token = tokenFor(tokens, principal, name);
    if (token === undefined) return unknown(name);
    const expiresMs = order.value.expiresMs ?? token.expiresMs;
    if (isOver({ expiresMs }, nowMs)) {
      const message = `Cannot give token ${name} another secret as it has expired`;
      return failure("conflict", message, { hint: 'say how long it is to live: expires, such as "90d"' });
    }
    if (!mayMake(principal, { ...token, expiresMs })) return invalid(excessOf(principal, { ...token, expiresMs }));
    const rotated = tokens.rotate(token, { graceMs: order.value.graceMs, expiresMs });
    audit.note(actorOf(c), "token rotated", tokenFields(rotated.token));
    return c.json({ token: apiToken(rotated.token), secret: rotated.secret, ...silent() }, 200, NOT_KEPT);
  });
  serve(REMOVE, ({ c, params: { token: name } }) => {
    const token = tokenFor(tokens, c.var.principal, name);
    if (token === undefined) return unknown(name);
    const removed = apiToken(token);
    tokens.remove(token);
    audit.note(actorOf(c), "token deleted", tokenFields(token));
    return c.json({ token: removed, ...silent() });
  });
}

/** No cache keeps a secret. */
const NOT_KEPT = { "Cache-Control": "no-store" };

function tokenFor(tokens: Tokens, principal: Principal, name: string): Token | undefined {
  const token = tokens.named(name);
  return token !== undefined && reaches(principal, token) ? token : undefined;
}

function unknown(name: string): Response {
  return failure("not-found", `Cannot find token ${name}`, { hint: "anteroom token list shows those there are" });
}

function isOver({ expiresMs }: Pick<Token, "expiresMs">, nowMs: number): boolean {
  return expiresMs !== undefined && nowMs >= expiresMs;
}

function apiTokenOf(token: Token, { tokens, nowMs }: { readonly tokens: Tokens; readonly nowMs: number }): ApiToken {
  const { name, scopes: its, namespace = null, rooms = null, createdMs, createdBy, expiresMs, hash, previous } = token;
  const usedOn = (of: string) => isoOrNull(tokens.lastUsedMs(of));
  return {
    name,
    scopes: [...its],
    namespace,
    rooms: rooms && [...rooms],
    created_on: isoOf(createdMs),
    created_by: createdBy,
    expires_on: isoOrNull(expiresMs),
    expired: isOver(token, nowMs),
    last_used_here: usedOn(hash),
    previous_secret:
      previous === undefined || previous.untilMs <= nowMs
        ? null
        : { until: isoOf(previous.untilMs), last_used_here: usedOn(previous.hash) },
  };
}

function isoOrNull(atMs: number | undefined): string | null {
  return atMs === undefined ? null : isoOf(atMs);
}

function tokenFields({ name, scopes, namespace, rooms, expiresMs }: Token) {
  return {
    token: name,
    scopes,
    ...(namespace && { namespace }),
    ...(rooms && { rooms }),
    expires: isoOrNull(expiresMs),
  };
}
