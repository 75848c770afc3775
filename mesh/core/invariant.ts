/**
 * Thrown when a rule is broken that only our own code can break.
 *
 * After that nothing in memory can be trusted: one more unit given, and a limit may be exceeded. So the process ends,
 * whatever catches the error on the way, and starts again from its disk, which contains nothing of the broken step.
 */

export class BrokenInvariant extends Error {
  override readonly name = "BrokenInvariant";
}
