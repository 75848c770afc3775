/** Waiting for what comes about by itself: looked at often, and given up with its name. */

/** Longest wait: thirty nodes on two cores come together in far less. */
const WAIT_MS_MAX = 60_000;

/** Waits until `isSo`, looking every `everyMs`. Throws when it takes too long; `what` says what was waited for. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, everyMs = 10): Promise<void> {
  const endMs = performance.now() + WAIT_MS_MAX;
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error(`Cannot measure as ${what} must come about in ${WAIT_MS_MAX} ms`);
    await Bun.sleep(everyMs);
  }
}
