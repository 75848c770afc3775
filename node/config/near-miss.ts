/**
 * The known word that an unknown one probably means.
 */

import leven from "leven";

/** The nearest of `known` to `word`, or undefined when none is near. */
export function nearMiss(word: string, known: readonly string[]): string | undefined {
  const plain = plainWord(word);
  const distanceMax = plain.length <= 3 ? 1 : Math.max(2, Math.floor(plain.length / 3));
  const ranked = known
    // At least as many edits as the difference in length: most words need no count, and a word of a megabyte needs none
    // at all.
    .filter((candidate) => Math.abs(plainWord(candidate).length - plain.length) <= distanceMax)
    .map((candidate) => ({ candidate, distance: leven(plain, plainWord(candidate)) }))
    .sort((left, right) => left.distance - right.distance);
  const [best] = ranked;
  return best !== undefined && best.distance <= distanceMax ? best.candidate : undefined;
}

/** "did you mean `known`?", else `otherwise`. */
export function didYouMean(word: string, known: readonly string[], otherwise: string): string {
  const near = nearMiss(word, known);
  return near === undefined ? otherwise : `did you mean ${near}?`;
}

function plainWord(word: string): string {
  return word.toLowerCase().replaceAll(/[-_\s]/g, "");
}
