/**
 * `bun test/second-look/main.ts SCRIPT COUNTS_FILE`: runs the tests of an npm script, and once more the files with real
 * processes that failed (look.ts).
 *
 * Writes how many tests passed and failed in the end to the file, as `PASSED FAILED`. Exits with 1 if one failed.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { EXIT } from "../../cmd/exit.ts";
import { lookTwice, type Run } from "./look.ts";
import { RAN_FILE, type Ran } from "./ran.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const REPORTER = relative(ROOT, join(import.meta.dirname, "reporter.ts"));

async function main([script, countsFile]: readonly string[]): Promise<number> {
  if (script === undefined || countsFile === undefined) {
    console.error("Usage: bun test/second-look/main.ts SCRIPT COUNTS_FILE");
    return EXIT.usage;
  }
  const { passed, failed, lines } = await lookTwice(await run(script), async (file) => {
    console.log(`\nonce more, with nothing beside it: ${file}`);
    return run(script, file);
  });
  if (lines.length > 0) console.log(`\n${lines.join("\n")}`);
  writeFileSync(countsFile, `${passed} ${failed}\n`);
  return failed === 0 ? EXIT.ok : EXIT.failed;
}

/** Runs all tests of a script, or those of one file. */
async function run(script: string, ...files: readonly string[]): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), "anteroom-tests-"));
  const path = join(folder, "ran.json");
  try {
    const reporters = ["--reporter=default", `--reporter=./${REPORTER}`];
    const child = Bun.spawn(["npm", "run", "--silent", script, "--", ...reporters, ...files], {
      cwd: ROOT,
      env: { ...process.env, [RAN_FILE]: path },
      stdio: ["ignore", "inherit", "inherit"],
    });
    const code = await child.exited;
    return { code, ran: ranIn(path) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Undefined if the run ended before its report. */
function ranIn(path: string): Ran | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Ran;
  } catch {
    return undefined;
  }
}

process.exitCode = await main(process.argv.slice(2));
