/**
 * Proofs of work on simulated time: made and checked at once, without work. A challenge names its place, and the proof
 * is the challenge itself.
 */

import { CHALLENGE_MS, type ProofOfWork, type ProvedPlace } from "../../node/cookie/proof-of-work.ts";

export const SIM_PROOF: ProofOfWork = {
  challenge: (place, nowMs, then) => then(JSON.stringify({ place: nameOf(place), goodUntil: nowMs + CHALLENGE_MS })),
  check: (proof, place, nowMs, then) => {
    const { place: named, goodUntil } = JSON.parse(proof) as { place: string; goodUntil: number };
    then(named !== nameOf(place) ? "foreign" : goodUntil < nowMs ? "expired" : "solved");
  },
};

function nameOf({ room, id, key, work }: ProvedPlace): string {
  return [room, id, key, work].join(" ");
}
