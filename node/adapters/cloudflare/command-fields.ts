/**
 * The commands that origins may send. Cloudflare has one, `revoke`; the others travel in `anteroom`, under the same
 * name.
 */

import { type Problem, problemAt } from "../../config/problem.ts";
import { ORIGIN_COMMANDS } from "../../config/room-schema.ts";
import type { ApiRoom } from "../../rooms/api-room.ts";

type Fields = Readonly<Record<string, unknown>>;

const FIELD = "enabled_origin_commands";
const THEIRS = "revoke";
const OTHERS: readonly string[] = ORIGIN_COMMANDS.filter((command) => command !== THEIRS);

/** The commands that both have; those that only we have. */
export function commandsThere({ [FIELD]: commands = [] }: Partial<ApiRoom>) {
  return {
    theirs: commands.filter((command) => command === THEIRS),
    ours: commands.filter((command) => command !== THEIRS),
  };
}

export function commandProblems(body: Fields, ours: Fields): Problem[] {
  const [there, here] = [body[FIELD], ours[FIELD]];
  const problems: Problem[] = [];
  for (const [index, command] of (Array.isArray(there) ? there : []).entries()) {
    if (command === THEIRS) continue;
    const repair = `write [${THEIRS}] or []; ${OTHERS.join(" and ")} go into anteroom: {${FIELD}: [${OTHERS[0]}]}`;
    problems.push(problemAt(`${FIELD}[${index}]`, command, { problem: `is not ${THEIRS}`, repair }));
  }
  if (!(FIELD in ours)) return problems;
  const repair = `write a list of ${OTHERS.join(" and ")}; ${THEIRS} stands beside anteroom`;
  if (!Array.isArray(here))
    return [...problems, problemAt(`anteroom.${FIELD}`, here, { problem: "is not a list", repair })];
  for (const [index, command] of here.entries())
    if (!OTHERS.includes(command))
      problems.push(problemAt(`anteroom.${FIELD}[${index}]`, command, { problem: "is not known here", repair }));
  return problems;
}

/** The field of our document; empty where a change does not name it. */
export function commandFields(
  body: Fields,
  ours: Fields,
  { now, isWhole }: { readonly now: ApiRoom | undefined; readonly isWhole: boolean },
): Fields {
  if (!isWhole && !(FIELD in body) && !(FIELD in ours)) return {};
  const before = commandsThere(now ?? {});
  const there = FIELD in body ? body[FIELD] : isWhole ? [] : before.theirs;
  const here = FIELD in ours ? ours[FIELD] : isWhole && "anteroom" in body ? [] : before.ours;
  // What is not a list is refused like any other wrong type.
  return { [FIELD]: Array.isArray(there) && Array.isArray(here) ? [...there, ...here] : there };
}
