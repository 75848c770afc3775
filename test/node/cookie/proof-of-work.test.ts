/** Proofs of work, made by altcha-lib and solved by the worker of the waiting page. */

import { createHash } from "node:crypto";
import { solveChallenge } from "altcha-lib";
import { deriveKey } from "altcha-lib/algorithms/sha";
import { describe, expect, test } from "vitest";
import type { RoomId } from "../../../mesh/core/ids.ts";
import { AltchaProof, CHALLENGE_MS, type ProvedPlace, type Verdict } from "../../../node/cookie/proof-of-work.ts";
import { type Challenge, proofOf, solved } from "../gate/page-solver.ts";
import { MESH } from "../peer/lone-peer.ts";

/** Long before the clock of any test run: a room's clock counts, not that of the process. */
const NOW_MS = Date.UTC(2020, 1, 1);
const EASY = 64;
const ANNA: ProvedPlace = { room: "shop" as RoomId, id: "anna", key: 1_000, work: EASY };

const here = new AltchaProof(MESH);
/** Another node of the mesh, or the same one after a restart. */
const there = new AltchaProof({ meshId: MESH.meshId, meshKey: new Uint8Array(MESH.meshKey) });

function challengeFor(place: ProvedPlace, proof = here): Promise<Challenge> {
  const { promise, resolve } = Promise.withResolvers<Challenge>();
  proof.challenge(place, NOW_MS, (json) => resolve(JSON.parse(json ?? "null")));
  return promise;
}

function checked(text: string, place: ProvedPlace, { proof = there, nowMs = NOW_MS } = {}): Promise<Verdict> {
  const { promise, resolve } = Promise.withResolvers<Verdict>();
  proof.check(text, place, nowMs, resolve);
  return promise;
}

function encoded(payload: unknown): string {
  return Buffer.from(JSON.stringify(payload)).toString("base64url");
}

test("any node of the mesh accepts the solution, also after a restart, and more than once", async () => {
  const proof = proofOf(await challengeFor(ANNA));
  expect([await checked(proof, ANNA), await checked(proof, ANNA), await checked(proof, ANNA, { proof: here })]).toEqual(
    ["solved", "solved", "solved"],
  );
});

test("the page's worker computes SHA-256, and finds what ALTCHA's own solver finds", async () => {
  for (let index = 0; index < 50; index++) {
    const challenge = await challengeFor({ ...ANNA, key: index });
    const solution = solved(challenge);
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(solution.counter);
    const { salt, nonce, data } = challenge.parameters;
    const message = Buffer.concat([Buffer.from(salt, "hex"), Buffer.from(nonce, "hex"), counter]);
    expect(solution.derivedKey).toBe(createHash("sha256").update(message).digest("hex"));
    expect(solution.counter).toBeLessThan(data.triesMax);
    expect(await solveChallenge({ challenge: challenge as never, deriveKey })).toMatchObject(solution);
  }
});

describe("a solution is not accepted", () => {
  test.each([
    ["for another visitor", { ...ANNA, id: "bob" }],
    ["for the same visitor at another place in line", { ...ANNA, key: 1_001 }],
    ["in another room", { ...ANNA, room: "cinema" as RoomId }],
    ["where more work is owed", { ...ANNA, work: 2 * EASY }],
  ])("%s", async (_, place) => {
    expect(await checked(proofOf(await challengeFor(ANNA)), place)).toBe("foreign");
  });

  test("in another mesh", async () => {
    const proof = new AltchaProof({ ...MESH, meshKey: new Uint8Array(32).fill(9) });
    expect(await checked(proofOf(await challengeFor(ANNA)), ANNA, { proof })).toBe("foreign");
  });

  test("ten minutes after its challenge was made, by the clock of the room", async () => {
    const proof = proofOf(await challengeFor(ANNA));
    expect(await checked(proof, ANNA, { nowMs: NOW_MS + CHALLENGE_MS })).toBe("solved");
    expect(await checked(proof, ANNA, { nowMs: NOW_MS + CHALLENGE_MS + 1 })).toBe("expired");
  });

  test("if the client made the challenge easier, longer, or another one", async () => {
    const challenge = await challengeFor(ANNA);
    const { parameters } = challenge;
    const changes = [
      { keyPrefix: parameters.keyPrefix.slice(0, 2) },
      { data: { ...parameters.data, goodUntil: NOW_MS + 10 * CHALLENGE_MS } },
      { keySignature: undefined },
      { cost: 2 },
      { expiresAt: 4_000_000_000 },
    ];
    for (const change of changes) {
      const easier = { ...challenge, parameters: { ...parameters, ...change } };
      expect(await checked(proofOf(easier, solved(challenge)), ANNA)).toBe("foreign");
    }
  });

  test("if it is not one", async () => {
    const challenge = await challengeFor(ANNA);
    const solution = solved(challenge);
    const wrong = [
      { ...solution, derivedKey: "00".repeat(32) },
      { ...solution, derivedKey: challenge.parameters.keyPrefix },
      { ...solution, derivedKey: solution.derivedKey.toUpperCase().replace(/^\d+$/, "AA") },
      { ...solution, derivedKey: 5 },
      { counter: solution.counter },
      {},
    ];
    for (const no of wrong) expect(await checked(encoded({ challenge, solution: no }), ANNA)).toBe("wrong");
  });

  test("if it cannot be read, and nothing is thrown", async () => {
    const challenge = await challengeFor(ANNA);
    const junk: readonly unknown[] = [
      null,
      [],
      {},
      { challenge, solution: null },
      { challenge: { parameters: {} }, solution: {} },
      { challenge: { parameters: { data: {} }, signature: "" }, solution: {} },
      {
        challenge: { parameters: { ...challenge.parameters, data: { goodUntil: "later" } }, signature: "a" },
        solution: {},
      },
      { challenge: { ...challenge, signature: 1 }, solution: {} },
    ];
    for (const payload of junk) expect(await checked(encoded(payload), ANNA)).toBe("malformed");
    for (const text of ["", "%", "e30", "x".repeat(100_000), proofOf(challenge).padEnd(3_000, " ")])
      expect(await checked(text, ANNA)).toBe("malformed");
  });
});
