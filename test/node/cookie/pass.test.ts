import { hkdfSync } from "node:crypto";
import fc from "fast-check";
import { compactVerify, SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import { PASS_CHARS_MAX, PASS_KEY_CHARS_MAX, PassMaker } from "../../../node/cookie/pass.ts";
import { parsePassOrder } from "../../../node/cookie/pass-order.ts";

const MESH = { meshId: "0123456789abcdef", meshKey: new Uint8Array(32).fill(3) };
const NOW_MS = Date.UTC(2026, 10, 22);
const SHOP = { room: "shop", generation: 1 };
const ORDER = { key: "order-1", isStaff: false, madeMs: NOW_MS, expiresMs: NOW_MS + 60_000 };
const maker = new PassMaker(MESH);
const good = maker.make(ORDER, SHOP);

describe("a pass", () => {
  test("is read as it was made, by any node of the mesh", () => {
    expect(new PassMaker(MESH).read(good, SHOP, NOW_MS)).toEqual({ room: "shop", ...ORDER });
    const { key: _, ...anybody } = { ...ORDER, isStaff: true };
    expect(maker.read(maker.make(anybody, SHOP), SHOP, NOW_MS)).toEqual({ room: "shop", ...anybody });
  });

  const flipped = (part: number): string =>
    good
      .split(".")
      .map((text, index) => (index === part ? (text[4] === "A" ? "B" : "A") + text.slice(1) : text))
      .join(".");
  const claims = (changes: object): string => {
    const [header = "", payload = "", signature = ""] = good.split(".");
    const { ...old } = JSON.parse(Buffer.from(payload, "base64url").toString()) as object;
    return `${header}.${Buffer.from(JSON.stringify({ ...old, ...changes })).toString("base64url")}.${signature}`;
  };
  test.each([
    ["of another mesh", "foreign", new PassMaker({ ...MESH, meshId: "f".repeat(16) }).make(ORDER, SHOP)],
    ["under another mesh key", "foreign", new PassMaker({ ...MESH, meshKey: new Uint8Array(32) }).make(ORDER, SHOP)],
    ["of another room", "other-room", maker.make(ORDER, { ...SHOP, room: "vip" })],
    ["of an earlier generation", "withdrawn", maker.make(ORDER, { ...SHOP, generation: 2 })],
    ["that has expired", "expired", maker.make({ ...ORDER, expiresMs: NOW_MS }, SHOP)],
    ["with another key", "forged", claims({ sub: "order-2" })],
    ["made staff", "forged", claims({ staff: true })],
    ["with another signature", "forged", flipped(2)],
    ["without its signature", "forged", good.replace(/[^.]*$/, "")],
    ["cut in half", "malformed", good.slice(0, good.length / 2)],
    ["with a damaged header", "malformed", flipped(0)],
    ["without a signature algorithm", "malformed", good.replace(/^[^.]*/, encoded({ alg: "none" }))],
    ["with a letter of two bytes in its signature", "forged", good.replace(/.$/, "\u00e9")],
    ["that is huge", "malformed", `${good}${"A".repeat(100_000)}`],
    ["with null claims", "malformed", good.replace(/\.[^.]*\./, `.${Buffer.from("null").toString("base64url")}.`)],
  ])("%s is %s", (_, reason, text) => {
    expect(maker.read(text, SHOP, NOW_MS)).toBe(reason);
  });

  test("never throws, whatever the text", () => {
    const own = good.split(".");
    const bytes = fc.uint8Array({ minLength: 43, maxLength: 43 }).map((list) => Buffer.from(list).toString("latin1"));
    const part = fc.oneof(fc.string(), bytes, fc.base64String(), fc.constantFrom(...own, ...own));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), (parts) => {
        const text = parts.join(".");
        expect(typeof maker.read(text, SHOP, NOW_MS) === "string" || text === good).toBe(true);
      }),
    );
  });

  test("is a JWS to jose, and one that jose signs under the same key is accepted", async () => {
    const { meshKey, meshId } = MESH;
    const secret = new Uint8Array(hkdfSync("sha256", meshKey, meshId, "anteroom pass 1", 32));
    const { protectedHeader, payload } = await compactVerify(good, secret);
    expect(JSON.parse(Buffer.from(payload).toString())).toMatchObject({ aud: "shop", sub: "order-1" });
    const signed = await new SignJWT({ aud: "shop", iat: NOW_MS / 1_000, exp: NOW_MS / 1_000 + 60 })
      .setProtectedHeader({ alg: "HS256", typ: "JWT", kid: protectedHeader.kid ?? "" })
      .sign(secret);
    expect(maker.read(signed, SHOP, NOW_MS)).toMatchObject({ room: "shop", isStaff: false });
  });

  test("with the longest key fits", () => {
    for (const key of ['"', "\\", "ü", "界", "🎟️"].map((text) =>
      text.repeat(PASS_KEY_CHARS_MAX).slice(0, PASS_KEY_CHARS_MAX),
    )) {
      const made = maker.make({ ...ORDER, key }, { room: "x".repeat(64), generation: 1_000_000 });
      expect(made.length).toBeLessThanOrEqual(PASS_CHARS_MAX);
    }
  });
});

describe("an order for a pass", () => {
  const order = (document: unknown) => parsePassOrder(document, { path: "", nowMs: NOW_MS });

  test.each([
    [{}, { isStaff: false, expiresMs: NOW_MS + 30 * 86_400_000 }],
    [
      { key: "a", staff: "true", expires: "12h" },
      { key: "a", isStaff: true, expiresMs: NOW_MS + 12 * 3_600_000 },
    ],
    [
      { key: "", staff: false, expires: "2026-12-24T18:00:00+01:00" },
      { isStaff: false, expiresMs: Date.UTC(2026, 11, 24, 17) },
    ],
  ])("%j is understood", (document, value) => {
    expect(order(document)).toEqual({ ok: true, value });
  });

  test("reports all that is wrong with it at once", () => {
    const checked = order({ key: "a\nb", staff: 3, expires: "tomorrow", lnae: 1 });
    expect(checked.ok ? [] : checked.problems.map(({ path, problem }) => `${path} ${problem}`)).toEqual([
      "lnae is not a known field",
      "key has a control character",
      "staff is not true or false",
      "expires is neither a span nor a time with its zone",
    ]);
  });

  test.each([
    [{ expires: "2026-01-01T00:00:00Z" }, "has passed already"],
    [{ expires: "401d" }, "is more than 400 days ahead"],
    [{ expires: "2026-12-24T18:00:00" }, "is neither a span nor a time with its zone"],
    [{ key: "x".repeat(129) }, "is longer than 128 characters"],
    [{ key: 5 }, "is not a text"],
    [{ key: "\ud800" }, "is not a valid text"],
    [[], "is no group of fields"],
  ])("%j is refused: %s", (document, problem) => {
    const checked = order(document);
    expect(checked.ok ? [] : checked.problems.map((each) => each.problem)).toEqual([problem]);
  });
});

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
