/** Which failures a second look takes back, and how the tests are counted then. */

import { describe, expect, test } from "vitest";
import { FILES_MAX, lookTwice, type Run } from "./look.ts";
import type { Broken, RanTest } from "./ran.ts";

const E2E = { project: "processes", file: "test/e2e/mesh.test.ts" };
const CHAOS = { project: "long", file: "test/e2e/chaos.test.ts" };
const MODEL = { project: "long", file: "test/model/views.test.ts" };
const PART = { project: "parts", file: "test/node/log.test.ts" };

type Where = typeof E2E;
const ran = (where: Where, name: string, outcome: RanTest["outcome"]): RanTest => ({ ...where, name, outcome });
const run = (tests: readonly RanTest[], broken: readonly Broken[] = []): Run => {
  const isGood = broken.length === 0 && tests.every(({ outcome }) => outcome !== "failed");
  return { code: isGood ? 0 : 1, ran: { tests, broken } };
};

/** The verdict, and the files that were run again. */
async function look(first: Run, again: Readonly<Record<string, Run>> = {}) {
  const files: string[] = [];
  const verdict = await lookTwice(first, async (file) => {
    files.push(file);
    return again[file] ?? { code: 1, ran: undefined };
  });
  return { ...verdict, files };
}

describe("a second look", () => {
  test("is not taken where nothing failed", async () => {
    const verdict = await look(run([ran(E2E, "a", "passed"), ran(PART, "b", "passed"), ran(PART, "c", "skipped")]));
    expect(verdict).toEqual({ passed: 2, failed: 0, lines: [], files: [] });
  });

  test.each([E2E, CHAOS])("takes back what passes alone, of %o", async (where) => {
    const first = run([ran(where, "a", "passed"), ran(where, "b", "failed"), ran(PART, "c", "passed")]);
    const verdict = await look(first, { [where.file]: run([ran(where, "a", "passed"), ran(where, "b", "passed")]) });
    const lines = [`passed alone after a failure: b (${where.file})`];
    expect(verdict).toEqual({ passed: 3, failed: 0, lines, files: [where.file] });
  });

  test("counts what fails twice, and only that", async () => {
    const first = run([ran(E2E, "a", "passed"), ran(E2E, "b", "failed"), ran(E2E, "c", "failed")]);
    const alone = run([ran(E2E, "a", "failed"), ran(E2E, "b", "failed"), ran(E2E, "c", "passed")]);
    expect(await look(first, { [E2E.file]: alone })).toEqual({
      ...{ passed: 2, failed: 1, files: [E2E.file] },
      lines: [
        `failed alone after it had passed: a (${E2E.file})`,
        `passed alone after a failure: c (${E2E.file})`,
        `failed twice: b (${E2E.file})`,
      ],
    });
  });

  test.each([MODEL, PART])("is for tests with processes, not for %o", async (where) => {
    const verdict = await look(run([ran(where, "a", "failed"), ran(E2E, "b", "passed")]));
    expect(verdict).toEqual({ passed: 1, failed: 1, lines: [`failed: a (${where.file})`], files: [] });
  });

  test("tells tests of one name apart", async () => {
    const first = run([ran(E2E, "a", "failed"), ran(E2E, "a", "failed")]);
    const alone = run([ran(E2E, "a", "passed"), ran(E2E, "a", "failed")]);
    expect(await look(first, { [E2E.file]: alone })).toMatchObject({ passed: 1, failed: 1 });
  });

  test("takes back a file that did not load, with its tests", async () => {
    const first = run([ran(PART, "a", "passed")], [{ ...E2E, problem: "no port" }]);
    const alone = run([ran(E2E, "b", "passed"), ran(E2E, "c", "passed")]);
    const lines = [`passed alone after a failure: ${E2E.file}: no port`];
    expect(await look(first, { [E2E.file]: alone })).toEqual({ passed: 3, failed: 0, lines, files: [E2E.file] });
  });

  test("takes nothing back of a file that ends without a report, or that breaks again", async () => {
    const first = run([ran(E2E, "a", "failed")], [{ ...E2E, problem: "no port" }]);
    const failed = { failed: 2, lines: [`failed twice: a (${E2E.file})`, `failed twice: ${E2E.file}: no port`] };
    expect(await look(first)).toMatchObject(failed);
    const again = run([ran(E2E, "a", "skipped")], [{ ...E2E, problem: "no port" }]);
    expect(await look(first, { [E2E.file]: again })).toMatchObject(failed);
  });

  test("is not taken when too many files fail", async () => {
    const places = Array.from({ length: FILES_MAX + 1 }, (_, at) => ({ ...E2E, file: `test/e2e/${at}.test.ts` }));
    const { failed, files, lines } = await look(run(places.map((place) => ran(place, "a", "failed"))));
    expect([failed, files]).toEqual([FILES_MAX + 1, []]);
    expect(lines[0]).toContain("too many for chance");
  });
});

test("an error that belongs to no file, a run without a report, and one that fails for nothing are failures", async () => {
  const passing = [ran(E2E, "a", "passed")];
  expect(await look(run(passing, [{ project: "", file: "", problem: "no memory\nat x" }]))).toMatchObject({
    ...{ passed: 1, failed: 1, lines: ["failed: outside of all files: no memory"], files: [] },
  });
  expect(await look({ code: 137, ran: undefined })).toMatchObject({ passed: 0, failed: 1 });
  expect(await look({ ...run(passing), code: 1 })).toMatchObject({
    ...{ passed: 1, failed: 1, lines: ["the tests ended with 1, but none failed"] },
  });
});
