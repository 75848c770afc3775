/**
 * How a visitor of a room that is all at one node is admitted: with a mesh, the entrance and the ticket counter do it.
 */

import type { Admission, Decision } from "../../../node/admission/admission.ts";

/** A visitor without an accepted cookie. `id` is theirs from now on, in line and in the session. */
export function arrive(admission: Admission, id: string, nowMs: number): Decision {
  admission.countSeen(nowMs);
  return enter(admission, { id, key: undefined }, nowMs);
}

/** A visitor with a place in line polls. `used`: the place has been used before, and its session is over. */
export function poll(
  admission: Admission,
  { id, key }: { readonly id: string; readonly key: number },
  nowMs: number,
): Decision | { readonly kind: "used" } {
  return admission.sessions.knownAs(id, nowMs) ?? enter(admission, { id, key }, nowMs);
}

function enter(
  admission: Admission,
  { id, key }: { readonly id: string; readonly key: number | undefined },
  nowMs: number,
): Decision {
  const entry = admission.enter(key, nowMs, admission.free(nowMs));
  return entry.kind === "go" ? admission.sessions.admit(id, nowMs) : entry;
}
