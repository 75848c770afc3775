/**
 * The key pair by which push services know a mesh (VAPID, RFC 8292), derived from the mesh key: each node can send what
 * a browser has subscribed to at another.
 */

import { createECDH } from "node:crypto";
import { importJWK, SignJWT } from "jose";
import { derivedSecret, type MeshSecret } from "./derived-keys.ts";

/** The order of P-256 (FIPS 186-5). */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** 16 more than a key has: so no key is likelier than another by more than 2^-128. */
const SEED_BYTES = 48;

const SCALAR_BYTES = 32;

/** Services refuse tokens for more than a day; halved, one whose clock is ahead by half an hour refuses ours. */
const TOKEN_SECONDS = 3_600;

export class PushKeys {
  readonly #mesh: MeshSecret;
  #made: Pair | undefined;

  constructor(mesh: MeshSecret) {
    this.#mesh = mesh;
  }

  /** As browsers take it: the point in base64url. */
  get publicKey(): string {
    return this.#pair().publicKey;
  }

  /** The `Authorization` of a message to `endpoint`; `contact`: whom its service may ask about it, as an address. */
  async authorization(endpoint: string, nowMs: number, contact?: string): Promise<string> {
    const { publicKey, privateKey } = this.#pair();
    const token = new SignJWT(contact === undefined ? {} : { sub: contact })
      .setProtectedHeader({ typ: "JWT", alg: "ES256" })
      .setAudience(new URL(endpoint).origin)
      .setExpirationTime(Math.floor(nowMs / 1_000) + TOKEN_SECONDS);
    return `vapid t=${await token.sign(await privateKey)}, k=${publicKey}`;
  }

  /** Made when it is first needed: most rooms send none. */
  #pair(): Pair {
    this.#made ??= pairOf(this.#mesh);
    return this.#made;
  }
}

interface Pair {
  readonly publicKey: string;
  readonly privateKey: ReturnType<typeof importJWK>;
}

function pairOf(mesh: MeshSecret): Pair {
  const seed = BigInt(`0x${Buffer.from(derivedSecret(mesh, "anteroom push", SEED_BYTES)).toString("hex")}`);
  const scalar = ((seed % (ORDER - 1n)) + 1n).toString(16).padStart(2 * SCALAR_BYTES, "0");
  const pair = createECDH("prime256v1");
  pair.setPrivateKey(scalar, "hex");
  const point = pair.getPublicKey();
  const part = (from: number): string => point.subarray(from, from + SCALAR_BYTES).toString("base64url");
  const d = Buffer.from(scalar, "hex").toString("base64url");
  return {
    publicKey: point.toString("base64url"),
    privateKey: importJWK({ kty: "EC", crv: "P-256", x: part(1), y: part(1 + SCALAR_BYTES), d }, "ES256"),
  };
}
