/** Web Bot Auth: the vectors of its authors, and what makes a signature worthless. */

import { createPrivateKey, sign } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type BotKeys, botClaim, botKeys } from "../../../node/keys/bot-signature.ts";
import type { SignedRequest } from "../../../node/rules/lookups.ts";

/** The key of RFC 9421, appendix B.1.4. */
const JWK = { kty: "OKP", crv: "Ed25519", x: "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs" };
const KEY = createPrivateKey({ key: { ...JWK, d: "n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU" }, format: "jwk" });
const KEY_ID = "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";
const KEYS = keysOf(JWK);

const CREATED_SECONDS = 1_735_689_600;
const NOW_MS = CREATED_SECONDS * 1_000 + 5_000;

function keysOf(...keys: readonly object[]): BotKeys {
  const read = botKeys("example-agent", { keys });
  if (typeof read === "string") throw new Error(read);
  return read;
}

function asking(headers: readonly string[], change: Partial<SignedRequest["request"]> = {}): SignedRequest {
  const host = "example.com";
  const request = { method: "GET", target: "/path/to/resource", host, authority: host, headers, ...change };
  return { request, secure: true, nowMs: NOW_MS };
}

/** Whose the request is for sure; undefined if nobody's. */
function signer(from: SignedRequest): string | undefined {
  const claim = botClaim(from, KEYS);
  return claim?.isGood() ? claim.name : undefined;
}

const PARAMETERS = `;created=${CREATED_SECONDS};keyid="${KEY_ID}";alg="ed25519";expires=${CREATED_SECONDS + 60};tag="web-bot-auth"`;

/** Fields with a signature of `lines`, the values of the components `covered`. */
function signed(covered: string, lines: readonly string[], parameters = PARAMETERS): string[] {
  const input = `(${covered})${parameters}`;
  const base = [...lines, `"@signature-params": ${input}`].join("\n");
  const bytes = sign(null, Buffer.from(base), KEY).toString("base64");
  return ["Signature-Input", `sig=${input}`, "Signature", `sig=:${bytes}:`];
}

const HOST = ['"@authority": example.com'];

describe("a signature is good", () => {
  test.each([
    [
      'sig1=("@authority");created=1735689600;keyid="poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";alg="ed25519";expires=4889289600;nonce="zIW8+cdmA3vdYagbxojpONwa/l0EKJ/O3/wD486VvsQjO/RxPaSt6ZxvQaMcQzNnqKN/mQ6hpGiFro2L2qkz5A==";tag="web-bot-auth"',
      "sig1=:QKN4fTdIYfh82fvoZCQiQA1weuozfCS/Led2zTMbewMMqH8PI2Wsy/5c4ao6B6D09nraNQdBNOADg8aM1MqfCg==:",
      [],
    ],
    [
      'sig2=("@authority" "signature-agent";key="agent2");created=1735689600;keyid="poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";alg="ed25519";expires=4889289600;nonce="n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6rznNA8PVVLySrAWsv0hQtFioQb6E1YsauiA==";tag="web-bot-auth"',
      "sig2=:RdNFx5Bj6au3YgAMQL/RzmUlZE8QZLIaXGRpw985hWnwPfMxT228NMk6ehRS1PSl4e8PhbNZACSanGdhEwYCCg==:",
      ["Signature-Agent", 'agent2="https://signature-agent.test"'],
    ],
  ])("in the vectors of the draft: %s", (input, signature, more) => {
    const headers = ["Signature-Input", input, "Signature", signature, ...more];
    expect(signer(asking(headers))).toBe("example-agent");
    expect(signer(asking(headers, { host: "example.org" }))).toBeUndefined();
    const renamed = headers.map((text) => text.replace("agent.test", "agent.tset"));
    expect(signer(asking(renamed))).toBe(more.length === 0 ? "example-agent" : undefined);
  });

  test.each([
    ['"@target-uri"', ['"@target-uri": https://example.com/path/to/resource?a=b']],
    [
      '"@authority" "@method" "@path" "@query" "@scheme"',
      [...HOST, '"@method": GET', '"@path": /path/to/resource', '"@query": ?a=b', '"@scheme": https'],
    ],
    ['"@authority" "@request-target" "x-a"', [...HOST, '"@request-target": /path/to/resource?a=b', '"x-a": 1, 2']],
  ])("that covers %s", (covered, lines) => {
    const headers = [...signed(covered, lines), "X-A", "1", "x-a", " 2 "];
    expect(signer(asking(headers, { target: "/path/to/resource?a=b" }))).toBe("example-agent");
    expect(signer(asking(headers, { target: "/path/to/another" }))).toBeUndefined();
  });

  test("for a host with a port, and beside signatures for others", () => {
    const [, input = "", , signature = ""] = signed('"@authority"', ['"@authority": example.com:8443']);
    const inputs = ["Signature-Input", 'a=("@path");tag="x"', "Signature-Input", input];
    const headers = [...inputs, "Signature", `a=:AA==:, ${signature}`];
    expect(signer(asking(headers, { authority: "Example.com:8443" }))).toBe("example-agent");
    expect(signer(asking(headers))).toBeUndefined();
  });
});

