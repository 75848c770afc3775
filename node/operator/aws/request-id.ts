/**
 * A visitor of the API in the form of AWS's Virtual Waiting Room: the id that names a request, and its number in line.
 *
 * The id is the visitor's sealed cookie: its bearer has the place at every node, and nobody can forge one.
 * Numbers rise with the moment of joining, in microseconds since the room was created: unique, and not consecutive,
 * because no node counts for all others.
 */

import { minutePlus, startOfMinuteMs } from "../../../mesh/core/minute.ts";
import type { VisitorCookie } from "../../cookie/seal.ts";

/** What is said of a visitor's place. */
export interface Numbered {
  readonly queueNumber: number;
  /** When the visitor joined, in Unix seconds. */
  readonly entrySeconds: number;
}

const MICROS_PER_MS = 1_000;

/** `createdMs`: when the room was created, the same at all nodes. */
export function numberOf(cookie: VisitorCookie, createdMs: number): Numbered {
  const micros = cookie.kind === "waiting" ? cookie.key : cookie.acceptedAt * MICROS_PER_MS;
  return { queueNumber: numberAt(micros, createdMs), entrySeconds: Math.floor(micros / 1_000_000) };
}

/** The number of a visitor who joins at `micros`, in Unix µs: 1 for the moment of the room's creation. */
export function numberAt(micros: number, createdMs: number): number {
  return Math.max(1, Math.floor(micros) - createdMs * MICROS_PER_MS + 1);
}

export interface TokenSpan {
  readonly issuedSeconds: number;
  readonly expiresSeconds: number;
}

/** How long after `exp` JWT libraries accept a token by default: jwcrypto, which AWS's authorizer uses, a minute. */
const LEEWAY_SECONDS = 60;

/**
 * From when to when a token is good for a session: no library with the usual leeway takes it once the slot may be free.
 * It follows from the session alone, so that it is the same each time it is asked for.
 */
export function tokenSpan(
  session: { readonly acceptedAt: number; readonly lastGood: Parameters<typeof minutePlus>[0] },
  minuteMs: number,
): TokenSpan {
  const endMs = startOfMinuteMs(minutePlus(session.lastGood, 1), minuteMs);
  const issuedSeconds = Math.floor(session.acceptedAt / 1_000);
  return { issuedSeconds, expiresSeconds: Math.floor(endMs / 1_000) - LEEWAY_SECONDS };
}
