/** A draw as a file: what is wrong with a bad one is named. */

import { describe, expect, test } from "vitest";
import { checkDraw } from "../../../../node/admission/draw/draw-document.ts";
import { drawIdText, hashOf, rankOf, seedOf } from "../../../../node/admission/draw/draw-seed.ts";
import { signedStatement } from "../../../../node/admission/statement.ts";
import type { Notary } from "../../../../node/notary.ts";
import { Sha256 } from "../../../../node/sha256.ts";
import { SELF } from "../../peer/lone-peer.ts";

const START = "2026-11-27T10:00:00.000Z";
const NOTARY: Notary = {
  sign: (text) => `of ${text.length}`,
  verify: (_, text, by) => by === `of ${text.length}`,
  digest: (text) => text,
};
const SECRET = "a".repeat(64);
const TERMS = { mesh: "mesh", room: "room", event: "sale", startMs: Date.parse(START), announced: "" };

const text = (fields: object): string => signedStatement(fields, NOTARY);

function fileOf(change: object = {}, reorder = (ids: string[]) => ids): string {
  const seed = seedOf(TERMS, SECRET, "");
  const ids = Array.from({ length: 20 }, (_, index) => drawIdText(index * 7_777_777));
  const digest = new Sha256();
  for (const id of [...ids].sort()) digest.add(`${id}\n`);
  const head = {
    ...{ anteroom: "draw 1", mesh: "mesh", room: "room", name: "shop", event: "sale", start: START },
    ...{ announced: "", value: "", hash: hashOf(SECRET), secret: SECRET },
    ...{ list: { count: ids.length, digest: digest.hex() }, seed, node: SELF, ...change },
  };
  const sorted = [...ids].sort((one, other) => (rankOf(seed, one) < rankOf(seed, other) ? -1 : 1));
  return `${[text(head), ...reorder(sorted)].join("\n")}\n`;
}

const found = (file: string, asked: string[] = []) => checkDraw(file, asked, NOTARY);

describe("the file of a draw", () => {
  test("is valid with and without a last line break", () => {
    expect(found(fileOf()).verdict).toBe("valid");
    expect(found(fileOf().trimEnd()).verdict).toBe("valid");
  });

  test("says the number of each id that is asked for, and which one is missing", () => {
    const [, first = "", second = ""] = fileOf().split("\n");
    expect(found(fileOf(), [second, first]).places).toEqual([
      { id: second, number: 2 },
      { id: first, number: 1 },
    ]);
    expect(found(fileOf(), [first, "fffffffffffff"])).toMatchObject({
      verdict: "missing",
      problem: "the id fffffffffffff is not on the list",
    });
  });

  const swapped = (ids: string[]) => [...ids.slice(0, 5), ...ids.slice(5, 7).reverse(), ...ids.slice(7)];
  test.each([
    ["", "damaged", "is not JSON"],
    ["[]\n", "damaged", "is not a JSON object"],
    ["{}\n", "damaged", "has no signature"],
    [fileOf({ start: "today" }), "damaged", "has a wrong field start"],
    [fileOf().replace('"name":"shop"', '"name":"the other shop"'), "forged", "has not signed its first line"],
    [fileOf({ secret: "b".repeat(64) }), "broken", "the hash that was published is not that of the secret"],
    [fileOf({ hash: "b".repeat(64) }), "broken", "the hash that was published is not that of the secret"],
    [fileOf({ value: "3 14 15" }), "broken", "no public value was announced"],
    [fileOf({ announced: "a lottery" }), "broken", "the public value that was announced is missing"],
    [fileOf({ announced: "a lottery", value: "3 14 15" }), "broken", "the seed does not follow from the secret"],
    [fileOf({ seed: "0".repeat(64) }), "broken", "the seed does not follow from the secret"],
    [fileOf({ event: "another" }), "broken", "the seed does not follow from the secret"],
    [fileOf({}, swapped), "broken", "is not where the seed puts it"],
    [fileOf({}, (ids) => ids.slice(1)), "broken", "it has 19 ids where 20 were on the list"],
    [fileOf({}, ([first = "", , ...ids]) => [first, first, ...ids]), "broken", "is on the list twice"],
    [fileOf({}, ([, ...ids]) => ["x", ...ids]), "broken", "line 2 is not an id"],
    [fileOf({ list: { count: 20, digest: "0".repeat(64) } }), "broken", "the ids are not those that were on the list"],
  ])("is refused with what is wrong with it (%#)", (file, verdict, problem) => {
    const finding = found(file);
    expect([finding.verdict, finding.problem]).toEqual([verdict, expect.stringContaining(problem)]);
  });
});
