/**
 * The licence of anteroom, and those of everything else that is in the binary, read from the installed packages.
 *
 * A macro: the bundler runs it when the binary is made, and puts the text in its place; from sources it runs when
 * called. The lock file says which packages are needed to run. A package without a licence file is named with the
 * licence that it declares.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

interface Locked {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
}

const ROOT = resolve(import.meta.dirname, "..");
const LICENCE_FILE = /^(licen[cs]e|copying|notice)/i;
const RULE = "=".repeat(78);

const RUNTIME = `The binary is made with Bun, which it contains. Bun is under the MIT licence; it links JavaScriptCore and WebKit's other parts
(LGPL-2.1 and BSD), BoringSSL, SQLite and other libraries, listed with their licences at https://bun.com/docs/project/license.`;

/** All notices as one text; equal licence texts stand once, after the names of all packages that have them. */
export function notices(): string {
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
    packages: Record<string, Locked>;
  };
  const byText = new Map<string, string[]>();
  for (const [path, locked] of Object.entries(lock.packages)) {
    // Those for other platforms are not installed, and not in the binary.
    if (path === "" || locked.dev === true || locked.devOptional === true || !existsSync(join(ROOT, path))) continue;
    const name = `${path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)} ${locked.version}`;
    const declared = locked.license ?? "unknown";
    const text = licenceIn(join(ROOT, path)) ?? `(The package has no licence file. It declares: ${declared})`;
    const names = byText.get(text) ?? [];
    byText.set(text, [...names, `${name} (${declared})`]);
  }
  const parts = [...byText].map(([text, names]) => `${names.join("\n")}\n\n${text}`);
  const own = `anteroom\n\n${readFileSync(join(ROOT, "LICENSE"), "utf8").trim()}`;
  return [own, RUNTIME, ...parts].join(`\n\n${RULE}\n\n`);
}

function licenceIn(folder: string): string | undefined {
  const files = readdirSync(folder).filter((name) => LICENCE_FILE.test(name));
  if (files.length === 0) return undefined;
  return files
    .sort()
    .map((name) => readFileSync(join(folder, name), "utf8").trim())
    .join("\n\n");
}
