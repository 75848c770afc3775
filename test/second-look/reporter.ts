/** A reporter of vitest that writes down what came of each test, and of its file, for `main.ts`. */

import { writeFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import type { Reporter, TestModule } from "vitest/node";
import { type Broken, type Place, RAN_FILE, type Ran, type RanTest } from "./ran.ts";

const ROOT = resolve(import.meta.dirname, "../..");

type Problems = Parameters<NonNullable<Reporter["onTestRunEnd"]>>[1];

export default class RanReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: Problems): void {
    const path = process.env[RAN_FILE];
    if (path === undefined) throw new Error(`Cannot report as ${RAN_FILE} names no file`);
    const broken = [...modules.flatMap(brokenIn), ...unhandled.map((problem) => unhandledIn(modules, problem))];
    const ran: Ran = { tests: modules.flatMap(testsOf), broken };
    writeFileSync(path, JSON.stringify(ran));
  }
}

function testsOf(module: TestModule): RanTest[] {
  return Array.from(module.children.allTests(), (test) => {
    const { state } = test.result();
    // One that still runs when all is over has not passed.
    return { ...placeOf(module), name: test.fullName, outcome: state === "pending" ? "failed" : state };
  });
}

function brokenIn(module: TestModule): Broken[] {
  const state = module.state();
  const isUnfinished = state === "pending" || state === "queued";
  const problems = [module, ...module.children.allSuites()].flatMap((each) => each.errors());
  return [
    ...problems.map(({ message }) => ({ ...placeOf(module), problem: message })),
    ...(isUnfinished ? [{ ...placeOf(module), problem: "did not end" }] : []),
  ];
}

function unhandledIn(modules: readonly TestModule[], problem: Problems[number]): Broken {
  // Vitest says in which file a worker was.
  const module = modules.find(({ moduleId }) => moduleId === problem.VITEST_TEST_PATH);
  return { ...(module === undefined ? { project: "", file: "" } : placeOf(module)), problem: problem.message };
}

function placeOf({ moduleId, project }: TestModule): Place {
  return { project: project.name, file: relative(ROOT, moduleId) };
}
