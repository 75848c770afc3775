/**
 * The exit codes of every command; scripts rely on them.
 */

export const EXIT = {
  ok: 0,
  /** The command was understood and could not be done. */
  failed: 1,
  /** Wrong usage or configuration: nothing was started or changed. */
  usage: 2,
  /** What the command checks does not hold. */
  checkFailed: 3,
  /** A node to be forgotten answers: the order is wrong, and repeating it does not help. */
  refused: 4,
  /** What was measured allows no verdict. */
  notJudged: 5,
} as const;
