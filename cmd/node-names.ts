/**
 * Short names of nodes for people: the end of a node's id, as long as needed to be unique.
 *
 * All ids begin alike (with the kind of their key), so only their ends differ.
 */

/** Enough that two of a hundred nodes have the same end once in 10^10 meshes, and short enough to be typed. */
const SHOWN = 8;

/** A name for each of `nodes`: 8 characters, more where two would have the same. Unknown nodes are named in the same way. */
export function nodeNames(nodes: Iterable<string>): (node: string) => string {
  const ids = [...new Set(nodes)];
  let length = SHOWN;
  const longest = Math.max(SHOWN, ...ids.map((id) => id.length));
  while (length < longest && new Set(ids.map((id) => id.slice(-length))).size < ids.length) length += 1;
  return (node) => node.slice(-length);
}
