/**
 * The names that operators gave to nodes: each node says its own when it connects, and passes on those that it knows.
 *
 * They are kept on disk and outlive membership, because a warning about a lost node should name it. They are for people
 * alone: nothing is decided by a name, and two nodes may have the same one. What a node says about itself counts more
 * than what others say about it.
 */

import type { NodeId } from "../../mesh/core/ids.ts";
import type { Puts } from "../../mesh/core/wire/outbox.ts";
import { isNodeName } from "../../mesh/core/wire/shapes.ts";
import { NAMES_MAX } from "./message-kinds.ts";
import { NAMES } from "./stored-peer.ts";

export interface NodeNamesParts {
  readonly self: NodeId;
  /** Of this node; none in a simulation. */
  readonly name?: string;
  readonly restored: ReadonlyMap<string, unknown>;
  readonly outbox: Puts;
}

export class NodeNames {
  readonly #parts: NodeNamesParts;
  /** The one heard last comes last. */
  readonly #names = new Map<NodeId, string>();

  constructor(parts: NodeNamesParts) {
    this.#parts = parts;
    for (const [node, name] of NAMES.read(parts.restored) ?? []) if (node !== parts.self) this.#names.set(node, name);
    if (parts.name !== undefined) this.#names.set(parts.self, parts.name);
  }

  /** By node, this node and former members included. */
  get all(): ReadonlyMap<string, string> {
    return this.#names;
  }

  /** Of this node. */
  get own(): string | undefined {
    return this.#names.get(this.#parts.self);
  }

  /** All names, as others are told. */
  get forOthers(): [NodeId, string][] {
    return [...this.#names];
  }

  /** A node says how it is called. */
  said(node: NodeId, name: string | undefined): void {
    if (name !== undefined && isNodeName(name)) this.#learn(node, name);
  }

  /** Another node says how nodes are called: what is known already stays. */
  hear(names: readonly (readonly [NodeId, string])[]): void {
    for (const [node, name] of names)
      if (!this.#names.has(node) && this.#names.size < NAMES_MAX) this.#learn(node, name);
  }

  #learn(node: NodeId, name: string): void {
    if (node === this.#parts.self || this.#names.get(node) === name) return;
    this.#names.delete(node);
    const oldest = this.#names.keys().find((each) => each !== this.#parts.self);
    if (this.#names.size >= NAMES_MAX && oldest !== undefined) this.#names.delete(oldest);
    this.#names.set(node, name);
    this.#parts.outbox.putLater(NAMES.at(), () => this.forOthers);
  }
}
