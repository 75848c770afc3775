/**
 * Decisions are named by number in code and documents, so the numbers must lead somewhere:
 * each is there once, the list in `docs/decisions/README.md` has all, and whatever names one names one that exists.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
const FOLDER = "docs/decisions";
const INDEX = `${FOLDER}/README.md`;
const HEADING = /^## (\d+)\. (.+)\n\n(\d{4}-\d\d-\d\d), (accepted|withdrawn|replaced by (\d+))\n/gm;
const LINE = /^- \d+: .*$/gm;
const NAMED = /\bdecisions? (\d+)(?:(?:, | and )(\d+))*/gi;

interface Decision {
  readonly number: number;
  readonly line: string;
  readonly replacedBy: number | undefined;
}

const pages = readdirSync(join(ROOT, FOLDER)).filter((name) => name.endsWith(".md") && name !== "README.md");
const decisions = pages.flatMap(decisionsOf).sort((a, b) => a.number - b.number);
const numbers = new Set(decisions.map(({ number }) => number));

describe("decisions", () => {
  test("every heading has a number, a title, and below it a date and a status", () => {
    const headings = pages.flatMap((page) => read(`${FOLDER}/${page}`).match(/^## .*$/gm) ?? []);
    expect(headings.length).toBe(decisions.length);
    expect(decisions.length).toBeGreaterThan(100);
  });

  test("no number is used twice", () => expect(numbers.size).toBe(decisions.length));

  test(`${INDEX} has the line of each decision, in the order of their numbers`, () =>
    expect(read(INDEX).match(LINE)).toEqual(decisions.map(({ line }) => line)));

  test("what replaces a decision exists, and is a later number", () => {
    const wrong = decisions.filter(
      ({ number, replacedBy }) => replacedBy !== undefined && !(numbers.has(replacedBy) && replacedBy > number),
    );
    expect(wrong).toEqual([]);
  });

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

function decisionsOf(page: string): Decision[] {
  return [...read(`${FOLDER}/${page}`).matchAll(HEADING)].map(([, number, title, , status, replacedBy]) => ({
    number: Number(number),
    line: `- ${number}: [${title}](${page})${status === "accepted" ? "" : `, ${status}`}`,
    replacedBy: replacedBy === undefined ? undefined : Number(replacedBy),
  }));
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
