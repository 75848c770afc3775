/**
 * Signed tokens: compact JWS (RFC 7515) with HS256, which any stock library verifies.
 *
 * node:crypto signs them, because one is made in the path of a request.
 */

import { createHmac } from "node:crypto";

/** The first part of all tokens under one key: readers compare it as text, so no token chooses its own algorithm. */
export function tokenHeader(kid: string): string {
  return encoded({ alg: "HS256", typ: "JWT", kid });
}

/** A token; the same one for the same claims. */
export function signedToken(header: string, claims: object, key: string | Uint8Array): string {
  const signed = `${header}.${encoded(claims)}`;
  return `${signed}.${signature(signed, key)}`;
}

/** The last part of a token, from its first two with their dot. */
export function signature(signed: string, key: string | Uint8Array): string {
  return createHmac("sha256", key).update(signed).digest("base64url");
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}
