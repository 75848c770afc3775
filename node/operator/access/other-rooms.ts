/**
 * Hides other rooms from a principal that sees only some: texts that name another room are replaced, and a room gets no
 * name that its principal would not see.
 *
 * A text is searched for the names. If a room's name is an English word, more texts are hidden than must be, never
 * fewer.
 */

import type { Context } from "hono";
import { type Problem, problemAt } from "../../config/problem.ts";
import { type Author, UNSEEN } from "../../rooms/author.ts";
import type { Refusal } from "../../rooms/changed.ts";
import type { LiveRoom } from "../../rooms/live-room.ts";
import { refusal } from "../calls/api-answers.ts";
import type { AdminEnv } from "../logs/audit.ts";
import { isLimited, maySee, type Principal } from "./principal.ts";

/** The answer to a refused change of rooms. */
export function refusalFor(c: Context<AdminEnv>, refused: Refusal): Response {
  return refusal(isLimited(c.var.principal) ? withoutOthers(refused, c.var.otherRooms()) : refused);
}

/** Whether a text has any of these names as a word. */
export function namesOther(text: string, others: readonly string[]): boolean {
  return others.some((name) => {
    for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
      const [before = "", after = ""] = [text[at - 1], text[at + name.length]];
      if (!/[\w:-]/.test(before) && !/[\w-]/.test(after)) return true;
    }
    return false;
  });
}

/** A refusal without what it says about these rooms. */
export function withoutOthers(refusal: Refusal, others: readonly string[]): Refusal {
  const namesOne = (text: string): boolean => namesOther(text, others);
  const problems = refusal.problems.map((problem): Problem => {
    if (![problem.path, problem.problem, problem.repair].some(namesOne)) return problem;
    return {
      path: namesOne(problem.path) ? "" : problem.path,
      ...(problem.value !== undefined && { value: problem.value }),
      ...UNSEEN,
    };
  });
  const message = namesOne(refusal.message)
    ? "Cannot do this because of a room that this token does not see"
    : refusal.message;
  return { ...refusal, message, problems };
}

/** A document's name that the principal may not give to a room. */
export function nameOutside(principal: Principal, document: unknown): Problem | undefined {
  const { name } = Object(document) as Record<string, unknown>;
  if (typeof name !== "string" || !isLimited(principal) || maySee(principal, name)) return undefined;
  const { namespace, rooms } = principal;
  const problem = `is not a name that token ${principal.name} may give`;
  const repair = rooms === undefined ? `write ${namespace}:NAME` : `write one of ${rooms.join(", ")}`;
  return problemAt("name", name, { problem, repair });
}

/** The principal as one who changes rooms; undefined if it sees all of them. */
export function authorOf(principal: Principal): Author | undefined {
  return isLimited(principal) ? { sees: (room) => maySee(principal, room) } : undefined;
}

/** Whether a room is one that the principal does not see. */
export function isHidden(principal: Principal, live: LiveRoom | undefined): boolean {
  return live !== undefined && !maySee(principal, live.room.name);
}

export function takenProblem(name: string): Problem {
  const problem = "is taken by a room that this token does not see";
  return { path: `room ${name}.name`, value: name, problem, repair: "choose another name" };
}
