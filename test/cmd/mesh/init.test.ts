import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { anteroom } from "../fake-io.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "anteroom-init-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("init creates a mesh once, and names the next command", async () => {
  const data = join(folder, "data");
  const first = await anteroom(["init", "--data", data]);
  expect(first).toMatchObject({ exit: 0, answer: expect.stringMatching(/^Founded mesh [0-9a-f]{16} in /) });
  expect(first.talk).toContain(`anteroom serve --origin URL --data ${data}`);
  expect(statSync(join(data, "admin.token")).mode & 0o777).toBe(0o600);
  const second = await anteroom("init", { environment: { ANTEROOM_DATA: data } });
  expect(second).toMatchObject({ exit: 1, talk: expect.stringContaining("already has one") });
});

test("init fails in words where no directory can be made", async () => {
  writeFileSync(join(folder, "file"), "");
  const { exit, talk } = await anteroom(["init", "--data", join(folder, "file", "data")]);
  expect(exit).toBe(1);
  expect(talk).toContain("Cannot use");
});
