/** Prometheus's own checker, where it is installed: Debian has it in the package prometheus. */

import { spawnSync } from "node:child_process";

export const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;

/** Why tests are left out without it, for their names. */
export const PROMTOOL = hasPromtool
  ? "promtool"
  : "promtool (left out: it is not installed; apt-get install prometheus)";

/** Runs it in `cwd`; what it said, and whether it found nothing wrong. */
export function promtool(words: readonly string[], { input = "", cwd = "." } = {}): { ok: boolean; said: string } {
  const { status, stdout, stderr } = spawnSync("promtool", [...words], { input, cwd, encoding: "utf8" });
  return { ok: status === 0, said: `${stdout}${stderr}` };
}
