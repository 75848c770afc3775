/**
 * Who takes part in handing out a room's slots, of the nodes that answer: those that may act by their own word, and have been members
 * for a minute.
 *
 * A node that holds back, as its clock is off or its disk was an old one, would collect slots that nobody can use. One
 * that starts and dies again and again would take what it was given with it each time. Both ask for tickets like any gate.
 * Where a locality has no others, they take part.
 */

import type { NodeId, RoomId } from "../../../mesh/core/ids.ts";
import type { RoomMesh } from "./room-mesh.ts";

type Nodes = ReadonlyMap<string, readonly NodeId[]>;

export class Partakers {
  readonly #id: RoomId;
  readonly #mesh: RoomMesh;
  #known: { readonly alive: Nodes; readonly key: string; readonly nodes: Nodes } | undefined;
  #isOld = true;

  constructor(id: RoomId, mesh: RoomMesh) {
    this.#id = id;
    this.#mesh = mesh;
  }

  /** By locality. The map is another one whenever that changes. */
  nodes(): Nodes {
    const alive = this.#mesh.alive();
    if (this.#known?.alive === alive && !this.#isOld) return this.#known.nodes;
    this.#isOld = false;
    const nodes = new Map(Array.from(alive, ([locality, all]) => [locality, this.#among(all)]));
    const key = JSON.stringify([...nodes]);
    this.#known = { alive, key, nodes: this.#known?.key === key ? this.#known.nodes : nodes };
    return this.#known.nodes;
  }

  /** Has it looked at anew: what nodes say of themselves may have changed. */
  refresh(): void {
    this.#isOld = true;
  }

  /** Whether slots may be sent to a node: it has said what it has, and that it can use more. */
  mayReceive(node: NodeId): boolean {
    return this.#mesh.gauge(node, this.#id)?.mayAct === true && this.#takesPart(node);
  }

  #takesPart(node: NodeId): boolean {
    for (const nodes of this.nodes().values()) if (nodes.includes(node)) return true;
    return false;
  }

  #among(nodes: readonly NodeId[]): readonly NodeId[] {
    const willing = nodes.filter((node) => this.#mayAct(node));
    const settled = willing.filter((node) => !this.#mesh.isYoung(node));
    if (settled.length > 0) return settled;
    return willing.length > 0 ? willing : nodes;
  }

  /** A node that has said nothing yet is taken for one that may. */
  #mayAct(node: NodeId): boolean {
    if (node === this.#mesh.self) return this.#mesh.mayAct(this.#id);
    return this.#mesh.gauge(node, this.#id)?.mayAct !== false;
  }
}
