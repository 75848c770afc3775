/**
 * The addresses at which each peer may be found: those that worked last come first.
 */

import type { NodeId } from "./core/ids.ts";

/** Addresses kept per peer: all interfaces of a host, twice. */
const ADDRESSES_MAX = 32;

export class AddressBook {
  readonly #addresses = new Map<NodeId, readonly string[]>();

  /** The peer's addresses in the order in which they should be tried; empty if none is known. */
  of(peer: NodeId): readonly string[] {
    return this.#addresses.get(peer) ?? [];
  }

  /** Adds new addresses; when there are too many, the oldest that did not work lately are dropped. */
  add(peer: NodeId, addresses: readonly string[]): void {
    const known = this.of(peer);
    const added = new Set(addresses.filter((address) => !known.includes(address)));
    const [best, ...rest] = known;
    const kept = [...rest, ...added].slice(-(ADDRESSES_MAX - 1));
    this.#addresses.set(peer, best === undefined ? kept : [best, ...kept]);
  }

  /** Puts an address that led to the peer before all others. */
  worked(peer: NodeId, address: string): void {
    const others = this.of(peer).filter((other) => other !== address);
    this.#addresses.set(peer, [address, ...others].slice(0, ADDRESSES_MAX));
  }

  remove(peer: NodeId): void {
    this.#addresses.delete(peer);
  }
}
