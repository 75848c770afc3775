/**
 * The laws at length: `bun test/node/http/llhttp/main.ts [RUNS] [SEED]`. Prints what was seen; exits with 1 and the
 * shortest bytes found if gate and llhttp read differently.
 */

import fc from "fast-check";
import { EXIT } from "../../../../cmd/exit.ts";
import { type Counts, requestLaw, responseLaw } from "./laws.ts";

const [runs = "100000", seed = String(Date.now() % 1_000_000)] = process.argv.slice(2);

for (const [what, law] of Object.entries({ requests: requestLaw, answers: responseLaw })) {
  const counts: Counts = new Map();
  const result = fc.check<unknown[]>(law(counts) as fc.IProperty<unknown[]>, {
    numRuns: Number(runs),
    seed: Number(seed),
  });
  console.log(`${what}, seed ${seed}`);
  for (const [name, times] of [...counts].sort(([, a], [, b]) => b - a))
    console.log(`${String(times).padStart(12)}  ${name}`);
  if (!result.failed) continue;
  console.log(`${result.errorInstance}\n${JSON.stringify(result.counterexample)}`);
  process.exitCode = EXIT.checkFailed;
}
