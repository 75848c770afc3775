/**
 * Compiles the binary: our sources, and the runtime without the variables by which an environment runs code in it.
 *
 * The runtime reads options from `BUN_OPTIONS`, opens a debugger for `BUN_INSPECT` and its kin, and is a plain `bun` for
 * `BUN_BE_BUN`, also inside a compiled program. So these names get a `=`, which no name in an environment can have.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Compilation {
  /** The runtime's executable. */
  readonly runtime: string;
  readonly outfile: string;
  /** The system as the compiler calls it; this one if left out. */
  readonly target?: string;
}

const ROOT = join(import.meta.dirname, "..");
const FLAGS = [
  ...["--compile", "--minify", "--bytecode", "--format=esm", "--splitting"],
  ...["--no-compile-autoload-dotenv", "--no-compile-autoload-bunfig"],
];

const VARIABLES = ["BUN_OPTIONS", "BUN_INSPECT", "BUN_BE_BUN"];

export function compile({ runtime, outfile, target }: Compilation): void {
  const folder = mkdtempSync(join(tmpdir(), "anteroom-runtime-"));
  try {
    const executable = join(folder, "bun");
    writeFileSync(executable, closed(readFileSync(runtime)), { mode: 0o755 });
    const from = [`--compile-executable-path=${executable}`, ...(target === undefined ? [] : [`--target=${target}`])];
    const words = [process.execPath, "build", ...FLAGS, ...from, "cmd/main.ts", "--outfile", outfile];
    const { success } = Bun.spawnSync(words, { cwd: ROOT, stdout: "inherit", stderr: "inherit" });
    if (!success) throw new Error(`Cannot compile ${outfile}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `executable` without the variables. Members of `process.env` in the runtime's own JavaScript stay. */
function closed(executable: Buffer): Buffer {
  for (const name of VARIABLES) {
    let found = 0;
    for (let at = executable.indexOf(name); at >= 0; at = executable.indexOf(name, at + 1)) {
      if (executable[at - 1] === ".".charCodeAt(0)) continue;
      executable.write("=", at + "BUN".length);
      found += 1;
    }
    if (found === 0) throw new Error(`Cannot take ${name} out of the runtime as it is not there`);
  }
  return executable;
}

if (import.meta.main) compile({ runtime: process.execPath, outfile: process.argv[2] ?? "dist/anteroom" });
