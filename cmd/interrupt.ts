/**
 * Work until the user stops it.
 */

import { EXIT } from "./exit.ts";

/** The first SIGINT or SIGTERM ends the work in good order, by its signal; a second one ends the process. */
export async function untilStopped<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const ending = new AbortController();
  const stop = (): void => {
    // Child processes stop when they find that their parent is gone.
    if (ending.signal.aborted) process.exit(EXIT.failed);
    ending.abort();
  };
  process.on("SIGINT", stop).on("SIGTERM", stop);
  try {
    return await work(ending.signal);
  } finally {
    process.off("SIGINT", stop).off("SIGTERM", stop);
  }
}

/** Does `step` every `intervalMs` until SIGINT or SIGTERM; the interval runs from end to start. */
export async function untilInterrupted(intervalMs: number, step: () => Promise<void>): Promise<void> {
  const { promise: interrupted, resolve } = Promise.withResolvers<"interrupted">();
  const interrupt = () => resolve("interrupted");
  process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  try {
    for (let done: unknown; done !== "interrupted"; done = await Promise.race([interrupted, Bun.sleep(intervalMs)])) {
      if ((await Promise.race([interrupted, step()])) === "interrupted") return;
    }
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  }
}
