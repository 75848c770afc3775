/**
 * Cloudflare's check for bots in a room's fields: `turnstile_mode` and `turnstile_action`.
 *
 * Nothing here asks their Turnstile. What stands for it is the proof of work, a check without a third party that
 * visitors do not see: `invisible` is `proof_of_work_mode: auto` or `always`, and the action is that of the proof.
 */

import { isObject } from "../../config/is-object.ts";
import { type Problem, problemAt } from "../../config/problem.ts";
import type { ApiRoom } from "../../rooms/api-room.ts";
import { NOT_HERE } from "./envelope.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Both fields of an answer. */
export function turnstileAnswer({ proof_of_work_mode: mode, proof_of_work_action: action }: ApiRoom): Fields {
  return { turnstile_mode: mode === "off" ? "off" : "invisible", turnstile_action: action };
}

const VISIBLE: readonly unknown[] = ["visible_non_interactive", "visible_managed"];

export function turnstileProblems({ turnstile_mode: mode, anteroom }: Fields): Problem[] {
  if (mode === undefined) return [];
  const repair = "write invisible, for a proof of work that the visitor's browser does by itself, or off";
  if (VISIBLE.includes(mode)) {
    const problem = `${NOT_HERE}: there is no check that visitors see, and none by Cloudflare`;
    return [problemAt("turnstile_mode", mode, { problem, repair })];
  }
  if (mode !== "off" && mode !== "invisible")
    return [problemAt("turnstile_mode", mode, { problem: "is not off or invisible", repair })];
  const proof = isObject(anteroom) ? anteroom.proof_of_work_mode : undefined;
  if (proof === undefined || (proof === "off") === (mode === "off")) return [];
  const both = {
    problem: `contradicts turnstile_mode ${mode}: both say when proofs are asked for`,
    repair: "send one",
  };
  return [problemAt("anteroom.proof_of_work_mode", proof, both)];
}

/** When visitors are asked for a proof of work, and what becomes of those who owe it. */
export function proofFields(
  body: Fields,
  ours: Fields,
  { now, isWhole }: { now: ApiRoom | undefined; isWhole: boolean },
): Fields {
  const { turnstile_action: action } = body;
  const mode = body.turnstile_mode ?? (isWhole && ours.proof_of_work_mode === undefined ? "invisible" : undefined);
  const before = now?.proof_of_work_mode ?? "off";
  const proof = mode === "off" ? "off" : mode === "invisible" ? (before === "off" ? "auto" : before) : undefined;
  return {
    ...(isWhole && { proof_of_work_action: undefined }),
    ...("turnstile_action" in body && { proof_of_work_action: action }),
    ...(proof !== undefined && ours.proof_of_work_mode === undefined && { proof_of_work_mode: proof }),
  };
}
