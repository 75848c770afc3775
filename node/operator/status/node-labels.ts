/**
 * What people call a node: its name, or, where that is unknown, the end of its id. A name that several nodes have comes
 * with the end of the id.
 *
 * All ids begin alike (with the kind of their key), so only their ends differ.
 */

import type { Peer } from "../../peer/peer.ts";

export interface NodeLabels {
  /** The label of a node. Unknown nodes are named in the same way. */
  readonly of: (node: string) => string;
  /** The same as a word by which a command takes the node. */
  readonly word: (node: string) => string;
  /** A text with whole ids, as the core of the mesh writes it, with labels in their place. */
  readonly inText: (text: string) => string;
}

/** Enough that two of a hundred nodes have the same end once in 10^10 meshes, and short enough to be typed. */
const SHOWN = 8;

const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** Labels for `nodes`: the end of an id has 8 characters, more where two would have the same. */
export function nodeLabels(nodes: Iterable<string>, names: ReadonlyMap<string, string> = NO_NAMES): NodeLabels {
  const ids = [...new Set(nodes)];
  const longest = Math.max(SHOWN, ...ids.map((id) => id.length));
  let length = SHOWN;
  while (length < longest && new Set(ids.map((id) => id.slice(-length))).size < ids.length) length += 1;
  const byName = Map.groupBy(ids, (id) => names.get(id));
  const endOf = (node: string): string => node.slice(-length);
  const isShared = (node: string, name: string): boolean => byName.get(name)?.some((other) => other !== node) === true;
  const of = (node: string): string => {
    const name = names.get(node);
    if (name === undefined) return endOf(node);
    return isShared(node, name) ? `${name} (${endOf(node)})` : name;
  };
  const word = (node: string): string => {
    const name = names.get(node);
    const isOthers = [...names].some(([other, theirs]) => other !== node && theirs === name);
    return name === undefined || isOthers ? endOf(node) : name;
  };
  const known = new Set([...ids, ...names.keys()]);
  const inText = (text: string): string => known.values().reduce((told, id) => told.replaceAll(id, of(id)), text);
  return { of, word, inText };
}

/** Labels for the members that a node knows, and for the owners of what is idle. */
export function labelsAt(peer: Peer): NodeLabels {
  return nodeLabels(shownNodes(peer), peer.names.all);
}

/** The names of these, by id. */
export function shownNames(peer: Peer): Readonly<Record<string, string>> {
  const names = shownNodes(peer).map((node) => [node, peer.names.all.get(node)] as const);
  return Object.fromEntries(names.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function shownNodes({ members, roomNode, idleHere, idleElsewhere }: Peer): string[] {
  const owners = [...idleHere, ...idleElsewhere].flatMap(({ accounts }) => accounts);
  return [...new Set<string>([roomNode.self, ...members.others, ...owners])];
}
