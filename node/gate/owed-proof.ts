/**
 * Which visitors of a room owe a proof of work, and for what.
 *
 * It is decided once, when a visitor is new, and stands in the waiting cookie until the proof has come: so every node
 * knows it, and no client can choose it. With `infinite_queue` a visitor who owes it has a queue key, but is not in the
 * line, so nobody waits for those who never come back. The proof puts them in line at their key.
 */

import { KEYS_PER_MS } from "../admission/queue-order.ts";
import { isSpecial } from "../admission/room-config.ts";
import type { ProvedPlace } from "../cookie/proof-of-work.ts";
import type { WaitingCookie } from "../cookie/seal.ts";
import { addressPrefix } from "../http/client.ts";
import type { LiveRoom } from "../rooms/live-room.ts";
import type { Visit } from "./steps.ts";

/**
 * The least work of a proof, in hashes on average: about 0.1 s of a desktop's browser, half a second of an old phone's.
 * Halved, it costs a bot next to nothing; doubled, people notice it.
 */
const PROOF_TRIES = 65_536;

/** A moment in a room with proofs of work. */
interface Moment {
  readonly live: LiveRoom;
  readonly nowMs: number;
}

/** The work that a new visitor of a room with proofs, or of a rule, is asked for; 0 for none. Counts the visitor. */
export function workOf({ live, client, nowMs, ruling }: Pick<Visit, "live" | "client" | "nowMs" | "ruling">): number {
  const { room, prefixPressure, counts } = live;
  if (isSpecial(room)) return 0;
  const mode = ruling === "challenge" ? "always" : room.proofOfWorkMode;
  const work = prefixPressure.arrive({ prefix: addressPrefix(client.address), nowMs }, { mode, tries: PROOF_TRIES });
  if (work > 0) counts.proofs.given += 1;
  return work;
}

/**
 * A new visitor got a place, and should ask again. One of a busy network owes a proof already: what such visitors do
 * says nothing about others.
 */
export function noteJoined({ live: { room, prefixPressure }, nowMs }: Moment, work: number): void {
  if (work <= PROOF_TRIES) prefixPressure.join(nowMs, room.refreshIntervalSeconds * 1_000);
}

/** A visitor with a place asked again. */
export function noteAskedAgain(
  { live: { room, prefixPressure }, nowMs }: Moment,
  { id, key, work = 0 }: WaitingCookie,
): void {
  if (work > PROOF_TRIES) return;
  prefixPressure.poll(id, { joinedMs: key / KEYS_PER_MS, nowMs, refreshMs: room.refreshIntervalSeconds * 1_000 });
}

/** The place that a proof is owed for; undefined if none is. */
export function owedFor(
  { room: roomId, id, key, work = 0 }: Pick<WaitingCookie, "room" | "id" | "key" | "work">,
  live: LiveRoom,
): ProvedPlace | undefined {
  if (work === 0 || !live.asksProof || isSpecial(live.room)) return undefined;
  return { room: roomId, id, key, work };
}

/** Whether the visitor has a queue key, but is not in the line before the proof. */
export function isOutsideLine(cookie: WaitingCookie, live: LiveRoom): boolean {
  return holdsUnproved(live) && owedFor(cookie, live) !== undefined;
}

/**
 * Whether the visitor's proof comes too late for a draw: its list was closed at the start, and did not have the
 * visitor. With a drawn place one could keep many cookies, and prove the one that was lucky.
 */
export function isDrawClosed(cookie: WaitingCookie, live: LiveRoom, nowMs: number): boolean {
  const { draw } = live.room;
  return (
    draw !== undefined &&
    nowMs >= draw.startMs &&
    cookie.key < draw.startMs * KEYS_PER_MS &&
    isOutsideLine(cookie, live)
  );
}

/** Whether visitors stay in line until their proof comes. */
export function holdsUnproved({ room }: LiveRoom): boolean {
  return room.proofOfWorkAction === "infinite_queue";
}

/**
 * The queue key of a visitor who is not in line yet. The line makes keys unique; this gate cannot, so the part below a
 * ms comes from the id, which is random.
 */
export function keyOutsideLine(id: string, nowMs: number): number {
  let sum = 0;
  for (const character of id) sum = (sum * 31 + character.charCodeAt(0)) % KEYS_PER_MS;
  return Math.floor(nowMs) * KEYS_PER_MS + sum;
}
