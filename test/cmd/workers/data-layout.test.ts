import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkLayout } from "../../../cmd/workers/data-layout.ts";

let data: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "anteroom-layout-"));
});
afterEach(() => rmSync(data, { recursive: true }));

test("an empty directory is fit for anything", () => {
  checkLayout(data, 1);
  checkLayout(data, 4);
  checkLayout(join(data, "none"), 4);
});

test("the directory of a node by itself is not for workers, and the way over is named", () => {
  writeFileSync(join(data, "mesh.key"), "");
  checkLayout(data, 1);
  expect(() => checkLayout(data, 4)).toThrow("as it belongs to a single node");
});

test("that of workers is not for a node by itself", () => {
  mkdirSync(join(data, "worker-1"));
  checkLayout(data, 2);
  expect(() => checkLayout(data, 1)).toThrow("as it belongs to workers");
});
