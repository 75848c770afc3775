/**
 * Which answering nodes take part in the distribution of a room's slots: those that report that they may act, and have
 * been members for a minute.
 *
 * A node that holds back, because its clock is off or its disk was an old one, would collect slots that no node can
 * use. A node that starts and dies again and again would take along what it was given each time. Both ask for tickets
 * like any gate. In a locality without other nodes, they take part.
 */

import type { NodeId, RoomId } from "../../../mesh/core/ids.ts";
import type { RoomNode } from "./room-node.ts";
import type { Site } from "./sites.ts";

type Nodes = ReadonlyMap<string, readonly NodeId[]>;

/** The input from which the participants of a locality were computed. */
interface Found {
  readonly all: readonly NodeId[];
  readonly site: Site | undefined;
  readonly hasYoung: boolean;
  readonly nodes: readonly NodeId[];
}

export class Participants {
  readonly #id: RoomId;
  readonly #roomNode: RoomNode;
  #known: { readonly alive: Nodes; readonly nodes: Nodes } | undefined;
  /** By locality. */
  #found = new Map<string, Found>();
  #counted: { readonly of: Nodes; readonly count: number } | undefined;
  #isOld = true;
  /** Whether a node of another locality was young at the last full check. */
  #isFarYoung = false;
  #heldVersion: number | undefined;

  constructor(id: RoomId, roomNode: RoomNode) {
    this.#id = id;
    this.#roomNode = roomNode;
  }

  /** By locality. A new map whenever that changes. */
  nodes(): Nodes {
    const alive = this.#roomNode.alive();
    if (this.#known?.alive === alive && !this.#isOld) return this.#known.nodes;
    this.#isOld = false;
    if (this.#known?.alive === alive && this.#isFarSame()) return this.#lookHere(alive, this.#known.nodes);
    this.#heldVersion = this.#roomNode.heldVersion;
    const before = this.#known?.nodes;
    let isSame = before?.size === alive.size;
    const found = new Map<string, Found>();
    for (const [locality, all] of alive) {
      const here = this.#find(locality, all);
      found.set(locality, here);
      isSame &&= before?.get(locality) === here.nodes;
    }
    this.#found = found;
    this.#isFarYoung = [...found].some(([locality, { hasYoung }]) => hasYoung && locality !== this.#roomNode.locality);
    const nodes =
      isSame && before !== undefined ? before : new Map(Array.from(found, ([at, { nodes }]) => [at, nodes]));
    this.#known = { alive, nodes };
    return nodes;
  }

  /** How many take part. */
  get count(): number {
    const nodes = this.nodes();
    if (this.#counted?.of !== nodes) {
      let count = 0;
      for (const { length } of nodes.values()) count += length;
      this.#counted = { of: nodes, count };
    }
    return this.#counted.count;
  }

  /** Recomputes all of it: what nodes report about themselves may have changed. */
  refresh(): void {
    this.#isOld = true;
  }

  /** Whether slots may be sent to a node: it has reported what it has, and that it can use more. */
  mayReceive(node: NodeId): boolean {
    return this.#roomNode.gauge(node, this.#id)?.mayAct === true && this.#takesPart(node);
  }

  #takesPart(node: NodeId): boolean {
    for (const nodes of this.nodes().values()) if (nodes.includes(node)) return true;
    return false;
  }

  /** Whether nothing new was reported about other localities, and no node there was young. */
  #isFarSame(): boolean {
    const version = this.#roomNode.heldVersion;
    return version !== undefined && version === this.#heldVersion && !this.#isFarYoung;
  }

  /** Recomputes only this locality. */
  #lookHere(alive: Nodes, before: Nodes): Nodes {
    const { locality } = this.#roomNode;
    const here = this.#find(locality, alive.get(locality) ?? []);
    this.#found.set(locality, here);
    if (before.get(locality) === here.nodes) return before;
    const nodes = new Map(before).set(locality, here.nodes);
    this.#known = { alive, nodes };
    return nodes;
  }

  /** Another locality without a new report is unchanged, except for young nodes. */
  #find(locality: string, all: readonly NodeId[]): Found {
    const before = this.#found.get(locality);
    const site = this.#roomNode.sites(this.#id)?.get(locality);
    if (site !== undefined && before?.site?.held === site.held && before.all === all && !before.hasYoung) return before;
    const willing = all.filter((node) => this.#mayAct(node));
    const settled = willing.filter((node) => !this.#roomNode.isYoung(node));
    const nodes = settled.length > 0 ? settled : willing.length > 0 ? willing : all;
    const isSame = before !== undefined && areEqual(before.nodes, nodes);
    return { all, site, hasYoung: settled.length < willing.length, nodes: isSame ? before.nodes : nodes };
  }

  /** A node that has reported nothing yet counts as one that may act. */
  #mayAct(node: NodeId): boolean {
    if (node === this.#roomNode.self) return this.#roomNode.mayAct(this.#id);
    return this.#roomNode.gauge(node, this.#id)?.mayAct !== false;
  }
}

function areEqual(one: readonly NodeId[], other: readonly NodeId[]): boolean {
  return one.length === other.length && one.every((node, index) => node === other[index]);
}
