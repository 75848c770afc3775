/**
 * Whether a node may be a peer: its hello is compared with what its key proves and with the peers already connected.
 */

import type { NodeId } from "./core/ids.ts";
import { type Hello, helloProblem } from "./core/wire/hello.ts";

export interface Judgement {
  readonly ours: Hello;
  readonly theirs: Hello;
  /** Its identity according to its key. */
  readonly peer: NodeId;
  /** The hello of the peer on the connection that serves it now. */
  readonly connected: Hello | undefined;
  readonly isPunished: boolean;
}

/** The reason given to a punished peer. */
export const NONSENSE = "it sent invalid data: ignored for a minute";
/** How long a punished peer is refused. */
export const PUNISHED_MS = 60_000;

/** Why the peer is refused, as text for our operator; undefined if it is accepted. */
export function objectionTo({ ours, theirs, peer, connected, isPunished }: Judgement): string | undefined {
  if (theirs.node !== peer) return `says that it is ${theirs.node}, but its key is that of ${peer}`;
  const problem = helloProblem(ours, theirs);
  if (problem !== undefined) return problem;
  if (connected !== undefined && theirs.incarnation < connected.incarnation)
    return `an older process of a node that is connected already (started at ${theirs.incarnation}, the other at ${connected.incarnation}): each needs a data directory of its own`;
  return isPunished ? NONSENSE : undefined;
}

/** What our operator reads when a peer refuses us: our own objection if we have one, otherwise the peer's. */
export function wordsFor(ourObjection: string | undefined, theirs: string): string {
  return ourObjection ?? `it refuses us: ${theirs}`;
}
