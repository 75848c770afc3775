/**
 * The scripts of the dashboard, which are TypeScript in `page/`: their types are taken away when the binary is built
 * (a macro), and nothing else. A browser loads them as modules, under the names that they have here.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "page");

/** Each script by its name, as JavaScript. */
export function pageScripts(): Readonly<Record<string, string>> {
  const transpiler = new Bun.Transpiler({ loader: "ts", target: "browser" });
  const names = readdirSync(FOLDER).filter((name) => name.endsWith(".ts"));
  return Object.fromEntries(
    names.map((name) => [name, transpiler.transformSync(readFileSync(join(FOLDER, name), "utf8"))]),
  );
}
