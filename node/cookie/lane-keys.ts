/**
 * The fast lane's keys and tokens: a proxy in front checks the token of a visitor inside, and sends the request
 * straight to the origin.
 *
 * A token is a compact JWS (RFC 7515) with HS256, which HAProxy checks by itself. Its key is
 * derived from the mesh key for one room, one generation of keys, and one pin: a hash of where all rooms lie. So a
 * token of another room, of withdrawn keys or of other rooms has another signature, and the proxy has nothing more to
 * compare. A key is text, because that is what a proxy's configuration holds. A program that has one can let visitors
 * in.
 */

import { createHmac, timingSafeEqual } from "node:crypto";
import type { RoomId } from "../../mesh/core/ids.ts";
import { DerivedKeys, derivedSecret, type MeshSecret } from "../keys/derived-keys.ts";
import { signedToken, tokenHeader } from "../keys/hs256.ts";
import { LANE_COOKIE_PREFIX } from "./cookie-header.ts";

/** What a key is for. */
export interface LaneScope {
  readonly room: RoomId;
  readonly generation: number;
  readonly pin: string;
}

/** What a token says. Times are Unix seconds. */
export interface LaneClaims {
  /** The visitor's short id, for the proxy's log. */
  readonly visitor: string;
  readonly madeSeconds: number;
  readonly expiresSeconds: number;
}

/** What a proxy's snippet says about itself with each request that it sends to a gate. */
export interface LaneSnippet {
  readonly generation: number;
  readonly pin: string;
}

/** 128 bits: enough that no visitor guesses one. */
const PROOF_BYTES = 16;

export class LaneKeys {
  readonly #keys: DerivedKeys;
  readonly #snippetSecret: Uint8Array;

  constructor(mesh: MeshSecret) {
    this.#keys = new DerivedKeys(mesh);
    this.#snippetSecret = derivedSecret(mesh, "anteroom lane snippet");
  }

  /** The key of a scope, as the text that signs. */
  key({ room, generation, pin }: LaneScope): string {
    return this.#keys.of(`anteroom lane ${room} ${generation} ${pin}`);
  }

  token({ visitor, madeSeconds, expiresSeconds }: LaneClaims, scope: LaneScope): string {
    const claims = { aud: scope.room, sub: visitor, iat: madeSeconds, exp: expiresSeconds };
    return signedToken(laneHeader(scope.generation), claims, this.key(scope));
  }

  /** What a snippet says about itself; no visitor can make one. */
  snippetText(snippet: LaneSnippet): string {
    return `${snippet.pin}.${snippet.generation}.${this.#proof(snippet)}`;
  }

  /** The snippet that a text is from; undefined if this mesh made no such snippet. */
  snippetIn(text: string): LaneSnippet | undefined {
    const [, pin = "", generation = "", proof = ""] = /^([\w-]{16})\.([1-9]\d{0,8})\.([\w-]{22})$/.exec(text) ?? [];
    const snippet = { pin, generation: Number(generation) };
    const isOurs = pin !== "" && timingSafeEqual(Buffer.from(proof), Buffer.from(this.#proof(snippet)));
    return isOurs ? snippet : undefined;
  }

  #proof({ pin, generation }: LaneSnippet): string {
    const full = createHmac("sha256", this.#snippetSecret).update(`${pin}.${generation}`).digest();
    return full.subarray(0, PROOF_BYTES).toString("base64url");
  }
}

/** The first part of all tokens of a generation, which a proxy compares as text. */
export function laneHeader(generation: number): string {
  return tokenHeader(String(generation));
}

export function laneCookieName(room: RoomId): string {
  return LANE_COOKIE_PREFIX + room;
}
