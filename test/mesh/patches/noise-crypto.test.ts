import { createCipheriv } from "node:crypto";
import { type ICryptoInterface, pureJsCrypto } from "@libp2p/noise";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { noiseCrypto } from "../../../mesh/patches/noise-crypto.ts";

const ours = noiseCrypto();
const plain: ICryptoInterface = pureJsCrypto;
const key = fc.uint8Array({ minLength: 32, maxLength: 32 });
const nonce = fc.uint8Array({ minLength: 12, maxLength: 12 });
const associated = fc.uint8Array({ maxLength: 32 });

test("the patch is needed: node:crypto of this runtime has no ChaCha20-Poly1305", () => {
  const seal = () => createCipheriv("chacha20-poly1305", new Uint8Array(32), new Uint8Array(12), { authTagLength: 16 });
  expect(seal, "the library's own crypto works now: drop mesh/patches/noise-crypto.ts").toThrow();
});

describe("what Noise computes with is the same as the library's plain version", () => {
  test.each([0, 1, 1_199, 1_200, 65_519, 65_536, 200_000])("sealing and opening %d bytes", (size) => {
    const text = new Uint8Array(size).map((_, at) => at * 7);
    fc.assert(
      fc.property(key, nonce, associated, (secret, number, data) => {
        const sealed = ours.chaCha20Poly1305Encrypt(text, number, data, secret).subarray();
        expect(Buffer.compare(sealed, plain.chaCha20Poly1305Encrypt(text, number, data, secret).subarray())).toBe(0);
        const opened = ours.chaCha20Poly1305Decrypt(sealed, number, data, secret).subarray();
        expect(Buffer.compare(opened, text)).toBe(0);
        const place = sealed.slice(0, size);
        ours.chaCha20Poly1305Decrypt(sealed, number, data, secret, place);
        expect(Buffer.compare(place, text)).toBe(0);
      }),
      { numRuns: size > 10_000 ? 2 : 20 },
    );
  });

  test("what was changed on its way does not open", () => {
    const [secret, number, data] = [new Uint8Array(32), new Uint8Array(12), new Uint8Array(0)];
    const sealed = ours.chaCha20Poly1305Encrypt(Buffer.from("text"), number, data, secret).subarray();
    sealed[2] = (sealed[2] ?? 0) ^ 1;
    expect(() => ours.chaCha20Poly1305Decrypt(sealed, number, data, secret)).toThrow("tag is wrong");
  });

  test("hashes and derived keys", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), key, (data, chainingKey) => {
        expect(Buffer.compare(ours.hashSHA256(data), plain.hashSHA256(data))).toBe(0);
        expect(ours.getHKDF(chainingKey, data).map(hex)).toEqual(plain.getHKDF(chainingKey, data).map(hex));
      }),
    );
  });

  test("key pairs and shared keys", () => {
    fc.assert(
      fc.property(key, key, (one, other) => {
        expect(hex(ours.generateX25519KeyPairFromSeed(one).publicKey)).toBe(
          hex(plain.generateX25519KeyPairFromSeed(one).publicKey),
        );
        const { publicKey } = plain.generateX25519KeyPairFromSeed(other);
        expect(hex(ours.generateX25519SharedKey(one, publicKey))).toBe(
          hex(plain.generateX25519SharedKey(one, publicKey)),
        );
      }),
      { numRuns: 10 },
    );
    const drawn = ours.generateX25519KeyPair();
    expect(hex(drawn.publicKey)).toBe(hex(plain.generateX25519KeyPairFromSeed(drawn.privateKey).publicKey));
  });
});

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
