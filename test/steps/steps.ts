/**
 * The count that the product adds to, where counted.ts put it. Loaded before the product is, and again for each file of
 * tests, while the modules that count stay: there is one count per worker.
 */

import { STEPS } from "./counted.ts";
import { sizeOf } from "./natives.ts";

interface Steps {
  count: number;
  /** The functions that are entered, in order, while a test wants to know: the file of each, and whether it is an arrow function. */
  entered: { readonly path: string; readonly isCallback: boolean }[] | undefined;
  enter(path: string, isCallback: boolean): void;
  spread<Value>(value: Value): Value;
}

const place = globalThis as { [STEPS]?: Steps };

export const steps: Steps = place[STEPS] ?? {
  count: 0,
  entered: undefined,
  enter(path, isCallback) {
    this.count += 1;
    this.entered?.push({ path, isCallback });
  },
  spread(value) {
    this.count += sizeOf(value);
    return value;
  },
};

place[STEPS] = steps;
