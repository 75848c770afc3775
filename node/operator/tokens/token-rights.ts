/**
 * What the maker of a token can give to it: no more scopes, no more rooms and no later end than its own.
 *
 * The same rule says which tokens it sees, rotates and deletes. `mesh` is about all rooms, so it goes with neither a
 * namespace nor rooms.
 */

import { type Problem, problemAt } from "../../config/problem.ts";
import { isoOf } from "../../iso-time.ts";
import { hasScope, isLimited, type Principal, type Seeing } from "../access/principal.ts";
import type { Token } from "./token.ts";
import type { TokenPlan } from "./tokens.ts";

/** A principal, with its end if it is a token that has one. */
export type Maker = Principal & Partial<Pick<Token, "expiresMs">>;

/**
 * Whether a holder of `maker` may make `made`, or have another secret of it: it has no more scopes, sees
 * no more rooms, and ends no later.
 */
export function mayMake(maker: Maker, made: TokenPlan): boolean {
  const { expiresMs } = maker;
  const isWithin = expiresMs === undefined || (made.expiresMs !== undefined && made.expiresMs <= expiresMs);
  return reaches(maker, made) && isWithin;
}

/** Whether nothing that `made` may do is closed to `maker`. */
export function reaches(maker: Principal, made: Principal): boolean {
  const { namespace, rooms } = maker;
  return (
    made.scopes.every((scope) => hasScope(maker, scope)) &&
    (namespace === undefined || made.namespace === namespace) &&
    (rooms === undefined || (made.rooms?.every((room) => rooms.includes(room)) ?? false))
  );
}

/** Scopes that nobody can have with a namespace or rooms. */
export function isMeshLimited(plan: Pick<Principal, "scopes"> & Seeing): boolean {
  return plan.scopes.includes("mesh") && isLimited(plan);
}

/** What a plan asks for beyond its maker's rights, field by field. */
export function excessOf(maker: Maker, plan: TokenPlan): Problem[] {
  const { name, namespace, rooms, expiresMs: endMs } = maker;
  const than = `the token ${name}, with which it is made`;
  const problems: Problem[] = [];
  if (!plan.scopes.every((scope) => hasScope(maker, scope))) {
    const repair = `write some of ${maker.scopes.join(", ")}`;
    problems.push(problemAt("scopes", plan.scopes, { problem: `has more than ${than}`, repair }));
  }
  if (namespace !== undefined && plan.namespace !== namespace) {
    const repair = `write ${namespace}`;
    problems.push(problemAt("namespace", plan.namespace, { problem: `is not that of ${than}`, repair }));
  }
  if (rooms !== undefined && !(plan.rooms?.every((room) => rooms.includes(room)) ?? false)) {
    const repair = `write some of ${rooms.join(", ")}`;
    problems.push(problemAt("rooms", plan.rooms, { problem: `has more than ${than}`, repair }));
  }
  if (endMs !== undefined && (plan.expiresMs === undefined || plan.expiresMs > endMs)) {
    const value = plan.expiresMs === undefined ? undefined : isoOf(plan.expiresMs);
    const repair = `write a time up to ${isoOf(endMs)}`;
    problems.push(problemAt("expires", value, { problem: `is later than that of ${than}`, repair }));
  }
  return problems;
}
