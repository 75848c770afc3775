/**
 * Calls back everything that waits for an answer, even if one callback throws.
 *
 * A callback that throws has broken an invariant of its own. The others still get their answer, and what the caller
 * counts as in progress still ends; then the first error is thrown to the handler of broken invariants. Nothing is
 * swallowed.
 */

/** Calls `tell` for each of `waiting`, then `after`. Throws the first error once all were called. */
export function tellAll<Waiting>(
  waiting: Iterable<Waiting>,
  tell: (one: Waiting, index: number) => void,
  after: () => void = () => {},
): void {
  const errors: unknown[] = [];
  let index = 0;
  for (const one of waiting) {
    try {
      tell(one, index);
    } catch (error) {
      // Saves the answers of the others; the error itself is thrown below.
      errors.push(error);
    }
    index += 1;
  }
  try {
    after();
  } catch (error) {
    // Thrown below, after those of the callbacks.
    errors.push(error);
  }
  if (errors.length > 0) throw errors[0];
}
