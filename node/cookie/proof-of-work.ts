/**
 * Proof of work for a place in line: a challenge that only this mesh can make, and any node of it can check.
 *
 * A challenge is one of ALTCHA's (version 2, SHA-256), made and checked by altcha-lib. Its signing keys come from the
 * mesh key and the place, so nothing is stored: a solution is good at every node and after a restart, and at no other
 * place. The difficulty is a counter that the node draws below twice the work and does not tell: the solver hashes 0,
 * 1, 2, … until the hash begins with the signed prefix. A check derives no key: it takes two HMACs.
 */

import { createHmac } from "node:crypto";
import { createChallenge, randomInt, verifySolution } from "altcha-lib";
import { deriveKey } from "altcha-lib/algorithms/sha";
import type { RoomId } from "../../mesh/core/ids.ts";
import { isObject } from "../config/is-object.ts";
import { derivedSecret, type MeshSecret } from "../keys/derived-keys.ts";

/** The place that a proof is for. */
export interface ProvedPlace {
  readonly room: RoomId;
  readonly id: string;
  readonly key: number;
  /** Hashes to try, on average. */
  readonly work: number;
}

/** `foreign`: made for another place or mesh, or changed. */
export type Verdict = "solved" | "malformed" | "expired" | "foreign" | "wrong";

/** Called once, now or later. */
export interface ProofOfWork {
  /** A new challenge as JSON, without `<`; undefined if none could be made. */
  challenge(place: ProvedPlace, nowMs: number, then: (json: string | undefined, error?: unknown) => void): void;
  /** Judges what a client sent as the proof for `place`. */
  check(proof: string, place: ProvedPlace, nowMs: number, then: (verdict: Verdict) => void): void;
}

/**
 * For how long a challenge can be solved. The hardest takes an old phone about a minute. Halved, a laptop that was
 * closed meanwhile begins again more often; doubled, solutions can be collected for longer before they are used.
 */
export const CHALLENGE_MS = 600_000;

/** Longest proof that is read: ours are 900 characters. */
const PROOF_LENGTH_MAX = 2_048;

/** One hash for each try. */
const COST = 1;

interface Secrets {
  readonly hmacSignatureSecret: string;
  readonly hmacKeySignatureSecret: string;
}

export class AltchaProof implements ProofOfWork {
  readonly #secret: Uint8Array;

  constructor(mesh: MeshSecret) {
    this.#secret = derivedSecret(mesh, "anteroom proof of work");
  }

  challenge(place: ProvedPlace, nowMs: number, then: (json: string | undefined, error?: unknown) => void): void {
    const triesMax = 2 * place.work;
    createChallenge({
      algorithm: "SHA-256",
      cost: COST,
      counter: randomInt(triesMax - 1, 0),
      deriveKey,
      data: { goodUntil: nowMs + CHALLENGE_MS, triesMax },
      ...this.#secretsOf(place),
    }).then(
      (challenge) => then(JSON.stringify(challenge)),
      (error: unknown) => then(undefined, error),
    );
  }

  check(proof: string, place: ProvedPlace, nowMs: number, then: (verdict: Verdict) => void): void {
    const payload = read(proof);
    if (payload === undefined) {
      then("malformed");
      return;
    }
    verifySolution({ ...payload, deriveKey, ...this.#secretsOf(place) }).then(
      ({ verified, invalidSignature, invalidSolution }) => {
        if (invalidSignature !== false) then(invalidSignature === true ? "foreign" : "expired");
        else if (!verified || invalidSolution === true) then("wrong");
        // The library's own expiry is by the clock of the process; a room has its own.
        else then(nowMs <= payload.goodUntil ? "solved" : "expired");
      },
      // A client's parameters of a type that the library does not expect.
      () => then("malformed"),
    );
  }

  #secretsOf({ room, id, key, work }: ProvedPlace): Secrets {
    const of = (use: string): string =>
      createHmac("sha256", this.#secret)
        .update(JSON.stringify([use, room, id, key, work]))
        .digest("base64url");
    return { hmacSignatureSecret: of("challenge"), hmacKeySignatureSecret: of("key") };
  }
}

type Payload = Pick<Parameters<typeof verifySolution>[0], "challenge" | "solution"> & { readonly goodUntil: number };

/** The payload of a proof: base64 (either alphabet) of ALTCHA's JSON. Its types are the library's to check. */
function read(proof: string): Payload | undefined {
  if (proof.length > PROOF_LENGTH_MAX) return undefined;
  try {
    const payload: unknown = JSON.parse(Buffer.from(proof, "base64").toString("utf8"));
    if (!isObject(payload) || !isObject(payload.challenge) || !isObject(payload.solution)) return undefined;
    const { parameters, signature } = payload.challenge;
    if (!isObject(parameters) || !isObject(parameters.data) || typeof signature !== "string") return undefined;
    const { goodUntil } = parameters.data;
    return typeof goodUntil === "number" ? ({ ...payload, goodUntil } as unknown as Payload) : undefined;
  } catch {
    // Not JSON: refused like any other malformed proof.
    return undefined;
  }
}
