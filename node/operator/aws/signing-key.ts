/**
 * The RSA key that signs tokens for clients of AWS's Virtual Waiting Room: RS256, as their authorizers expect.
 *
 * Each node reads the same file, so a visitor's token is the same at all nodes, and a lost node takes no key along. The
 * file may be the private JWK that the retired product kept: then authorizers that have its public key keep working.
 */

import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";

export interface PublicJwk {
  readonly kty: "RSA";
  readonly alg: "RS256";
  readonly kid: string;
  readonly n: string;
  readonly e: string;
}

export class SigningKey {
  readonly #key: KeyObject;
  readonly jwk: PublicJwk;

  /** From the text of a private JWK, or of a PEM file. Throws if it is neither, or no RSA key. */
  constructor(text: string) {
    const jwk: unknown = text.trimStart().startsWith("{") ? JSON.parse(text) : undefined;
    this.#key = jwk === undefined ? createPrivateKey(text) : createPrivateKey({ key: jwk as object, format: "jwk" });
    const { kty, n = "", e = "" } = createPublicKey(this.#key).export({ format: "jwk" });
    if (kty !== "RSA") throw new Error(`Cannot sign with RS256 as that needs an RSA key: current value is ${kty}`);
    const given = typeof jwk === "object" && jwk !== null ? Reflect.get(jwk, "kid") : undefined;
    const kid = typeof given === "string" ? given : thumbprint(n, e);
    this.jwk = { kty, alg: "RS256", kid, n, e };
  }

  /** A signed JWT; the same one for the same claims. */
  token(claims: object): string {
    const head = encoded({ alg: "RS256", typ: "JWT", kid: this.jwk.kid });
    const said = `${head}.${encoded(claims)}`;
    return `${said}.${sign("sha256", Buffer.from(said), this.#key).toString("base64url")}`;
  }
}

/** RFC 7638 */
function thumbprint(n: string, e: string): string {
  return createHash("sha256")
    .update(JSON.stringify({ e, kty: "RSA", n }))
    .digest("base64url");
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
