/**
 * What is thrown where a rule is broken that only our own code can break.
 *
 * After that nothing in memory can be trusted: another unit given, and a limit may be exceeded. So the process ends, whoever catches it
 * on the way, and starts again from its disk, on which nothing of the broken step is.
 */

export class BrokenInvariant extends Error {
  override readonly name = "BrokenInvariant";
}
