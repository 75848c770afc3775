/** Documents and settings that a test knows to be well, and what is wrong with others. */

import type { Problem } from "../../../node/config/problem.ts";
import type { Room } from "../../../node/config/room.ts";
import { parseRoom } from "../../../node/config/room-document.ts";
import { resolveSettings } from "../../../node/config/settings.ts";

/** A room with the fields that each must have, and `fields`. */
export function smallest(fields: object = {}) {
  return { name: "shop", host: "*", total_active_users: 5, new_users_per_minute: 5, ...fields };
}

export function roomOf(document: unknown): Room {
  const parsed = parseRoom(document);
  if (parsed.ok) return parsed.value;
  throw new Error(`Broken: the document is well: ${JSON.stringify(parsed.problems)}`);
}

export function problemsOf(document: unknown, path = ""): readonly Problem[] {
  const parsed = parseRoom(document, path);
  return parsed.ok ? [] : parsed.problems;
}

/** What flags alone amount to. */
export function resolved(flags: Readonly<Record<string, string>>) {
  const given = Object.entries(flags).map(([flag, value]) => [flag, [value]] as const);
  return resolveSettings({ flags: new Map(given), environment: {}, file: undefined });
}
