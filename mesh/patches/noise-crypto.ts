/**
 * The arithmetic of the Noise handshake and of the encrypted connection, as this runtime can do it.
 *
 * Bun's node:crypto knows no ChaCha20-Poly1305, which the library's default uses for all but small messages:
 * connections break at the first larger one. So the cipher is WebAssembly for every size. Everything else comes from
 * node:crypto: ten times as fast as the pure JavaScript that is the library's alternative (a key exchange in 0.06 ms,
 * not 0.6 ms), which counts where a hundred nodes greet each other at once.
 *
 * Upstream: github.com/oven-sh/bun/issues/8072. Needless once test/mesh/patches/noise-crypto.test.ts says so.
 */

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
} from "node:crypto";
import { ChaCha20Poly1305, newInstance } from "@chainsafe/as-chacha20poly1305";
import type { ICryptoInterface, KeyPair } from "@libp2p/noise";

type Bytes = Parameters<ICryptoInterface["hashSHA256"]>[0];

/** The DER prefix of the 32 bytes of an X25519 key (RFC 8410, sections 4 and 7). */
const PRIVATE_PREFIX = Buffer.from("302e020100300506032b656e04220420", "hex");
const PUBLIC_PREFIX = Buffer.from("302a300506032b656e032100", "hex");

/** A new set of functions with its own WebAssembly instance. */
export function noiseCrypto(): ICryptoInterface {
  const cipher = new ChaCha20Poly1305(newInstance());
  return {
    hashSHA256: (data) => createHash("sha256").update(data.subarray()).digest(),
    getHKDF(chainingKey, input) {
      const keys = new Uint8Array(hkdfSync("sha256", input, chainingKey, new Uint8Array(0), 96));
      return [keys.subarray(0, 32), keys.subarray(32, 64), keys.subarray(64, 96)];
    },
    generateX25519KeyPair() {
      const { publicKey, privateKey } = generateKeyPairSync("x25519");
      return {
        publicKey: lastBytes(publicKey.export({ type: "spki", format: "der" })),
        privateKey: lastBytes(privateKey.export({ type: "pkcs8", format: "der" })),
      };
    },
    generateX25519KeyPairFromSeed: keyPairOf,
    generateX25519SharedKey: (privateKey, publicKey) =>
      diffieHellman({ privateKey: privateKeyOf(privateKey), publicKey: publicKeyOf(publicKey) }),
    chaCha20Poly1305Encrypt: (text, nonce, data, key) => cipher.seal(key, nonce, text.subarray(), data),
    chaCha20Poly1305Decrypt(sealed, nonce, data, key, into) {
      const text = cipher.open(key, nonce, sealed.subarray(), data, into);
      if (text === null) throw new Error("Cannot decrypt a message as its tag is wrong");
      return text;
    },
  };
}

function keyPairOf(seed: Uint8Array): KeyPair {
  const publicKey = createPublicKey(privateKeyOf(seed)).export({ type: "spki", format: "der" });
  return { publicKey: lastBytes(publicKey), privateKey: seed };
}

function privateKeyOf(key: Bytes) {
  return createPrivateKey({ key: Buffer.concat([PRIVATE_PREFIX, key.subarray()]), format: "der", type: "pkcs8" });
}

function publicKeyOf(key: Bytes) {
  return createPublicKey({ key: Buffer.concat([PUBLIC_PREFIX, key.subarray()]), format: "der", type: "spki" });
}

function lastBytes(der: Uint8Array): Uint8Array {
  return der.subarray(der.length - 32);
}
