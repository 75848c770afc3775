/**
 * A second look at tests with real processes that failed: their files run once more, one at a time and with nothing
 * beside them. On a busy machine such a test may fail by its time alone; it counts as failed only if it fails twice.
 *
 * No other test gets a second look: without processes, a test that fails now and then has found something.
 */

import type { Broken, Place, Ran, RanTest } from "./ran.ts";

/** How a run ended: with what its reporter wrote, if it came to that. */
export interface Run {
  readonly code: number;
  readonly ran: Ran | undefined;
}

export interface Verdict {
  readonly passed: number;
  readonly failed: number;
  /** One line each, for the reader. */
  readonly lines: readonly string[];
}

/** More files than this do not fail by chance. Doubled, a broken build is looked at for a quarter of an hour. */
export const FILES_MAX = 8;

/** `runFile` runs one file, with nothing beside it. */
export async function lookTwice(first: Run, runFile: (file: string) => Promise<Run>): Promise<Verdict> {
  const { ran, code } = first;
  if (ran === undefined) return { passed: 0, failed: 1, lines: [`the tests ended with ${code} and without a report`] };
  const files = [
    ...new Set(
      failuresIn(ran)
        .filter(hasProcesses)
        .map(({ file }) => file),
    ),
  ].sort();
  const again = new Map<string, Run>();
  if (files.length <= FILES_MAX) for (const file of files) again.set(file, await runFile(file));
  const verdict = judged(ran, again);
  const tooMany = `${files.length} files failed, too many for chance: none is run again`;
  const lines = files.length > FILES_MAX ? [tooMany, ...verdict.lines] : verdict.lines;
  if (code === 0 || failuresIn(ran).length > 0) return { ...verdict, lines };
  return { ...verdict, failed: verdict.failed + 1, lines: [...lines, `the tests ended with ${code}, but none failed`] };
}

function judged(ran: Ran, again: ReadonlyMap<string, Run>): Verdict {
  const alone = new Map([...again.values()].flatMap((run) => keyed(run.ran?.tests ?? [])));
  // A file that did not load at first has its tests only now.
  const unseen = new Map(alone);
  let passed = 0;
  const failed: string[] = [];
  const notes: string[] = [];
  const fail = (file: string, text: string): void => {
    failed.push(`${again.has(file) ? "failed twice" : "failed"}: ${text}`);
  };
  for (const [key, { file, outcome }] of keyed(ran.tests)) {
    unseen.delete(key);
    const second = alone.get(key)?.outcome;
    if (outcome === "failed" && second === "passed") notes.push(`passed alone after a failure: ${key}`);
    if (outcome === "passed" && second === "failed") notes.push(`failed alone after it had passed: ${key}`);
    if (outcome === "passed" || second === "passed") passed += 1;
    else if (outcome === "failed" || second === "failed") fail(file, key);
  }
  for (const [key, { file, outcome }] of unseen) {
    if (outcome === "passed") passed += 1;
    if (outcome === "failed") fail(file, key);
  }
  for (const [file, [first]] of Map.groupBy(ran.broken, (each) => each.file)) {
    const text = `${file || "outside of all files"}: ${first?.problem.split("\n")[0]}`;
    if (isWhole(again.get(file))) notes.push(`passed alone after a failure: ${text}`);
    else fail(file, text);
  }
  return { passed, failed: failed.length, lines: [...notes, ...failed] };
}

/** Whether a file ran alone to its end, and nothing went wrong outside of its tests. */
function isWhole(run: Run | undefined): boolean {
  return run?.ran !== undefined && run.ran.tests.length > 0 && run.ran.broken.length === 0;
}

function failuresIn({ tests, broken }: Ran): readonly (RanTest | Broken)[] {
  return [...tests.filter(({ outcome }) => outcome === "failed"), ...broken];
}

/** Those of the project `processes`, and those that are in `long` for their length. */
function hasProcesses({ project, file }: Place): boolean {
  return project === "processes" || (project === "long" && file.startsWith("test/e2e/"));
}

/** Tests by a key that tells those of one name apart. */
function keyed(tests: readonly RanTest[]): [key: string, test: RanTest][] {
  const seen = new Map<string, number>();
  return tests.map((test) => {
    const text = `${test.name} (${test.file})`;
    const count = (seen.get(text) ?? 0) + 1;
    seen.set(text, count);
    return [count === 1 ? text : `${text} no. ${count}`, test];
  });
}
