/**
 * Short texts that lie on disks and in registers, and that only nodes of the mesh can read: AES-256-GCM under a key
 * derived from the mesh key, with what the text is about as additional data.
 */

import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { derivedSecret, type MeshSecret } from "./derived-keys.ts";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export class SealedTexts {
  readonly #key: Uint8Array;

  /** `purpose` names the key: a text sealed for another purpose does not open. */
  constructor(mesh: MeshSecret, purpose: string) {
    this.#key = derivedSecret(mesh, purpose);
  }

  /** A text as it is stored. */
  sealed(text: string, about: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", this.#key, nonce);
    cipher.setAAD(Buffer.from(about));
    const bytes = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), bytes]).toString("base64url");
  }

  /** The text; undefined if this mesh has not sealed it about that. */
  opened(sealed: string, about: string): string | undefined {
    const bytes = Buffer.from(sealed, "base64url");
    if (bytes.length <= NONCE_BYTES + TAG_BYTES) return undefined;
    try {
      const cipher = createDecipheriv("aes-256-gcm", this.#key, bytes.subarray(0, NONCE_BYTES));
      cipher.setAAD(Buffer.from(about));
      cipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([cipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), cipher.final()]).toString("utf8");
    } catch {
      // A member wrote what it should not, or the mesh key is another one.
      return undefined;
    }
  }
}
