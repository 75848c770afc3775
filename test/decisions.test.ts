/**
 * Decisions are named by number in code and documents, so the numbers must lead somewhere:
 * each is there once, and whatever names one names one that exists.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
const FOLDER = "docs/decisions";
const HEADING = /^## (\d+)\. .+\n\n\d{4}-\d\d-\d\d, accepted\n/gm;
const NAMED = /\bdecisions? (\d+)(?:(?:, | and )(\d+))*/gi;

const pages = readdirSync(join(ROOT, FOLDER)).filter((name) => name.endsWith(".md") && name !== "README.md");
const decisions = pages.flatMap(numbersOf);
const numbers = new Set(decisions);

describe("decisions", () => {
  test("every heading has a number and a title, and below it a date; what no longer holds is removed", () => {
    const headings = pages.flatMap((page) => read(`${FOLDER}/${page}`).match(/^## .*$/gm) ?? []);
    expect(headings.length).toBe(decisions.length);
    expect(decisions.length).toBeGreaterThan(50);
  });

  test("the page about decisions has no list of them: headings are the list", () =>
    expect(read(`${FOLDER}/README.md`)).not.toMatch(/^- \d+: /m));

  test("no number is used twice", () => expect(numbers.size).toBe(decisions.length));

  test("a decision that code or a document names exists", () => {
    const wrong = texts().flatMap((path) =>
      [...read(path).matchAll(NAMED)]
        .flatMap(([named]) => named.match(/\d+/g) ?? [])
        .filter((number) => !numbers.has(Number(number)))
        .map((number) => `${path} names decision ${number}`),
    );
    expect(wrong).toEqual([]);
  });
});

function numbersOf(page: string): number[] {
  return [...read(`${FOLDER}/${page}`).matchAll(HEADING)].map(([, number]) => Number(number));
}

function texts(): string[] {
  const inFolders = ["cmd", "node", "mesh", "test", "docs"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  );
  return [...inFolders, ...readdirSync(ROOT)].filter((path) => /\.(ts|md)$/.test(path));
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}
