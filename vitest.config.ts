import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, resolve } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { COUNTED_LIBRARIES, countSteps } from "./test/steps/counted.ts";

// The binary imports pages as text (`with { type: "text" }`), which Vite does not know: this plugin does the same in
// tests. The ending `.text` keeps Vite from taking stylesheets for itself.
export const textImports = {
  name: "text-imports",
  enforce: "pre" as const,
  resolveId(id: string, importer: string | undefined) {
    // What Vite has cached of an earlier run asks for these by their address from the root of the project.
    if (id.endsWith(".text")) return id.startsWith(import.meta.dirname) ? id : `${import.meta.dirname}${id}`;
    if (id.startsWith("uplot/dist/")) return `${resolve("node_modules", id)}.text`;
    if (!/\.(html|svg|css|yaml)$/.test(id) || importer === undefined) return undefined;
    return `${resolve(dirname(importer), id)}.text`;
  },
  load(id: string) {
    if (!id.endsWith(".text")) return undefined;
    return `export default ${JSON.stringify(readFileSync(id.slice(0, -".text".length), "utf8"))};`;
  },
};

/**
 * What takes long: every state of a model, whole worlds with many seeds, most of what a browser and other proxies do
 * with nodes, and tests with processes that must wait out real time for half a minute or more, alone on a quiet
 * machine. Such is a mesh that is upgraded, broken or killed under load. A test that can wait for less stays with the
 * others.
 */
const LONG = [
  "test/model/**/*.test.ts",
  "test/simulator/{changed-rooms,contradicted-clock,doors,drawn-sale,front-faults,lost-node,policies,history,richest,sites}.test.ts",
  "test/e2e/{accessibility,browser,dashboard,fast-lane,forward-auth,front-readings,pages}.test.ts",
  "test/e2e/{payments,push,service-workers}.test.ts",
  "test/e2e/{chaos,draw,load,upgrade}.test.ts",
  "test/node/admission/mesh/ramp.test.ts",
];

/** What runs the binary as real processes. */
const PROCESSES = ["test/{e2e,bench}/**/*.test.ts"];

/** What runs whole worlds. They share no state, and their modules are most of the program. */
const WORLDS = ["test/simulator/**/*.test.ts", "test/source/two-days.test.ts"];

/** What measures its own process, or has modules or timers of its own. */
const OWN = [
  "test/contract/**/*.test.ts",
  "test/mesh/{transport-libp2p,patches/*}.test.ts",
  "test/node/gate/gate-once.test.ts",
];

/** What shows that a stranger's bytes cost their length: the product counts its steps there. */
const COUNTED = ["test/**/*linear.test.ts", "test/steps/way.test.ts"];

/** Projects as they begin. A project's files stay together: a worker keeps its modules from one to the next. */
const PROJECTS = ["processes", "worlds", "own", "counted", "parts", "long"];

/**
 * What begins first in its project, so that no core is idle at the end: what takes longest. Vitest itself knows only
 * how long a file took in an earlier run, and a fresh clone has none.
 */
const FIRST = [
  ...["e2e/mesh", "e2e/demo", "e2e/origins", "e2e/restart", "e2e/workers", "e2e/start"],
  "e2e/doc-blocks",
  ...["e2e/origin-programs", "e2e/pages", "e2e/fast-lane", "e2e/forward-auth", "e2e/browser"],
  ...["simulator/scenarios", "simulator/worlds", "source/two-days", "simulator/simulate"],
  ...["mesh/transport-libp2p", "contract/transport-libp2p"],
  ...["law/members", "law/line-order", "node/peer/peer", "node/peer/peer-ceilings", "law/replica"],
].map((name) => resolve(import.meta.dirname, `test/${name}.test.ts`));

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId, project }: TestSpecification): number => {
      const first = FIRST.indexOf(moduleId);
      return PROJECTS.indexOf(project.name) * (FIRST.length + 1) + (first === -1 ? FIRST.length : first);
    };
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}

/** Chance begins with it, in each run with the same one. */
const SEED = 1;
const { ANTEROOM_SEED } = process.env;
// Children of tests do not get it: to the binary it would be an unknown variable.
delete process.env.ANTEROOM_SEED;

/** The seed that `ANTEROOM_SEED` gives; fast-check takes whole numbers of 32 bits. */
export function seedOf(text: string | undefined): number {
  if (text === undefined || text === "") return SEED;
  if (/^-?\d+$/.test(text) && Number(text) === (Number(text) | 0)) return Number(text);
  throw new RangeError(`Cannot use ANTEROOM_SEED as it must be a whole number of 32 bits: current value is ${text}`);
}

/**
 * A test that hangs must end; one that a busy machine slows down must not fail. The longest take half a minute of a
 * core. Only tests with processes have a limit of their own, for each wait (`e2e/process.ts`), which is shorter.
 */
const HANGS_MS = 3_600_000;

/** What holds for all tests, also for those of the inner loop. */
export const common = {
  provide: { seed: seedOf(ANTEROOM_SEED) },
  setupFiles: resolve(import.meta.dirname, "test/seed.ts"),
  // Forks start a watchdog over an IPC channel that Bun does not have; threads run on Bun as they are.
  pool: "threads" as const,
  testTimeout: HANGS_MS,
  hookTimeout: HANGS_MS,
  // Of the tests of one file that run side by side: those that wait for a browser.
  maxConcurrency: 3,
  // Vitest's own default leaves one core of two idle. With more than one per core, tests with real processes run out of
  // time.
  maxWorkers: Math.max(2, availableParallelism()),
};

/**
 * Most processes of the binary end within seconds: without the compilers that optimise, they take four fifths of the
 * CPU time. Only `npm run test:long` has those that work for longer.
 */
const shortLived = { env: { BUN_JSC_useDFGJIT: "0" } };

/** They run the binary. */
const processes = { globalSetup: "test/e2e/build.ts", setupFiles: "test/e2e/end-all.ts" };

/** They wait for timers more than they compute, and whole worlds compute while the last of them wait. */
const waiting = { maxWorkers: common.maxWorkers + 1 };

/** Projects with another number of workers run one after the other. */
const later = { sequence: { groupOrder: 1 } };

export default defineConfig({
  plugins: [textImports],
  test: {
    ...common,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          ...{ ...processes, ...shortLived, ...waiting },
          ...{ name: "processes", include: PROCESSES, exclude: LONG, isolate: false },
        },
      },
      { extends: true, test: { ...later, name: "own", include: OWN } },
      {
        extends: true,
        test: { ...waiting, name: "worlds", include: WORLDS, exclude: LONG, isolate: false },
      },
      {
        extends: true,
        plugins: [countSteps],
        test: {
          ...{ ...later, name: "counted", include: COUNTED, isolate: false, setupFiles: "test/steps/steps.ts" },
          server: { deps: { inline: COUNTED_LIBRARIES } },
        },
      },
      // Parts share no state: their modules are evaluated once per worker, and not once per file.
      {
        extends: true,
        test: {
          ...later,
          name: "parts",
          include: ["test/**/*.test.ts"],
          exclude: [...PROCESSES, ...WORLDS, ...OWN, ...COUNTED, ...LONG],
          isolate: false,
        },
      },
      { extends: true, test: { ...processes, ...later, name: "long", include: LONG } },
    ],
  },
});
