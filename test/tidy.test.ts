/**
 * The two rules of layout that a reader relies on: which way imports go, and which folders are pure. No more than that.
 *
 * Imports go one way between the four layers, and inside `node/` and `mesh/core/` between their wings: a wing is a
 * folder there, or a file that lies in none.
 */

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
const LAYERS = ["mesh/core", "mesh", "node", "cmd"];
/** From the lowest up: a wing imports those before it in its list. A new folder or file gets its place here. */
const WINGS: Readonly<Record<string, readonly string[]>> = {
  "mesh/core": ["ids.ts", "instant.ts", "invariant.ts", "minute.ts", "ledger", "wire", "replica", "members"],
  node: [
    ...[
      "text-imports.d.ts",
      "iso-time.ts",
      "message-of.ts",
      "recent.ts",
      "log.ts",
      "own-hosts.ts",
      "outside.ts",
      "notary.ts",
      "sha256.ts",
    ],
    ...[
      "http",
      "rules",
      "languages",
      "config",
      "history",
      "origin",
      "admission",
      "keys",
      "cookie",
      "storage",
      "peer",
      "rooms",
      "gate",
      "operator",
      "adapters",
      "process",
    ],
  ],
};
const PURE_FOLDERS = [
  "mesh/core",
  "node/admission",
  "node/config",
  "node/history",
  "node/origin",
  "node/gate",
  "node/rules",
  "node/languages",
];
/** Where the gate meets the process: hashes and compression of what is sent, timers, ids and DNS. */
const IMPURE_IN_GATE = ["own-page.ts", "slot-template.ts", "gate-context.ts", "crawler-dns.ts"].map(
  (path) => `node/gate/${path}`,
);
const IMPURE =
  /\b(await|async|setTimeout|setInterval|setImmediate|queueMicrotask|Date\.now|new Date\(\)|Math\.random|performance\.|crypto\.|fetch\(|Bun\.|process\.|console\.)|from "(node:|bun)/;
const IMPORT = /(?:from |import |import\()"(\.[^"]+)"/g;

const sources = ["cmd", "node", "mesh"].flatMap(sourceFiles).map((path) => ({
  path,
  text: readFileSync(join(ROOT, path), "utf8"),
}));

describe("layout", () => {
  test("there are sources to check", () => expect(sources.length).toBeGreaterThan(10));

  test("imports go cmd → node → mesh → mesh/core, and nothing imports test/", () => {
    const wrong = sources.flatMap(({ path, text }) =>
      importsOf(path, text)
        .filter((target) => layerOf(target) > layerOf(path) || target.startsWith("test/"))
        .map((target) => `${path} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  test.each(Object.entries(WINGS))("inside %s a wing imports only wings below it", (folder, order) => {
    const inside = sources.filter(({ path }) => path.startsWith(`${folder}/`));
    const wingOf = (path: string): string => path.slice(folder.length + 1).split("/")[0] ?? "";
    const floorOf = (path: string): number => order.indexOf(wingOf(path));
    expect(
      inside.filter(({ path }) => floorOf(path) < 0).map(({ path }) => `${path} has no place in the order`),
    ).toEqual([]);
    const upward = inside.flatMap(({ path, text }) =>
      importsOf(path, text)
        .filter((target) => target.startsWith(`${folder}/`) && floorOf(target) > floorOf(path))
        .map((target) => `${path} imports ${target}`),
    );
    expect(upward).toEqual([]);
    expect(order.filter((wing) => !inside.some(({ path }) => wingOf(path) === wing))).toEqual([]);
  });

  test("no import cycles", () => {
    const imports = new Map(sources.map(({ path, text }) => [path, importsOf(path, text)]));
    expect([...imports.keys()].flatMap((path) => cycleFrom(path, imports))).toEqual([]);
  });

  test("pure folders use no clock, timer, chance, I/O or await", () => {
    const wrong = sources
      .filter(({ path }) => PURE_FOLDERS.some((folder) => path.startsWith(`${folder}/`)))
      .filter(({ path }) => !IMPURE_IN_GATE.some((impure) => path.startsWith(impure)))
      .flatMap(({ path, text }) =>
        withoutComments(text)
          .split("\n")
          .flatMap((line) => (IMPURE.test(line) ? [`${path}: ${line.trim()}`] : [])),
      );
    expect(wrong).toEqual([]);
  });

  test("process is used in cmd/ only", () => {
    const wrong = sources
      .filter(({ path, text }) => !path.startsWith("cmd/") && /\bprocess\./.test(withoutComments(text)))
      .map(({ path }) => path);
    expect(wrong).toEqual([]);
  });
});

function sourceFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name));
}

function importsOf(path: string, text: string): string[] {
  return [...text.matchAll(IMPORT)]
    .map(([, specifier]) => relative(ROOT, resolve(ROOT, dirname(path), specifier ?? "")))
    .filter((target) => target.endsWith(".ts"));
}

function layerOf(path: string): number {
  return LAYERS.findIndex((folder) => path.startsWith(`${folder}/`));
}

function cycleFrom(start: string, imports: ReadonlyMap<string, readonly string[]>): string[] {
  const seen = new Set<string>();
  const open = [...(imports.get(start) ?? [])];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (path === start) return [`${start} imports itself by way of others`];
    if (seen.has(path)) continue;
    seen.add(path);
    open.push(...(imports.get(path) ?? []));
  }
  return [];
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "");
}
