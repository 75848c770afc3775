/**
 * The node that an operator means: a whole id, a name, or an end or beginning of an id, that no other node has.
 */

export type Named = { readonly node: string } | { readonly problem: string; readonly hint: string };

/** Fewest characters: with fewer, a typing error could name a node. */
const WORD_MIN = 4;

/** Nodes named in a hint; more would hide the first ones. */
const LISTED_MAX = 10;

/**
 * The one of `ids` that `word` means, or why there is none; `names` by id, and `former`: those that are no members any
 * more. A name that a former node had, too, means neither: an order that is late would hit the node that took its
 * place.
 */
export function nodeNamed(
  word: string,
  ids: readonly string[],
  names: Readonly<Record<string, string>> = {},
  former: readonly string[] = [],
): Named {
  if (ids.includes(word)) return { node: word };
  const list = (some: readonly string[]): string => listed(some, names, former);
  const hint = `nodes are ${list(ids)}`;
  const isCalled = (id: string): boolean => names[id] === word;
  if (word.length < WORD_MIN && !ids.some(isCalled)) {
    return {
      problem: `Cannot tell which node ${JSON.stringify(word)} means as it is shorter than ${WORD_MIN} characters`,
      hint,
    };
  }
  const found = ids.filter(
    (id) => isCalled(id) || (word.length >= WORD_MIN && (id.endsWith(word) || id.startsWith(word))),
  );
  const [node, ...others] = found;
  if (node === undefined) return { problem: `Cannot find node ${word}`, hint };
  if (others.length === 0) return { node };
  return {
    problem: `Cannot tell which node ${word} means as it fits ${found.length}`,
    hint: `they are ${list(found)}: use an id`,
  };
}

function listed(ids: readonly string[], names: Readonly<Record<string, string>>, former: readonly string[]): string {
  const more = ids.length - LISTED_MAX;
  const shown = ids.slice(0, LISTED_MAX).map((id) => {
    const which = former.includes(id) ? `${id}, no member any more` : id;
    return names[id] === undefined ? which : `${names[id]} (${which})`;
  });
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
}
