/**
 * Which node serves a key: rendezvous hashing (Thaler and Ravishankar, 1998).
 *
 * Every node ranks the nodes it knows by a hash of key and node; the first serves the key, the next ones replace it
 * when it fails. A node that comes or goes moves only the keys it wins or won. It costs one hash per node, and keeps no
 * state.
 */

import type { NodeId } from "../ids.ts";

/** `nodes` in the order in which they serve `key`. Equal on all nodes that know the same ones. */
export function ranked(key: string, nodes: Iterable<NodeId>): NodeId[] {
  return Array.from(nodes, (node) => ({ node, weight: hash(`${key} ${node}`) }))
    .sort((one, other) => other.weight - one.weight || (one.node < other.node ? -1 : 1))
    .map(({ node }) => node);
}

/**
 * FNV-1a of the UTF-16 units, finished by the mixer of MurmurHash3: without it, nodes with similar names get similar
 * ranks.
 */
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
