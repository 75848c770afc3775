/**
 * The visitor header (`Anteroom-Visitor`): its keys and its token, by which an origin knows who came through the gate.
 *
 * A token is a JWT with HS256 (RFC 7519), which any stock library verifies with one text. Its key is derived from the
 * mesh key for one room and one generation: a token of another room or of withdrawn keys has another signature. With a
 * key one can lie to one origin about its visitors; it opens no gate. The id of a room stays when the room is renamed.
 */

import { createHmac } from "node:crypto";
import type { RoomId } from "../../mesh/core/ids.ts";
import { DerivedKeys, derivedSecret, type MeshSecret } from "./derived-keys.ts";
import { signedToken, tokenHeader } from "./hs256.ts";

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

/** 128 bits: no two sessions have the same name. */
const NAME_BYTES = 16;

export class VisitorKeys {
  readonly #keys: DerivedKeys;
  readonly #nameSecret: Uint8Array;

  constructor(mesh: MeshSecret) {
    this.#keys = new DerivedKeys(mesh);
    this.#nameSecret = derivedSecret(mesh, "anteroom visitor name");
  }

  /** The key of a scope, as the text that signs. */
  key({ room, generation }: VisitorKeyScope): string {
    return this.#keys.of(`anteroom visitor header ${room} ${generation}`);
  }

  /** What names a session to an origin: nobody finds out the id in its cookie by it. */
  sessionName(room: RoomId, id: string): string {
    const full = createHmac("sha256", this.#nameSecret).update(`${room} ${id}`).digest();
    return full.subarray(0, NAME_BYTES).toString("base64url");
  }

  token(claims: VisitorClaims, scope: VisitorKeyScope): string {
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
    return signedToken(tokenHeader(String(scope.generation)), payload, this.key(scope));
  }
}
