/**
 * The secrets of webhooks, and the signatures that they make, by the scheme of Standard Webhooks.
 *
 * A signature needs the secret itself, so a hash of it is not enough. Registers hold nothing secret, so it is sealed
 * there (AES-256-GCM, with the webhook's id as additional data) under a key derived from the mesh key. Only nodes of
 * the mesh can open it.
 */

import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { derivedSecret, type MeshSecret } from "../../keys/derived-keys.ts";

const PREFIX = "whsec_";

/** Standard Webhooks asks for 24 to 64. */
const SECRET_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export class WebhookSecrets {
  readonly #key: Uint8Array;

  constructor(mesh: MeshSecret) {
    this.#key = derivedSecret(mesh, "anteroom webhook secrets");
  }

  /** A new secret, as its operator gets it once. */
  make(): string {
    return PREFIX + randomBytes(SECRET_BYTES).toString("base64");
  }

  /** A secret as it is stored. */
  sealed(secret: string, webhook: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", this.#key, nonce);
    cipher.setAAD(Buffer.from(webhook));
    const text = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString("base64url");
  }

  /** The secret; undefined if this mesh has not sealed it for this webhook. */
  opened(sealed: string, webhook: string): string | undefined {
    const bytes = Buffer.from(sealed, "base64url");
    if (bytes.length <= NONCE_BYTES + TAG_BYTES) return undefined;
    try {
      const cipher = createDecipheriv("aes-256-gcm", this.#key, bytes.subarray(0, NONCE_BYTES));
      cipher.setAAD(Buffer.from(webhook));
      cipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([cipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), cipher.final()]).toString("utf8");
    } catch {
      // A member wrote what it should not, or the mesh key is another one: the webhook sends nothing, and says so.
      return undefined;
    }
  }
}

export interface SignedMessage {
  readonly id: string;
  readonly seconds: number;
  readonly body: string;
}

/** The header fields of a message; several secrets make several signatures, of which a receiver needs one. */
export function signedHeaders(
  { id, seconds, body }: SignedMessage,
  secrets: readonly string[],
): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64")}`;
  });
  return { "webhook-id": id, "webhook-timestamp": String(seconds), "webhook-signature": signatures.join(" ") };
}
