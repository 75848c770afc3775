/**
 * What is loaded before the command is known: every call pays for it, also a health check once a second.
 */

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

/** Imports that are there when a file runs, types left out. */
const STATIC = /^(?:import|export) (?!type )[^;]*? from "([^"]+)"/gm;

/** A command's own code is loaded when it runs, and with it zod, libp2p and the texts of 39 languages. */
const LIBRARIES_MAX = ["csv-parse", "ipaddr.js", "leven", "yaml"];

test("no command loads the code of the others", () => {
  const { files, libraries } = loadedBy("cmd/main.ts");
  expect(files).toContain("cmd/trial-commands.ts");
  expect([...libraries].filter((name) => !LIBRARIES_MAX.includes(name))).toEqual([]);
  expect([...files].filter((path) => /^(?:node\/(?:gate|languages|peer|storage)\/|cmd\/serve)/.test(path))).toEqual([]);
});

function loadedBy(first: string): { readonly files: ReadonlySet<string>; readonly libraries: ReadonlySet<string> } {
  const files = new Set([first]);
  const libraries = new Set<string>();
  for (const path of files) {
    if (!path.endsWith(".ts")) continue;
    for (const [, target = ""] of readFileSync(path, "utf8").matchAll(STATIC)) {
      if (target.startsWith(".")) files.add(join(dirname(path), target));
      else if (!target.startsWith("node:")) libraries.add(target.split("/", target.startsWith("@") ? 2 : 1).join("/"));
    }
  }
  return { files, libraries };
}
