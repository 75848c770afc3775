import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { packed } from "../../../mesh/core/wire/packed.ts";
import { ENTRIES, entryOf, look, wireProblem } from "../../../node/process/stored-entries.ts";

const ROOT = resolve(import.meta.dirname, "../../..");

const sources = ["mesh", "node"]
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path}`),
  )
  .filter((path) => path.endsWith(".ts"))
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));

const PLUMBING = [
  "mesh/core/wire/outbox.ts",
  "mesh/core/wire/entry.ts",
  "node/process/stored-entries.ts",
  "mesh/connections.ts",
];

/** Names of the constants that hold entries, as the sources have them. */
const names = sources.flatMap(({ text }) =>
  [...text.matchAll(/export const (\w+) = new Entry\b/g)].map(([, name = ""]) => name),
);

/** What is put where: the first argument of each call, by file. */
const puts = sources
  .filter(({ path }) => !PLUMBING.includes(path))
  .flatMap(({ path, text }) =>
    [...text.matchAll(/\.put(?:Later|Vote)?\(\s*([^,]+),/g)].map(([, place = ""]) => ({ path, place })),
  );

describe("the registry of durable entries", () => {
  test("has every entry that the sources have, each once", () => {
    expect(ENTRIES).toHaveLength(names.length);
    expect(new Set(ENTRIES.map(({ key }) => key)).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(20);
  });

  test("has every key that is written: no part puts anything under a key of its own making", () => {
    const strange = puts.filter(({ place }) => !/^[A-Z_]+\.at\(/.test(place) && place !== "place" && place !== "key");
    expect(strange).toEqual([]);
    // `key` is a variable in one place: the key of a part, which is put in one of two ways.
    expect([...new Set(puts.filter(({ place }) => place === "key").map(({ path }) => path))]).toEqual([
      "mesh/core/replica/replica-store.ts",
    ]);
  });

  test("names the only file that writes each entry", () => {
    const written = new Map<string, Set<string>>();
    for (const { path, text } of sources)
      for (const name of names)
        if (new RegExp(`(?:put(?:Later|Vote)?\\(|new Map\\(\\[\\[|=> \\[|const key = )\\s*${name}\\.at\\(`).test(text))
          written.set(name, (written.get(name) ?? new Set()).add(path));
    const writers = new Map(
      sources.flatMap(({ text }) =>
        [...text.matchAll(/export const (\w+) = new Entry\b[\s\S]*?writer: "([^"]+)"/g)].map(
          ([, name = "", writer = ""]) => [name, writer],
        ),
      ),
    );
    // The next start founds the mesh that is stored, and takes the order back.
    written.get("FOUNDS")?.delete("node/process/node.ts");
    expect([...names].map((name) => [name, [...(written.get(name) ?? [])]])).toEqual(
      [...names].map((name) => [name, [writers.get(name)]]),
    );
  });

  test("is the only way to read: nothing takes a value from what is stored as it lies there", () => {
    const read = sources.flatMap(({ path, text }) => {
      const found = [...text.matchAll(/\b(?:restored|stored|entries)\.get\([^)]*\)/g)].map(
        ([place]) => `${path}: ${place}`,
      );
      return PLUMBING.includes(path) ? [] : found;
    });
    expect(read).toEqual([]);
  });

  test("knows each key by its names", () => {
    for (const entry of ENTRIES) {
      const key = entry.at(...entry.names.map((name) => `some-${name}`));
      expect(entryOf(key)).toBe(entry);
      expect(entryOf(`${key}/more`)).toBeUndefined();
      expect(entryOf(`x${key}`)).toBeUndefined();
    }
    expect(
      ["", "members", "members/views", "admission", "admission/", "ledger/part/a/b"].filter(
        (key) => entryOf(key) !== undefined,
      ),
    ).toEqual([]);
  });
});

describe("what a start finds on its disk", () => {
  test.each(ENTRIES.map((entry) => [entry.key, entry] as const))(
    "%s that is damaged is named, with what is lost",
    (_, entry) => {
      const key = entry.at(...entry.names.map(() => "x"));
      for (const value of [undefined, null, -1, { a: 1 }, [[1]], Number.NaN, "\u0000".repeat(1_000)]) {
        const { damage } = look(new Map([[key, value]]));
        expect(damage).toContain(`its entry ${JSON.stringify(key)} is damaged: `);
        expect(damage).toContain(`It holds ${entry.holds}; without it ${entry.without}`);
      }
    },
  );

  test("an entry of a newer release is named and is no damage", () => {
    const stored = new Map<string, unknown>([
      ["hologram/1", packed(1)],
      ["hologram/2", { any: "thing" }],
      ["members/moods", 7],
      ["alive", 5],
    ]);
    expect(look(stored)).toEqual({ damage: undefined, unknown: ["hologram", "members"] });
  });

  test("a view of another wire version is told as that, whatever else is in it", () => {
    const view = (wire?: unknown) => new Map([["members/view", { wire, moods: [1] }]]);
    expect([wireProblem(new Map()), wireProblem(view()), wireProblem(view(1))]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(wireProblem(view(2))).toBe("its mesh speaks wire version 2, and this release understands 1 only");
    expect(wireProblem(view(4), [5, 6])).toBe("its mesh speaks wire version 4, and this release understands 5 to 6");
    expect(wireProblem(view(), [5, 6])).toContain("wire version 1");
  });
});
