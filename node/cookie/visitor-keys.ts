/**
 * The visitor header (`Anteroom-Visitor`): its keys and its token, by which an origin knows who came through the gate.
 *
 * A token is a JWT with HS256 (RFC 7519), which any stock library verifies with one text. Its key is derived from the
 * mesh key for one room and one generation: a token of another room or of withdrawn keys has another signature. With a
 * key one can lie to one origin about its visitors; it opens no gate. The id of a room stays when the room is renamed.
 */

import { createHmac } from "node:crypto";
import type { RoomId } from "../../mesh/core/ids.ts";
import { derivedSecret, type MeshSecret } from "./keys.ts";

export interface VisitorKeyScope {
  readonly room: RoomId;
  readonly generation: number;
}

/** What a token says. Times are Unix seconds. */
export interface VisitorClaims {
  readonly roomName: string;
  /** Names the session, the same for as long as it lasts, and in no other room. */
  readonly session: string;
  /** Lane of the visitor's pass; 0 without one. */
  readonly lane: number;
  readonly admittedSeconds: number;
  readonly expiresSeconds: number;
}

export const VISITOR_ISSUER = "anteroom";

/** A node's rooms in two generations; above it all keys are derived again, in some µs each. */
const KEYS_REMEMBERED_MAX = 2_048;

/** 128 bits: no two sessions have the same name. */
const NAME_BYTES = 16;

export class VisitorKeys {
  readonly #mesh: MeshSecret;
  readonly #nameSecret: Uint8Array;
  readonly #keys = new Map<string, string>();

  constructor(mesh: MeshSecret) {
    this.#mesh = mesh;
    this.#nameSecret = derivedSecret(mesh, "anteroom visitor name");
  }

  /** The key of a scope, as the text that signs. */
  key({ room, generation }: VisitorKeyScope): string {
    const label = `anteroom visitor header ${room} ${generation}`;
    const known = this.#keys.get(label);
    if (known !== undefined) return known;
    if (this.#keys.size >= KEYS_REMEMBERED_MAX) this.#keys.clear();
    const key = Buffer.from(derivedSecret(this.#mesh, label)).toString("base64url");
    this.#keys.set(label, key);
    return key;
  }

  /** What names a session to an origin: nobody finds out the id in its cookie by it. */
  sessionName(room: RoomId, id: string): string {
    const full = createHmac("sha256", this.#nameSecret).update(`${room} ${id}`).digest();
    return full.subarray(0, NAME_BYTES).toString("base64url");
  }

  token(claims: VisitorClaims, scope: VisitorKeyScope): string {
    const header = { alg: "HS256", typ: "JWT", kid: String(scope.generation) };
    const { roomName, session, lane, admittedSeconds, expiresSeconds } = claims;
    const payload = {
      iss: VISITOR_ISSUER,
      aud: roomName,
      sub: session,
      room: roomName,
      lane,
      admitted_at: admittedSeconds,
      exp: expiresSeconds,
    };
    const signed = `${encoded(header)}.${encoded(payload)}`;
    return `${signed}.${createHmac("sha256", this.key(scope)).update(signed).digest("base64url")}`;
  }
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}
