/**
 * Builds the binary once, before the first test with processes: it starts in a third of the CPU time that the sources
 * need, and is what operators run.
 */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** Path of the binary under test. */
    readonly binary: string;
  }
}

const ROOT = resolve(import.meta.dirname, "../..");
/** Where `npm run build` puts it. */
const BUILT = "dist/anteroom";

export function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "anteroom-build-"));
  const binary = join(folder, "anteroom");
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: { build: string } };
  const command = scripts.build.replace(BUILT, binary);
  const PATH = `${join(ROOT, "node_modules/.bin")}:${process.env.PATH ?? ""}`;
  const { success, stderr } = Bun.spawnSync(["sh", "-c", command], { cwd: ROOT, env: { ...process.env, PATH } });
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  if (!success) {
    remove();
    throw new Error(`Cannot test as the binary must build: ${stderr}`);
  }
  project.provide("binary", binary);
  return remove;
}
