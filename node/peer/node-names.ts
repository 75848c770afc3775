/**
 * The names that operators gave to nodes: each node says its own when it connects, and passes on those that it knows.
 *
 * They are kept on disk, and for as long as a view names a former member, because a warning about a lost node should
 * name it. They are for people alone: nothing is decided by a name, and two nodes may have the same one. What a node
 * says about itself counts more than what others say about it.
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
    for (const [node, name] of names) if (!this.#names.has(node)) this.#learn(node, name);
  }

  /** Forgets the names of other nodes. */
  keepOnly(isKnown: (node: NodeId) => boolean): void {
    const before = this.#names.size;
    for (const node of this.#names.keys()) if (node !== this.#parts.self && !isKnown(node)) this.#names.delete(node);
    if (this.#names.size < before) this.#parts.outbox.putLater(NAMES.at(), () => this.forOthers);
  }

  #learn(node: NodeId, name: string): void {
    const before = this.#names.get(node);
    if (node === this.#parts.self || before === name) return;
    if (before === undefined && this.#names.size >= NAMES_MAX) return;
    this.#names.set(node, name);
    this.#parts.outbox.putLater(NAMES.at(), () => this.forOthers);
  }
}
