/**
 * Whether a node may be a peer: what it says of itself, against what its key proves and who is connected already.
 */

import type { NodeId } from "./core/ids.ts";
import { type Hello, helloProblem } from "./core/wire/hello.ts";

export interface Judgement {
  readonly ours: Hello;
  readonly theirs: Hello;
  /** Who it is by its key. */
  readonly peer: NodeId;
  /** What the peer said of itself on the connection that serves it now. */
  readonly connected: Hello | undefined;
  readonly isPunished: boolean;
}

/** What a punished peer is told. */
export const NONSENSE = "it sent invalid data: ignored for a minute";
/** How long a punished peer is refused. */
export const PUNISHED_MS = 60_000;

/** Why the peer is refused, in words for our operator; undefined if it is not. */
export function objectionTo({ ours, theirs, peer, connected, isPunished }: Judgement): string | undefined {
  if (theirs.node !== peer) return `says that it is ${theirs.node}, but its key is that of ${peer}`;
  const problem = helloProblem(ours, theirs);
  if (problem !== undefined) return problem;
  if (connected !== undefined && theirs.incarnation < connected.incarnation)
    return `an older process of a node that is connected already (started at ${theirs.incarnation}, the other at ${connected.incarnation}): each needs a data directory of its own`;
  return isPunished ? NONSENSE : undefined;
}

/** What our operator reads when a peer refuses us: our own objection, if we have one, else the peer's. */
export function wordsFor(ourObjection: string | undefined, theirs: string): string {
  return ourObjection ?? `it refuses us: ${theirs}`;
}
