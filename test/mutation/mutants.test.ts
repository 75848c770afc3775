import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { mutated, type Net } from "./mutant.ts";
import { MUTANTS, WINGS } from "./mutants.ts";

const ROOT = resolve(import.meta.dirname, "../..");

test.each(MUTANTS)("there is one place for: $name", (mutant) => {
  const text = readFileSync(join(ROOT, mutant.file), "utf8");
  expect(mutated(mutant, text)).not.toBe(text);
});

test("the tests that must notice them are there: a run of no test fails as well", () => {
  const tests = MUTANTS.flatMap(({ by }) => (by.kind === "law" ? by.test : []));
  expect([...new Set(tests)].filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test("each lies in the file of the wing that it is planted in", () => {
  const misplaced = WINGS.flatMap(([folder, mutants]) =>
    mutants.filter(({ file }) => WINGS.find(([each]) => file.startsWith(each))?.[0] !== folder),
  );
  expect(misplaced.map(({ name }) => name)).toEqual([]);
});

test("each rule of docs/mesh.md, of why no limit is exceeded, names one of them, and the net that it is caught by", () => {
  const page = readFileSync(join(ROOT, "docs/mesh.md"), "utf8");
  const rules = page.split("\n").filter((line) => /^\| \d+ \|/.test(line));
  const named = rules.map((line) => {
    const [net, bug] = line
      .split("|")
      .slice(3, 5)
      .map((cell) => cell.replaceAll("`", "").trim());
    return `${bug}: ${net}`;
  });
  const known = new Set(MUTANTS.map(({ name, by }) => `${name}: ${netName(by)}`));
  expect(rules.length).toBeGreaterThan(10);
  expect(named.filter((each) => !known.has(each))).toEqual([]);
});

/** As the page writes it: a test's folder and name, or a scenario. */
function netName(net: Net): string {
  if (net.kind === "law") return /([^/]+\/[^/]+)\.test\.ts$/.exec(net.test)?.[1] ?? net.test;
  return net.scenario === "harsh" ? "harsh seeds" : net.scenario;
}

test("mutants are distinguished by their names", () => {
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
});
