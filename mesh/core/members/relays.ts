/**
 * What members say to each other about the next view, passed on by a third one where two do not hear each other.
 *
 * Every member that stays must fence a node before it can be dropped, so two broken pairs among five members would
 * block each removal and each order to forget. A member whose gossip still arrives is there, though it answers no ping:
 * messages to it go the direct way, and through another member as well. Nothing else changes: a message counts as if
 * its sender had sent it itself, once or twice.
 */

import type { NodeId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import type { Heartbeats } from "./heartbeats.ts";
import { type Of, PASSED_ON } from "./member-messages.ts";

export interface RelaysParts {
  readonly heartbeats: Heartbeats;
  readonly others: () => readonly NodeId[];
}

export class Relays {
  readonly #parts: RelaysParts;
  /** Through which member a message of another one came last: its answer takes the same way. */
  readonly #through = new Map<NodeId, NodeId>();
  #turn = 0;

  constructor(parts: RelaysParts) {
    this.#parts = parts;
  }

  /**
   * The members to send this through, beside the direct way: the one through which `to` was heard, and one more in
   * turn, since nobody knows which members hear each other.
   */
  through(to: NodeId, { kind }: { readonly kind: string }, now: Instant): readonly NodeId[] {
    const { heartbeats, others } = this.#parts;
    if (!PASSED_ON.has(kind) || heartbeats.isAnswering(to, now) || !heartbeats.isThere(to, now)) return [];
    const answering = others().filter((node) => heartbeats.isAnswering(node, now));
    this.#turn += 1;
    const chosen = [this.#through.get(to), answering[this.#turn % answering.length]];
    return answering.filter((node) => chosen.includes(node));
  }

  /** Whether this node passes on what `from` sent: only what is its own, and to a member that answers. */
  passesOn(from: NodeId, relay: Of<"relay">, now: Instant): boolean {
    return relay.from === from && relay.to !== from && this.#parts.heartbeats.isAnswering(relay.to, now);
  }

  noteThrough(from: NodeId, origin: NodeId): void {
    if (this.#parts.others().includes(origin)) this.#through.set(origin, from);
  }

  /** There is a new view. */
  begin(): void {
    this.#through.clear();
  }
}
