import { createPrivateKey } from "node:crypto";
import { expect, test } from "vitest";
import { selfSigned } from "../../self-signed.ts";
import { anteroom } from "../fake-io.ts";

const [one, other] = [selfSigned("one.example"), selfSigned("other.example")];
const locked = createPrivateKey(one.key).export({
  type: "pkcs8",
  format: "pem",
  cipher: "aes-128-cbc",
  passphrase: "x",
});
const broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

async function check(cert: string, key: string, ca = one.cert) {
  const files = { "chain.pem": cert, "key.pem": key, "ca.pem": ca };
  return anteroom(
    "config check --origin http://127.0.0.1:9 --tls-cert chain.pem --tls-key key.pem --origin-ca ca.pem",
    {
      files,
    },
  );
}

test("a chain and the key of its first certificate are well", async () => {
  expect(await check(one.cert + other.cert, one.key)).toMatchObject({
    exit: 0,
    talk: expect.not.stringContaining("pem"),
  });
});

test.each([
  ["a key of another certificate", one.cert, other.key, "key.pem: is not the key of the certificate in chain.pem"],
  [
    "a chain in the wrong order",
    other.cert + one.cert,
    one.key,
    "key.pem: is the key of a later certificate in chain.pem",
  ],
  ["a key with a passphrase", one.cert, String(locked), "key.pem: is a private key with a passphrase"],
  ["the two files the other way round", one.key, one.cert, "chain.pem: has no certificate in PEM form"],
  ["something else for the key", one.cert, "hello", "key.pem: has no private key in PEM form"],
  ["a certificate that is cut off", broken, one.key, "chain.pem: has a certificate that cannot be read"],
])("%s is named before anything is started", async (_, cert, key, problem) => {
  const { exit, talk } = await check(cert, key);
  expect(exit).toBe(2);
  expect(talk).toContain(problem);
  expect(talk).not.toContain("address");
});

test("certificates to trust are looked at, too", async () => {
  const { exit, talk } = await check(one.cert, one.key, "hello");
  expect([exit, talk]).toEqual([2, expect.stringContaining("ca.pem: has no certificate in PEM form")]);
});
