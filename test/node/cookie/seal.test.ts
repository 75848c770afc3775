import fc from "fast-check";
import { CompactEncrypt, compactDecrypt } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import type { AccountId, Minute, RoomId } from "../../../mesh/core/ids.ts";
import { CookieSeal, type InsideCookie, JweCipher, KeyRing } from "../../../node/cookie/seal.ts";
import { sealed as sealedBy } from "./sealed.ts";

const NOW_MS = Date.UTC(2026, 8, 11, 11, 45, 54);
const DAY_MS = 86_400_000;
const founder = "node1" as AccountId;
const mesh = { meshId: "0123456789abcdef", meshKey: new Uint8Array(32).fill(7), founder };
const ring = new KeyRing(mesh);
const cipher = new JweCipher(ring);
const seal = new CookieSeal(cipher);
const room = "room1" as RoomId;
const cookie: InsideCookie = {
  kind: "inside",
  room,
  id: "x1y2z3",
  home: "account1" as AccountId,
  bucketId: NOW_MS - 54_000,
  lastCheckInTime: NOW_MS,
  acceptedAt: NOW_MS,
  lastGood: 29_000_000 as Minute,
};
let sealed = "";

beforeAll(async () => {
  sealed = await sealedBy(seal, cookie, NOW_MS);
});

describe("the visitor cookie", () => {
  test("WR-4: comes back with its cohort, check-in and admission times", () => {
    expect(seal.open(sealed, room, NOW_MS)).toEqual({ kind: "good", cookie });
  });

  test("is opened by jose with the ring's key", async () => {
    const { plaintext } = await compactDecrypt(sealed, ring.current(NOW_MS).secret);
    expect(JSON.parse(Buffer.from(plaintext).toString())).toEqual(cookie);
  });

  test("of another mesh or no cookie at all is a new visitor's", () => {
    const elsewhere = new CookieSeal(new JweCipher(new KeyRing({ ...mesh, meshId: "fedcba9876543210" })));
    expect(elsewhere.open(sealed, room, NOW_MS)).toEqual({ kind: "bad", reason: "forged" });
    for (const value of ["", "x", "....", "a.b.c.d.e", `${sealed}.`, sealed.slice(0, -4), "x".repeat(100_000)]) {
      expect(seal.open(value, room, NOW_MS).kind).toBe("bad");
    }
  });
});

/**
 * All that a cookie value may hold: cookie-octet of RFC 6265 §4.1.1. Other characters never get past the Cookie header.
 */
const COOKIE_OCTETS = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at)).filter(
  (c) => !'",;\\'.includes(c),
);

/** Edits of a value: a few characters replaced, removed or put in. */
const mutations = fc.array(
  fc.record({
    at: fc.nat(700),
    remove: fc.nat(3),
    put: fc.string({ unit: fc.constantFrom(...COOKIE_OCTETS), maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 3 },
);

function mutate(value: string, edits: readonly { at: number; remove: number; put: string }[]): string {
  return edits.reduce((text, { at, remove, put }) => {
    const place = at % (text.length + 1);
    return text.slice(0, place) + put + text.slice(place + remove);
  }, value);
}

async function joseOpens(value: string): Promise<Uint8Array | undefined> {
  try {
    const { plaintext } = await compactDecrypt(value, async ({ kid }) => {
      const days = [-1, 0, 1].map((each) => NOW_MS + each * DAY_MS);
      const atMs = days.find((each) => String(ring.periodOf(each)) === kid);
      if (atMs === undefined) throw new Error("unknown key");
      return ring.current(atMs).secret;
    });
    return plaintext;
  } catch {
    return undefined;
  }
}

describe("opening by node:crypto", () => {
  test("accepts exactly what jose accepts, over mutated cookies", async () => {
    await fc.assert(
      fc.asyncProperty(mutations, async (edits) => {
        const value = mutate(sealed, edits);
        const ours = cipher.decrypt(value, NOW_MS);
        const theirs = await joseOpens(value);
        expect(typeof ours === "string" ? undefined : Buffer.from(ours).toString()).toEqual(
          theirs === undefined ? undefined : Buffer.from(theirs).toString(),
        );
      }),
      { numRuns: 2_000 },
    );
  });

  test("accepts exactly what jose accepts, over last characters that carry unused bits", async () => {
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const parts = sealed.split(".");
    for (const part of [2, 3, 4]) {
      for (const last of alphabet) {
        const value = parts.map((text, at) => (at === part ? text.slice(0, -1) + last : text)).join(".");
        const ours = typeof cipher.decrypt(value, NOW_MS) !== "string";
        expect([part, last, ours]).toEqual([part, last, (await joseOpens(value)) !== undefined]);
      }
    }
  });

  test("accepts exactly what jose accepts, over plain texts of any length", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (plain) => {
        const kid = String(ring.periodOf(NOW_MS));
        const { secret } = ring.current(NOW_MS);
        const value = await new CompactEncrypt(plain)
          .setProtectedHeader({ alg: "dir", enc: "A256GCM", kid })
          .encrypt(secret);
        const ours = cipher.decrypt(value, NOW_MS);
        const theirs = await joseOpens(value);
        expect(typeof ours === "string" ? ours : Buffer.from(ours).toString("hex")).toBe(
          theirs === undefined ? "jose refuses" : Buffer.from(theirs).toString("hex"),
        );
      }),
      { numRuns: 200 },
    );
  });
});

test("cookies opened before count as before, for their own room only, and until their key is retired", () => {
  const fresh = new CookieSeal(new JweCipher(ring));
  for (let time = 0; time < 2; time++) {
    expect(fresh.open(sealed, room, NOW_MS)).toEqual({ kind: "good", cookie });
    expect(fresh.open(sealed, "room2" as RoomId, NOW_MS)).toEqual({ kind: "bad", reason: "wrong-room" });
  }
  for (const days of [-1, 1]) expect(fresh.open(sealed, room, NOW_MS + days * DAY_MS).kind).toBe("good");
  for (const days of [-2, 2])
    expect(fresh.open(sealed, room, NOW_MS + days * DAY_MS)).toEqual({ kind: "bad", reason: "unknown-key" });
});
