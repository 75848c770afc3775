/**
 * Gives chance in tests its seed: that of `ANTEROOM_SEED`, otherwise the same one in each run.
 *
 * A draw of fast-check that fails says how to repeat it. A test that draws by itself begins with `SEED`.
 */

import fc from "fast-check";
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    seed: number;
  }
}

export const SEED = inject("seed");

fc.configureGlobal({
  seed: SEED,
  reporter: (details) => {
    if (!details.failed) return;
    const message = `${fc.defaultReportMessage(details)}\n\nANTEROOM_SEED=${details.seed} repeats it`;
    throw new Error(message, { cause: details.errorInstance });
  },
});
