/**
 * The secrets of webhooks, and the signatures that they make, by the scheme of Standard Webhooks.
 *
 * A signature needs the secret itself, so a hash of it is not enough. Registers hold nothing secret, so it is sealed
 * there, with the webhook's id.
 */

import { createHmac, randomBytes } from "node:crypto";
import type { MeshSecret } from "../../keys/derived-keys.ts";
import { SealedTexts } from "../../keys/sealed-text.ts";

const PREFIX = "whsec_";

/** Standard Webhooks asks for 24 to 64. */
const SECRET_BYTES = 32;

export class WebhookSecrets extends SealedTexts {
  constructor(mesh: MeshSecret) {
    super(mesh, "anteroom webhook secrets");
  }

  /** A new secret, as its operator gets it once. */
  make(): string {
    return PREFIX + randomBytes(SECRET_BYTES).toString("base64");
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
