/**
 * The command blocks of the documents (`sh` and `console`), and the files that a page tells its reader to write, in the
 * order of the page. Each is run as it stands (`e2e/doc-blocks.test.ts`), unless a comment right above it, or at the
 * end of the sentence above it, says why not:
 *
 *     <!-- not run: it needs another host -->
 *     <!-- file: /etc/anteroom/anteroom.yaml -->
 *
 * Readers of the page see neither comment.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export interface DocBlock {
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** Why it is not run. */
  readonly notRun: string | undefined;
  /** The file that the reader writes with this content. */
  readonly file: string | undefined;
}

const ROOT = resolve(import.meta.dirname, "..");
const COMMANDS = new Set(["sh", "console"]);
const BLOCK = /^(?:[^\n]*<!-- (not run|file): ([^\n]+) -->\n\n?)?( *)```(\w+)\n(.*?)^ *```$/gms;

/** The README and all pages of docs/. */
export const PAGES = ["README.md"].concat(
  readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
);

/** What `page` has of command blocks and of files to write. */
export function blocksOf(page: string): readonly DocBlock[] {
  const text = readFileSync(join(ROOT, page), "utf8");
  const all = [...text.matchAll(BLOCK)].map(
    ({ index, 1: mark, 2: said, 3: indent = "", 4: language = "", 5: body = "" }) => ({
      line: text.slice(0, index).split("\n").length,
      language,
      text: body.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      notRun: mark === "not run" ? said : undefined,
      file: mark === "file" ? said : undefined,
    }),
  );
  return all.filter(({ language, file }) => COMMANDS.has(language) || file !== undefined);
}

/** What a reader types of a block: all of it, or the lines of a console after `$`, with those that they go on in. */
export function typedOf({ language, text }: DocBlock): string {
  if (language !== "console") return text;
  return [...text.matchAll(/^\$ ((?:.*\\\n)*.*)$/gm)].map(([, typed]) => `${typed}\n`).join("");
}