describe("a signature is worth nothing", () => {
  test.each([
    ["before it was made", PARAMETERS.replace("created=1735689600", "created=1735689620")],
    ["once it is over", PARAMETERS.replace("expires=1735689660", "expires=1735689605")],
    ["without an end", PARAMETERS.replace(";expires=1735689660", "")],
    ["without a start", PARAMETERS.replace(";created=1735689600", "")],
    ["by another key", PARAMETERS.replace(KEY_ID, KEY_ID.toLowerCase())],
    ["without a key", PARAMETERS.replace(`;keyid="${KEY_ID}"`, "")],
    ["with another algorithm", PARAMETERS.replace('alg="ed25519"', 'alg="hmac-sha256"')],
    ["for another purpose", PARAMETERS.replace("web-bot-auth", "agent-payer-auth")],
  ])("%s", (_, parameters) => {
    expect(parameters).not.toBe(PARAMETERS);
    expect(signer(asking(signed('"@authority"', HOST)))).toBe("example-agent");
    expect(signer(asking(signed('"@authority"', HOST, parameters)))).toBeUndefined();
  });

  test.each([
    ["that names no host", '"@method"', ['"@method": GET']],
    ["that covers a part twice", '"@authority" "@authority"', [...HOST, ...HOST]],
    ["of a field that is not there", '"@authority" "x-b"', [...HOST, '"x-b": ']],
    ["of an unknown part", '"@authority" "@status"', [...HOST, '"@status": 200']],
    ["of a part in an unknown form", '"@authority" "x-a";bs', [...HOST, '"x-a";bs: :MQ==:']],
  ])("%s", (_, covered, lines) => {
    expect(signer(asking([...signed(covered, lines), "X-A", "1"]))).toBeUndefined();
  });

  test("that leaves out the agent that the request names", () => {
    const headers = [...signed('"@authority"', HOST), "Signature-Agent", '"https://another.test"'];
    expect(signer(asking(headers))).toBeUndefined();
  });

  test("of two members of fields: each takes another look through a whole field", () => {
    const agents = ["Signature-Agent", 'a="https://a.test", b="https://b.test"'];
    const of = (...names: readonly string[]) => {
      const parts = names.map((name) => `"signature-agent";key="${name}"`);
      const lines = parts.map((part, at) => `${part}: "https://${names[at]}.test"`);
      return signer(asking([...signed(['"@authority"', ...parts].join(" "), [...HOST, ...lines]), ...agents]));
    };
    expect([of("a"), of("b"), of("a", "b")]).toEqual(["example-agent", "example-agent", undefined]);
  });

  test("in fields that are too long, or with too many parts", () => {
    const [name = "", input = "", ...others] = signed('"@authority"', HOST);
    expect(signer(asking([name, `${input}, b=1`, ...others]))).toBe("example-agent");
    expect(signer(asking([name, `${input}, b="${"1".repeat(2_048)}"`, ...others]))).toBeUndefined();
    const many = (count: number) => {
      const names = Array.from({ length: count }, (_, at) => `"x-${at}"`);
      const headers = signed(['"@authority"', ...names].join(" "), [...HOST, ...names.map((each) => `${each}: v`)]);
      return signer(asking([...headers, ...names.flatMap((each) => [each.slice(1, -1), "v"])]));
    };
    expect(many(15)).toBe("example-agent");
    expect(many(16)).toBeUndefined();
  });
});

test("what a stranger sends never throws, and proves nothing", () => {
  const signs = ["sig=", "(", ")", ";", "tag", "=", ":", "AA==", ",", " ", "\\", "\u00e9", "1"];
  const pieces = [...signs, '"@authority"', '"web-bot-auth"', PARAMETERS];
  const text = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((each) => each.join(""));
  fc.assert(
    fc.property(text, text, text, (input, signature, agent) => {
      const headers = ["Signature-Input", input, "Signature", signature, "Signature-Agent", agent];
      expect(signer(asking(headers))).toBeUndefined();
    }),
  );
});

test.each([
  [[], "has no Ed25519 key"],
  [[{ kty: "RSA", n: "AQAB", e: "AQAB" }, 7, null, { ...JWK, x: "short" }], "has no Ed25519 key"],
  [Array<object>(101).fill(JWK), "has more than 100 keys: 101"],
])("keys are refused: %#", (keys, problem) => expect(botKeys("x", { keys })).toBe(problem));
