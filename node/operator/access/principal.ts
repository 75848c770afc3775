/**
 * The sender of a call to the admin API: its scopes, and the rooms that it sees.
 *
 * `identified` finds the principal, or answers 401; every route stands behind `needs`. A room that the caller
 * must not see does not exist for it (404), and a scope that it lacks is named (403). The token of the first start has
 * all scopes and sees all rooms.
 *
 * The path of a route calls the name of a room `:name`, and nothing else.
 */

import type { Context, MiddlewareHandler } from "hono";
import { namespaceOf } from "../../config/room-name.ts";
import { unknownRoom } from "../../rooms/changed.ts";
import { isBeyondShare } from "../../rooms/share.ts";
import { failure, refusal } from "../calls/api-answers.ts";

/**
 * read: status, rooms, analytics, watch. operate: hold, open, resume, rollout, passes, draw values, revoke. configure:
 * create, change and delete rooms, events, rules, webhooks, tokens within one's own scopes. mesh: leave, forget, lane
 * keys, settings.
 */
export const SCOPES = ["read", "operate", "configure", "mesh"] as const;
export type Scope = (typeof SCOPES)[number];

export interface Principal {
  /** In the audit log: the name of the token. */
  readonly name: string;
  /** Tells a token from an earlier one of its name, which was deleted; undefined for the host's own. */
  readonly createdMs?: number;
  readonly scopes: readonly Scope[];
  /** Sees, names and makes rooms of this namespace alone; undefined for rooms of all and of none. */
  readonly namespace?: string | undefined;
  /** Sees, names and makes rooms of these names alone; undefined for all rooms of the namespace. */
  readonly rooms?: readonly string[] | undefined;
}

/** Which rooms somebody sees. */
export type Seeing = Pick<Principal, "namespace" | "rooms">;

/** The holder of the token of the first start. No token can have this name: names of tokens have no dots. */
export const ROOT: Principal = { name: "admin.token", scopes: SCOPES };

/** What a request carries once `identified` has let it pass. */
export interface PrincipalEnv {
  readonly Variables: {
    readonly principal: Principal;
    /** Names of the rooms that the principal sees, those that cannot be read included. */
    readonly roomNames: () => readonly string[];
    /** Names of those that it does not see. */
    readonly otherRooms: () => readonly string[];
  };
}

/** Whether some rooms do not exist for the principal. */
export function isLimited({ namespace, rooms }: Seeing): boolean {
  return namespace !== undefined || rooms !== undefined;
}

/** Whether one more than `all`, of at most `max`, is beyond the share of somebody who sees some rooms only. */
export function isOneTooMany(who: Seeing, all: readonly Seeing[], max: number): boolean {
  const own = all.filter((each) => isLimited(each) && each.namespace === who.namespace);
  return isLimited(who) && isBeyondShare(max, { own: own.length + 1, all: all.length + 1 });
}

/** Whether the principal may see, name and make a room called `room`. */
export function maySee({ namespace, rooms }: Principal, room: string): boolean {
  return (namespace === undefined || namespaceOf(room) === namespace) && (rooms?.includes(room) ?? true);
}

/** Whether the principal has the scope. What is about the mesh is about all rooms, so it takes a sight of all. */
export function hasScope(principal: Principal, scope: Scope): boolean {
  return principal.scopes.includes(scope) && (scope !== "mesh" || !isLimited(principal));
}

/** Who sends a request; or the answer to one who may not. */
export type Identify = (c: Context) => Principal | Response;

/** Lets only those pass whom `identify` knows. */
export function identified<Env extends PrincipalEnv>(
  identify: Identify,
  roomNames: () => readonly string[],
): MiddlewareHandler<Env> {
  return async (c, next) => {
    const principal = identify(c);
    if (principal instanceof Response) return principal;
    setPrincipal(c, principal, roomNames);
    return next();
  };
}

/** Sets what `PrincipalEnv` promises. */
export function setPrincipal(c: Context, principal: Principal, roomNames: () => readonly string[]): void {
  c.set("principal", principal);
  c.set("roomNames", () => roomNames().filter((name) => maySee(principal, name)));
  c.set("otherRooms", () => roomNames().filter((name) => !maySee(principal, name)));
}

/**
 * Lets only those pass who have the scope, and see the room that the path names. `wasThere`: whether a room that is
 * deleted is still known to the route.
 */
export function needs<Env extends PrincipalEnv>(
  scope: Scope,
  wasThere: (name: string) => boolean = () => false,
): MiddlewareHandler<Env> {
  return async (c, next) => {
    const { principal, roomNames } = c.var;
    const name: string | undefined = c.req.param("name");
    const isThere = (room: string): boolean =>
      roomNames().includes(room) || (maySee(principal, room) && wasThere(room));
    if (name !== undefined && isLimited(principal) && !isThere(name)) return refusal(unknownRoom(name, roomNames()));
    if (hasScope(principal, scope)) return next();
    const hint = `use a token with scope ${scope}${scope === "mesh" ? " and without a namespace or rooms" : ""}`;
    const message = `Cannot do this with token ${principal.name}, as it takes scope ${scope}: the token has ${principal.scopes.join(", ")}`;
    return failure("forbidden", message, { hint });
  };
}
