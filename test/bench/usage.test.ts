/** The benchmark says how it is used, and measures nothing when it is used wrongly. */

import { join } from "node:path";
import { expect, test } from "vitest";

const MAIN = join(import.meta.dirname, "main.ts");

function bench(...args: readonly string[]): {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
} {
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, MAIN, ...args]);
  return { code: exitCode, stdout: String(stdout), stderr: String(stderr) };
}

test.each(["--help", "-h"])("%s lists the flags", (flag) => {
  const { code, stdout, stderr } = bench(flag);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^Usage: npm run bench -- \[flags\]\n/);
  for (const name of ["quick", "json FILE", "only TEXT", "against BINARY"]) expect(stdout).toContain(`--${name}  `);
});

test.each([
  ["--foo", "--foo: is not a known flag\n      npm run bench -- --help lists the flags"],
  ["--onyl=mesh", "--onyl: is not a known flag\n      did you mean --only?"],
])("%s is an error that names it", (flag, complaint) => {
  const { code, stdout, stderr } = bench(flag);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(complaint);
  expect(stderr).toContain("nothing was measured");
});
