/**
 * Plants the mutant named by MUTANT as its file is loaded:
 * `bun --preload test/mutation/preload.ts test/sim/main.ts ...`.
 *
 * Nothing happens without the variable. A place that is not there exactly once ends the process.
 */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { plugin } from "bun";
import { mutated } from "./mutant.ts";
import { mutantOf } from "./mutants.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const mutant = mutantOf(process.env.MUTANT);

if (mutant !== undefined) {
  const path = resolve(ROOT, mutant.file);
  const contents = mutated(mutant, readFileSync(path, "utf8"));
  const filter = new RegExp(`^${RegExp.escape(path)}$`);
  void plugin({ name: "mutant", setup: ({ onLoad }) => void onLoad({ filter }, () => ({ contents, loader: "ts" })) });
}
