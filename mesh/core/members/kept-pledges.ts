/**
 * What a voter knows about the pledges of the others.
 *
 * Each view says what its members had pledged by then. Before a member pledges in the new view it takes nothing
 * (pledges.ts), so this still bounds it. What a voter acknowledges is on its disk before; a start believes that only of
 * a disk that holds all that the run before has sent. Otherwise it knows nothing of a node until that has pledged to it
 * again, which takes a ping. What a removed node held at most is worked out in `pledged-bound.ts`.
 */

import type { NodeId } from "../ids.ts";
import type { KeptPledge } from "./ceilings.ts";
import type { PledgeWord } from "./pledges.ts";

export class KeptPledges {
  readonly #kept: Map<NodeId, KeptPledge>;
  readonly #write: (node: NodeId, pledge: KeptPledge | undefined) => void;

  /** `stored`: what the disk has; `write` puts it there, or takes it away. */
  constructor(stored: readonly KeptPledge[], write: (node: NodeId, pledge: KeptPledge | undefined) => void) {
    this.#kept = new Map(stored.map((pledge) => [pledge.node, pledge]));
    this.#write = write;
  }

  /** From now on this is all that is known: what a new view says of its members. */
  begin(pledges: readonly KeptPledge[] = []): void {
    for (const node of this.#kept.keys()) this.#write(node, undefined);
    this.#kept.clear();
    for (const pledge of pledges) this.#keep(pledge);
  }

  /** `node` pledges; an older pledge, or one that adds to what is not known here, changes nothing. */
  hear(node: NodeId, { version, since, isWhole, rooms }: PledgeWord): void {
    const before = this.#kept.get(node);
    if (version <= (before?.version ?? 0) || since > (before?.version ?? 0)) return;
    const known = new Map(since === 0 ? [] : before?.rooms);
    for (const [room, slots] of rooms) {
      if (slots > 0) known.set(room, slots);
      else known.delete(room);
    }
    this.#keep({ node, version, isWhole, rooms: [...known] });
  }

  /** The newest known version of `node`; 0 for none. */
  versionOf(node: NodeId): number {
    return this.#kept.get(node)?.version ?? 0;
  }

  /** All that is known. */
  get all(): readonly KeptPledge[] {
    return [...this.#kept.values()];
  }

  #keep(pledge: KeptPledge): void {
    this.#kept.set(pledge.node, pledge);
    this.#write(pledge.node, pledge);
  }
}
