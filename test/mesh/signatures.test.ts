import { describe, expect, test } from "vitest";
import type { NodeId } from "../../mesh/core/ids.ts";
import { ephemeralNodeKey } from "../../mesh/node-key.ts";
import { signaturesOf } from "../../mesh/signatures.ts";

const TEXT = new TextEncoder().encode("a row");

describe("a node's signature", () => {
  test("is good for its id, its bytes, and nothing else", async () => {
    const [one, other] = [await ephemeralNodeKey(), await ephemeralNodeKey()];
    const signature = signaturesOf(one).sign(TEXT);
    const { verify } = signaturesOf(other);
    expect(verify(one.node, TEXT, signature)).toBe(true);
    expect(verify(other.node, TEXT, signature)).toBe(false);
    expect(
      verify(
        one.node,
        TEXT.map((byte) => byte ^ 1),
        signature,
      ),
    ).toBe(false);
    expect(
      verify(
        one.node,
        TEXT,
        signature.map((byte) => byte ^ 1),
      ),
    ).toBe(false);
    expect(verify(one.node, TEXT, new Uint8Array(3))).toBe(false);
  });

  test("by a signer that is not a node is invalid", async () => {
    const { sign, verify } = signaturesOf(await ephemeralNodeKey());
    for (const id of ["", "nobody", "QmYyQSo1c1Ym7orWxLYvCrM2EmxFTANf8wXmmE7DWjhx5N"])
      expect(verify(id as NodeId, TEXT, sign(TEXT))).toBe(false);
  });
});
