/**
 * A token as its register has it: name, rights, end, and the hash of its secret; never the secret.
 *
 * Registers merge by the last writer, so of two orders about one token the later one counts at all nodes. A register
 * that cannot be read is no token.
 */

import { z } from "zod";
import type { Register } from "../../../mesh/core/replica/registers.ts";
import { unixMs } from "../../../mesh/core/wire/shapes.ts";
import { isNamespace, ROOM_NAME } from "../../config/room-name.ts";
import { type Principal, SCOPES } from "../access/principal.ts";

export interface Token extends Principal {
  /** Of its secret, as hex. */
  readonly hash: string;
  readonly createdMs: number;
  /** Name of the token with which it was made. */
  readonly createdBy: string;
  /** Undefined for a token that does not expire. */
  readonly expiresMs: number | undefined;
  /** The secret before the last rotation, and until when it counts. */
  readonly previous: { readonly hash: string; readonly untilMs: number } | undefined;
}

/** Rooms that a token may name. Each is written out in the register; more are better put in a namespace. */
export const TOKEN_ROOMS_MAX = 100;

export const TOKEN_NAME = /^[A-Za-z0-9_-]{1,64}$/;

const hash = z.string().regex(/^[0-9a-f]{64}$/);

/** A newer release may have scopes that this one does not know: they are left out. */
const SHAPE = z.object({
  name: z.string().regex(TOKEN_NAME),
  scopes: z.array(z.string().max(64)).max(64),
  namespace: z.string().refine(isNamespace).optional(),
  rooms: z.array(z.string().regex(ROOM_NAME)).max(TOKEN_ROOMS_MAX).optional(),
  hash,
  created_by: z.string().max(64),
  expires_ms: unixMs.optional(),
  previous: z.object({ hash, until_ms: unixMs }).optional(),
});

const READ = new WeakMap<Register, Token | "unreadable">();

/** The token in a register; undefined if it was deleted. Reading one again costs nothing. */
export function tokenIn(register: Register | undefined): Token | "unreadable" | undefined {
  if (register?.document === undefined) return undefined;
  const { document } = register;
  return READ.getOrInsertComputed(register, ({ createdMs }) => parsed(document, createdMs));
}

export function tokenRegister(token: Token): Omit<Register, "stamp"> {
  const { name, scopes, namespace, rooms, hash: kept, createdBy, createdMs, expiresMs, previous } = token;
  const document: z.input<typeof SHAPE> = {
    name,
    scopes: [...scopes],
    namespace,
    rooms: rooms && [...rooms],
    hash: kept,
    created_by: createdBy,
    expires_ms: expiresMs,
    previous: previous && { hash: previous.hash, until_ms: previous.untilMs },
  };
  return { firstName: "", document: JSON.stringify(document), createdMs };
}

function parsed(text: string, createdMs: number): Token | "unreadable" {
  const read = SHAPE.safeParse(dataOf(text));
  if (!read.success) return "unreadable";
  const { name, scopes, namespace, rooms, hash: kept, created_by: createdBy, expires_ms, previous } = read.data;
  return {
    name,
    scopes: SCOPES.filter((scope) => scopes.includes(scope)),
    namespace,
    rooms,
    hash: kept,
    createdMs,
    createdBy,
    expiresMs: expires_ms,
    previous: previous && { hash: previous.hash, untilMs: previous.until_ms },
  };
}

function dataOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON, so no token: the caller says so.
    return undefined;
  }
}
