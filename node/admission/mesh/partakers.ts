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
import type { Site } from "./sites.ts";

type Nodes = ReadonlyMap<string, readonly NodeId[]>;

/** What the partakers of a locality were found from. */
interface Found {
  readonly all: readonly NodeId[];
  readonly site: Site | undefined;
  readonly hasYoung: boolean;
  readonly nodes: readonly NodeId[];
}

export class Partakers {
  readonly #id: RoomId;
  readonly #mesh: RoomMesh;
  #known: { readonly alive: Nodes; readonly nodes: Nodes } | undefined;
  /** By locality. */
  #found = new Map<string, Found>();
  #counted: { readonly of: Nodes; readonly count: number } | undefined;
  #isOld = true;
  /** Whether a node of another locality was young when all were looked at. */
  #isFarYoung = false;
  #heldVersion: number | undefined;

  constructor(id: RoomId, mesh: RoomMesh) {
    this.#id = id;
    this.#mesh = mesh;
  }

  /** By locality. The map is another one whenever that changes. */
  nodes(): Nodes {
    const alive = this.#mesh.alive();
    if (this.#known?.alive === alive && !this.#isOld) return this.#known.nodes;
    this.#isOld = false;
    if (this.#known?.alive === alive && this.#isFarSame()) return this.#lookHere(alive, this.#known.nodes);
    this.#heldVersion = this.#mesh.heldVersion;
    const before = this.#known?.nodes;
    let isSame = before?.size === alive.size;
    const found = new Map<string, Found>();
    for (const [locality, all] of alive) {
      const here = this.#find(locality, all);
      found.set(locality, here);
      isSame &&= before?.get(locality) === here.nodes;
    }
    this.#found = found;
    this.#isFarYoung = [...found].some(([locality, { hasYoung }]) => hasYoung && locality !== this.#mesh.locality);
    const nodes =
      isSame && before !== undefined ? before : new Map(Array.from(found, ([at, { nodes }]) => [at, nodes]));
    this.#known = { alive, nodes };
    return nodes;
  }

  /** How many they are. */
  get count(): number {
    const nodes = this.nodes();
    if (this.#counted?.of !== nodes) {
      let count = 0;
      for (const { length } of nodes.values()) count += length;
      this.#counted = { of: nodes, count };
    }
    return this.#counted.count;
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

  /** Whether nothing new was said of other localities, and nobody there was young. */
  #isFarSame(): boolean {
    const version = this.#mesh.heldVersion;
    return version !== undefined && version === this.#heldVersion && !this.#isFarYoung;
  }

  /** Looks at this locality alone. */
  #lookHere(alive: Nodes, before: Nodes): Nodes {
    const { locality } = this.#mesh;
    const here = this.#find(locality, alive.get(locality) ?? []);
    this.#found.set(locality, here);
    if (before.get(locality) === here.nodes) return before;
    const nodes = new Map(before).set(locality, here.nodes);
    this.#known = { alive, nodes };
    return nodes;
  }

  /** Another locality that has said nothing new is as it was, but for those that were young. */
  #find(locality: string, all: readonly NodeId[]): Found {
    const before = this.#found.get(locality);
    const site = this.#mesh.sites(this.#id)?.get(locality);
    if (site !== undefined && before?.site?.held === site.held && before.all === all && !before.hasYoung) return before;
    const willing = all.filter((node) => this.#mayAct(node));
    const settled = willing.filter((node) => !this.#mesh.isYoung(node));
    const nodes = settled.length > 0 ? settled : willing.length > 0 ? willing : all;
    const isSame = before !== undefined && areEqual(before.nodes, nodes);
    return { all, site, hasYoung: settled.length < willing.length, nodes: isSame ? before.nodes : nodes };
  }

  /** A node that has said nothing yet is taken for one that may. */
  #mayAct(node: NodeId): boolean {
    if (node === this.#mesh.self) return this.#mesh.mayAct(this.#id);
    return this.#mesh.gauge(node, this.#id)?.mayAct !== false;
  }
}

function areEqual(one: readonly NodeId[], other: readonly NodeId[]): boolean {
  return one.length === other.length && one.every((node, index) => node === other[index]);
}
