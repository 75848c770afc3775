import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const PATCHES = resolve(import.meta.dirname, "../../../mesh/patches");

test.each(readdirSync(PATCHES))("%s names its upstream and has a test that fails once it is needless", (name) => {
  expect(readFileSync(join(PATCHES, name), "utf8")).toMatch(/\n \* Upstream: .*github\.com\/|\n \* Upstream: no issue/);
  const tested = join(import.meta.dirname, name.replace(/\.ts$/, ".test.ts"));
  expect(existsSync(tested) && readFileSync(tested, "utf8")).toMatch(/the patch is needed: /);
});
