/**
 * When the mesh moves to a newer wire version: once every member has understood it for a while.
 *
 * What a node understands is in the hello of its process, so it is known of connected nodes only. A member that is
 * silent, or that runs an older release, holds the mesh at the version that it speaks. There is no way back: a view of
 * a newer version is never followed by one of an older version, and a node that does not understand the version of the
 * mesh is refused.
 */

import type { NodeId } from "../ids.ts";
import type { WireRange } from "../wire/wire-range.ts";

/**
 * How long all members must have understood a newer version, in ms. A release that fails soon after its start can be
 * rolled back within it. Doubled, the mesh speaks the old version for longer, which costs nothing.
 */
const AGREED_MS = 10_000;

export class WireAgreement {
  readonly #self: NodeId;
  readonly #own: WireRange;
  /** The newest version that each connected node understands. */
  readonly #newest = new Map<NodeId, number>();
  #agreed: { readonly wire: number; readonly sinceMs: number } | undefined;

  constructor(self: NodeId, own: WireRange) {
    this.#self = self;
    this.#own = own;
  }

  /**
   * A node is connected, and has said what it understands: at least what the mesh speaks, or it would have been
   * refused.
   */
  up(node: NodeId, understands: WireRange | undefined): void {
    if (understands === undefined) this.#newest.delete(node);
    else this.#newest.set(node, understands[1]);
  }

  down(node: NodeId): void {
    this.#newest.delete(node);
  }

  newestOf(node: NodeId): number | undefined {
    return node === this.#self ? this.#own[1] : this.#newest.get(node);
  }

  /** Whether a node understands version `wire`, in a mesh that speaks `spoken`. */
  does(node: NodeId, wire: number, spoken: number): boolean {
    return wire <= (this.newestOf(node) ?? spoken);
  }

  /**
   * The version that the next view may have, if that is newer than `spoken`: all `members` have understood it for a
   * while.
   */
  next(members: () => readonly NodeId[], spoken: number, steadyMs: number): number | undefined {
    let lowest = this.#own[1];
    if (lowest <= spoken) return undefined;
    for (const node of members()) if (node !== this.#self) lowest = Math.min(lowest, this.#newest.get(node) ?? spoken);
    if (lowest <= spoken) this.#agreed = undefined;
    else if (this.#agreed?.wire !== lowest) this.#agreed = { wire: lowest, sinceMs: steadyMs };
    else if (steadyMs - this.#agreed.sinceMs >= AGREED_MS) return lowest;
    return undefined;
  }
}
