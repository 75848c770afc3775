/**
 * Which connection serves each peer, where there may be two.
 *
 * Two nodes that dial each other at once get two connections, and so does one whose peer has lost the old connection
 * unnoticed. Only the opener (see peer-link.ts) decides: it takes the newest one into use and ranks it highest, and the
 * other side follows. The peer stays up meanwhile; frames on their way in the old connection are lost. Only if the
 * process at the other end has changed is the peer reported as down first, and the older process learns why it is
 * refused: it may still run, if its data directory was copied.
 */

import type { NodeId } from "./core/ids.ts";
import type { Hello } from "./core/wire/hello.ts";

/** The part of a link that is used. */
export interface Link {
  readonly peer: NodeId;
  readonly isOpener: boolean;
  readonly hello: Hello | undefined;
  /** Given by the opener; of two links the one with the higher rank serves. */
  readonly rank: number;
  close(): void;
  /** Ends it with a reason for the other side. */
  refuse(reason: string): void;
}

/** The reason given to an older process of an identity. */
const OUTRUN = "a later process of this node is connected: each needs its own data directory";

export interface ServingEvents {
  readonly up: (peer: NodeId, hello: Hello) => void;
  readonly down: (peer: NodeId) => void;
}

/** How long the opener keeps a replaced connection, so that the other side has followed before it ends. */
const REPLACED_MS = 2_000;

export class ServingLinks<L extends Link> {
  readonly #events: ServingEvents;
  readonly #clock: () => number;
  readonly #serving = new Map<NodeId, L>();
  readonly #peers = new Set<NodeId>();
  readonly #replaced = new Map<L, number>();

  constructor(clock: () => number, events: ServingEvents) {
    this.#clock = clock;
    this.#events = events;
  }

  /** The peers that are up. */
  get peers(): ReadonlySet<NodeId> {
    return this.#peers;
  }

  of(peer: NodeId): L | undefined {
    return this.#serving.get(peer);
  }

  /** Starts using a link that has come up. */
  up(link: L, hello: Hello): void {
    const { peer } = link;
    const before = this.#serving.get(peer);
    if (before !== undefined && before.hello?.incarnation === hello.incarnation && before.rank > link.rank) {
      link.close();
      return;
    }
    const isOther = before !== undefined && before.hello?.incarnation !== hello.incarnation;
    if (isOther) this.#down(peer);
    this.#serving.set(peer, link);
    if (isOther) before.refuse(OUTRUN);
    else if (before?.isOpener === true) this.#replaced.set(before, this.#clock() + REPLACED_MS);
    else before?.close();
    if (this.#peers.has(peer)) return;
    this.#peers.add(peer);
    this.#events.up(peer, hello);
  }

  /** Records that a link is gone. */
  closed(link: L): void {
    this.#replaced.delete(link);
    if (this.#serving.get(link.peer) === link) this.#down(link.peer);
  }

  /** Ends links that were replaced long enough ago. */
  tick(): void {
    const nowMs = this.#clock();
    for (const [link, dueMs] of this.#replaced) {
      if (dueMs > nowMs) continue;
      this.#replaced.delete(link);
      link.close();
    }
  }

  #down(peer: NodeId): void {
    this.#serving.delete(peer);
    this.#peers.delete(peer);
    this.#events.down(peer);
  }
}
