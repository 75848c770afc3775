import { describe, expect, test } from "vitest";
import { type FileSeen, fileDigest, filesIn, filesRegister, verdictOf } from "../../../node/rooms/applied-files.ts";
import { roomOf } from "../config/documents.ts";
import { SHOP } from "./room-shelf.ts";

const at = (digest: string, atMs: number): FileSeen => ({ digest, atMs });

describe("a start with file B", () => {
  const CASES: readonly (readonly [string, FileSeen | undefined, readonly FileSeen[], string])[] = [
    ["is the first that anybody sees", undefined, [], "apply"],
    ["is of a node that saw B last, as everybody", at("B", 1), [at("B", 1)], "unchanged"],
    ["was changed from A on this host", at("A", 1), [at("A", 1)], "apply"],
    ["was changed on this host, as on others before", at("A", 1), [at("B", 2), at("A", 1)], "unchanged"],
    [
      "was changed as on others, who applied another one since",
      at("A", 1),
      [at("C", 3), at("B", 2), at("A", 1)],
      "superseded",
    ],
    ["goes back to B on this host", at("A", 2), [at("A", 2), at("B", 1)], "apply"],
    ["is of a node that has seen B, while others applied A", at("B", 1), [at("A", 2), at("B", 1)], "superseded"],
    ["is of a new node, and B is what the mesh has", undefined, [at("B", 1)], "unchanged"],
    ["is of a new node, and the mesh has another one", undefined, [at("A", 1)], "apply"],
    ["is of an empty disk, and B was applied before A", undefined, [at("A", 2), at("B", 1)], "superseded"],
    ["is of a node whose mesh has forgotten B", at("B", 1), [at("A", 2)], "unchanged"],
  ];

  test.each(CASES)("that %s", (_, own, files, verdict) => {
    expect(verdictOf("B", own, files)).toBe(verdict);
  });
});

test("a content is equal in any order of its rooms, and differs with any other field", () => {
  const rooms = [SHOP, { ...SHOP, name: "bar", host: "bar.example" }].map(roomOf);
  expect(fileDigest([...rooms].reverse())).toBe(fileDigest(rooms));
  expect(fileDigest([roomOf({ ...SHOP, description: "x" })])).not.toBe(fileDigest([roomOf(SHOP)]));
});

test("the mesh remembers the last 64 contents, each once, the last one first", () => {
  let files: readonly FileSeen[] = [];
  for (let index = 0; index < 100; index++) files = read(filesRegister(files, at(`file ${index % 80}`, index)));
  expect(files).toHaveLength(64);
  expect(files[0]).toEqual(at("file 19", 99));
  expect(new Set(files.map(({ digest }) => digest)).size).toBe(64);
});

test("what cannot be read is nothing remembered", () => {
  for (const document of [undefined, "", "{", "5", "null", '[{"digest":5}]', '[{"digest":"A","atMs":-1}]'])
    expect(read({ firstName: "", document, createdMs: 0 })).toEqual([]);
});

function read(register: ReturnType<typeof filesRegister>): readonly FileSeen[] {
  return filesIn({ ...register, stamp: { wallMs: 0, counter: 0, node: "anna" as never } });
}
