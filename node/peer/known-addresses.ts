/**
 * The addresses at which nodes can be dialled, as they reported: kept on disk, passed on to others, and given to the
 * shell.
 */

import type { NodeId } from "../../mesh/core/ids.ts";
import type { Puts } from "../../mesh/core/wire/outbox.ts";
import { ADDRESSES_MAX } from "./message-kinds.ts";
import { ADDRESSES } from "./stored-peer.ts";

/** Which nodes addresses are kept of. */
export interface Around {
  /** No longer a member, and never will be again. */
  readonly isFormer: (node: NodeId) => boolean;
  /** A member, or connected. */
  readonly isAround: (node: NodeId) => boolean;
}

export class KnownAddresses {
  readonly #self: NodeId;
  readonly #outbox: Puts;
  readonly #addresses = new Map<NodeId, readonly string[]>();
  /** Of these, those that the shell does not know yet. */
  readonly #news = new Map<NodeId, readonly string[]>();
  readonly #forgotten = new Set<NodeId>();
  /** Whether there is news for the shell. */
  hasNews = false;
  /** Neither members nor connected at the last view. */
  #strangers = new Set<NodeId>();

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
      this.hasNews = true;
      this.#forgotten.delete(node);
      this.#outbox.putLater(ADDRESSES.at(), () => [...this.#addresses]);
    }
  }

  /**
   * There is a new view. Former members are forgotten, and what was a stranger at the last view and still is one. A node
   * that asks to join is a stranger at most once: it may be a member before it is connected to this node.
   */
  keepOnly({ isFormer, isAround }: Around): void {
    const before = this.#addresses.size;
    const strangers = new Set<NodeId>();
    for (const node of this.#addresses.keys()) {
      const isStranger = !isAround(node);
      if (isFormer(node) || (isStranger && this.#strangers.has(node))) {
        this.#addresses.delete(node);
        this.#news.delete(node);
        this.#forgotten.add(node);
        this.hasNews = true;
      } else if (isStranger) strangers.add(node);
    }
    this.#strangers = strangers;
    if (this.#addresses.size < before) this.#outbox.putLater(ADDRESSES.at(), () => [...this.#addresses]);
  }

  /** The news for the shell: nodes to dial for ever, and nodes that are no longer members. */
  take(): { readonly known: (readonly [NodeId, readonly string[]])[]; readonly forgotten: NodeId[] } {
    const news = { known: [...this.#news], forgotten: [...this.#forgotten] };
    this.#news.clear();
    this.#forgotten.clear();
    this.hasNews = false;
    return news;
  }
}
