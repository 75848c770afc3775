/**
 * Repeats work until the user stops it.
 */

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
