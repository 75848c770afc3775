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

/** What each code means, for help. */
export const EXIT_MEANINGS: readonly (readonly [number, string])[] = [
  [EXIT.ok, "done"],
  [EXIT.failed, "failed"],
  [EXIT.usage, "wrong usage or configuration; nothing was started or changed"],
  [EXIT.checkFailed, "a check failed, or a difference was found"],
  [EXIT.refused, "a node that forget names answers"],
  [EXIT.notJudged, "no verdict: chaos on a machine that was too busy, load that sent or heard too little"],
];
