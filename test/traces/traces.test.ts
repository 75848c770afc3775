/**
 * Each trace beside this file says what happens: `npx vitest run test/traces -u` writes it down again after a change
 * that is meant.
 */

import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { traced } from "./tracer.ts";

const traces = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".txt"));

test.each(traces)("%s", async (name) => {
  const path = `${import.meta.dirname}/${name}`;
  await expect(traced(readFileSync(path, "utf8"))).toMatchFileSnapshot(path);
});
