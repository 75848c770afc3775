/** What becomes of a change of rooms: it is made as a whole, or refused with everything that is wrong with it. */

import type { Problem } from "../config/problem.ts";
import type { UnreadableRoom } from "./stored-room.ts";

/** A refused change: its target does not exist, exists already, is not possible now, or has problems. */
export interface Refusal {
  readonly code: "not-found" | "exists" | "conflict" | "invalid";
  readonly message: string;
  readonly problems: readonly Problem[];
}

export type Refused = { readonly ok: false; readonly refusal: Refusal };
export type Changed<Value> = { readonly ok: true; readonly value: Value } | Refused;

export function refused(code: Refusal["code"], message: string, problems: readonly Problem[] = []): Refused {
  return { ok: false, refusal: { code, message, problems } };
}

export function invalid(problems: readonly Problem[]): Refused {
  return refused("invalid", "Cannot change rooms", problems);
}

/** Why there is no room of this name, among those that the asker may know. */
export function unknownRoom(name: string, known: readonly string[]): Refusal {
  const message = `Cannot find room ${name}: rooms here are ${known.join(", ") || "none"}`;
  return { code: "not-found", message, problems: [] };
}

export function cannotRead({ name, problems }: UnreadableRoom): Refused {
  const message = `Cannot use room ${name} as what is stored of it cannot be read: delete it, or apply it again`;
  return refused("conflict", message, problems);
}
