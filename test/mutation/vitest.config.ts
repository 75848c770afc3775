/**
 * The project's tests with the mutant named by MUTANT planted:
 * `vitest --config test/mutation/vitest.config.ts run FILE`.
 *
 * Without the cache of changed files, which is kept from one mutant to the next.
 */

import { resolve } from "node:path";
import { mergeConfig } from "vitest/config";
import base from "../../vitest.config.ts";
import { mutated } from "./mutant.ts";
import { mutantOf } from "./mutants.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const mutant = mutantOf(process.env.MUTANT);

const plant = {
  name: "mutant",
  enforce: "pre" as const,
  transform(text: string, id: string) {
    return mutant !== undefined && id === resolve(ROOT, mutant.file) ? mutated(mutant, text) : undefined;
  },
};

// biome-ignore lint/style/noDefaultExport: the shape that vitest asks for.
export default mergeConfig(base, { root: ROOT, plugins: [plant], test: { fsModuleCache: false } });
