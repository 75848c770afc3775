/**
 * The addresses at which nodes can be dialled, as they reported: kept on disk, passed on to others, and given to the
 * shell.
 */

import type { NodeId } from "../../mesh/core/ids.ts";
import type { Puts } from "../../mesh/core/wire/outbox.ts";
import { ADDRESSES_MAX } from "./message-kinds.ts";
import { ADDRESSES } from "./stored-peer.ts";

export class KnownAddresses {
  readonly #self: NodeId;
  readonly #outbox: Puts;
  readonly #addresses = new Map<NodeId, readonly string[]>();
  /** Of these, those that the shell does not know yet. */
  readonly #news = new Map<NodeId, readonly string[]>();
  readonly #forgotten = new Set<NodeId>();

  constructor(self: NodeId, outbox: Puts) {
    this.#self = self;
    this.#outbox = outbox;
  }

  /** Loads what an earlier run knew. */
  restore(restored: ReadonlyMap<string, unknown>): void {
    this.hear(ADDRESSES.read(restored) ?? []);
  }

  get all(): [NodeId, string[]][] {
    return Array.from(this.#addresses, ([node, addresses]) => [node, [...addresses]]);
  }

  of(node: NodeId): readonly string[] {
    return this.#addresses.get(node) ?? [];
  }

  /** Records the addresses of nodes, for the shell. */
  hear(nodes: readonly (readonly [NodeId, readonly string[]])[]): void {
    for (const [node, addresses] of nodes) {
      if (node === this.#self || addresses.length === 0) continue;
      if (JSON.stringify(this.#addresses.get(node)) === JSON.stringify(addresses)) continue;
      if (this.#addresses.size >= ADDRESSES_MAX && !this.#addresses.has(node)) continue;
      this.#addresses.set(node, addresses);
      this.#news.set(node, addresses);
      this.#outbox.putLater(ADDRESSES.at(), () => [...this.#addresses]);
    }
  }

  /** A node is no longer a member, and never will be again. */
  forget(node: NodeId): void {
    if (this.#addresses.delete(node)) this.#forgotten.add(node);
  }

  /** Whether there is news for the shell. */
  get hasNews(): boolean {
    return this.#news.size + this.#forgotten.size > 0;
  }

  /** The news for the shell: nodes to dial for ever, and nodes that are no longer members. */
  take(): { readonly known: (readonly [NodeId, readonly string[]])[]; readonly forgotten: NodeId[] } {
    const news = { known: [...this.#news], forgotten: [...this.#forgotten] };
    this.#news.clear();
    this.#forgotten.clear();
    return news;
  }
}
