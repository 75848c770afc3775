/**
 * The documents hold together: links and anchors resolve, files that are named exist, the README stays short, and words
 * at which readers stumble do not come back.
 */

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { describe, expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
const FOLDERS = ["cmd", "node", "mesh", "test", "docs", ".ci"];
/** The first screen and a site protected in five minutes fit into this; everything else has a page in docs/. */
const README_LINES_MAX = 150;
/** A reader of the README waits for it, and a clone keeps each version. */
const PICTURE_BYTES_MAX = 150_000;
/**
 * Each has a plainer word: again, estimate, a host that, return, in use, needs an operator, admitted, merged by
 * maximum.
 */
const STUMBLED_AT =
  /\b(anew|reckon\w*|whoever|whomever|com(e|es|ing) round|put in force|needs somebody|(joined|joins|join) by maximum)\b|^Who /i;

const files = FOLDERS.flatMap((folder) => filesIn(folder));
const names = new Set(files.map((file) => basename(file)));
const documents = [...readdirSync(ROOT), ...files]
  .filter((file) => file.endsWith(".md"))
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));

describe("documents", () => {
  test("there are documents to check", () => expect(documents.length).toBeGreaterThan(5));

  test("each relative link leads to a file, and each anchor to a heading in it", () => {
    const wrong = documents.flatMap(({ path, text }) =>
      linksOf(text)
        .filter((link) => !resolves(path, link))
        .map((link) => `${path}: ${link}`),
    );
    expect(wrong).toEqual([]);
  });

  test("each page is linked from another one", () => {
    const linked = new Set(
      documents.flatMap(({ path, text }) =>
        linksOf(text)
          .map((link) => targetOf(path, link))
          .filter((target) => target !== path),
      ),
    );
    const orphans = documents.filter(({ path }) => path !== "README.md" && !linked.has(path));
    expect(orphans.map(({ path }) => path)).toEqual([]);
  });

  test("each file and folder that a document names exists", () => {
    const wrong = documents.flatMap(({ path, text }) =>
      pathsOf(text)
        .filter((named) => !existsSync(join(ROOT, named)) && !existsSync(join(ROOT, dirname(path), named)))
        .map((named) => `${path}: ${named}`),
    );
    expect(wrong).toEqual([]);
  });

  test("each page that a source file names exists", () => {
    const wrong = files
      .filter((path) => path.endsWith(".ts"))
      .flatMap((path) =>
        [...readFileSync(join(ROOT, path), "utf8").matchAll(/\b(?:docs\/[a-z/-]+|[A-Z]{3,})\.md\b/g)]
          .filter(([page]) => !existsSync(join(ROOT, page)) && !existsSync(join(ROOT, dirname(path), page)))
          .map(([page]) => `${path}: ${page}`),
      );
    expect(wrong).toEqual([]);
  });

  test("each TypeScript file that a document names without its folder exists somewhere", () => {
    const wrong = documents.flatMap(({ path, text }) =>
      [...text.matchAll(/`([\w-]+(?:\.test)?\.ts)`/g)]
        .flatMap(([, name]) => name ?? [])
        .filter((name) => !names.has(name))
        .map((name) => `${path}: ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  test("the README has at most 150 lines", () => {
    const readme = readFileSync(join(ROOT, "README.md"), "utf8");
    expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(README_LINES_MAX);
  });

  test("a picture has at most 150 kB, and a page shows it", () => {
    const shown = documents.flatMap(({ path, text }) => linksOf(text).map((link) => targetOf(path, link)));
    const pictures = files.filter((path) => /^docs\/.*\.(svg|png)$/.test(path));
    expect(pictures.length).toBeGreaterThan(0);
    const wrong = pictures.filter(
      (path) => !shown.includes(path) || statSync(join(ROOT, path)).size > PICTURE_BYTES_MAX,
    );
    expect(wrong).toEqual([]);
  });

  test("words at which readers stumble are not used", () => {
    const wrong = documents.flatMap(({ path, text }) =>
      text.split("\n").flatMap((line) => (STUMBLED_AT.test(line.replace(/`[^`]*`/g, "")) ? [`${path}: ${line}`] : [])),
    );
    expect(wrong).toEqual([]);
  });
});

function filesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
}

function linksOf(text: string): string[] {
  return [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .flatMap(([, link]) => link ?? [])
    .filter((link) => !/^[a-z]+:/.test(link));
}

/** The file that a link in a document leads to, from the root; the document itself for an anchor alone. */
function targetOf(from: string, link: string): string {
  const [path = ""] = link.split("#");
  return path === "" ? from : relative(ROOT, resolve(ROOT, dirname(from), path));
}

function resolves(from: string, link: string): boolean {
  const [, anchor] = link.split("#");
  const target = targetOf(from, link);
  if (!existsSync(join(ROOT, target))) return false;
  if (anchor === undefined) return true;
  return headingsOf(readFileSync(join(ROOT, target), "utf8")).includes(anchor);
}

/** The anchors that GitHub gives to headings: lower case, without marks, hyphens in place of blanks. */
function headingsOf(text: string): string[] {
  return [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(" ", "-"),
  );
}

function pathsOf(text: string): string[] {
  return [...text.matchAll(/`((?:cmd|node|mesh|test|docs|\.ci)\/[\w./-]*)`/g)].flatMap(([, path]) => path ?? []);
}

function withoutCode(text: string): string {
  return text.replace(/^ *```[\s\S]*?^ *```/gm, "");
}
