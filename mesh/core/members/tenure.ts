/**
 * Whether this identity is over, and which run of each other node is the newest.
 *
 * Each start of a node has a higher incarnation. A message of an earlier run is ignored, and a node that hears of a
 * later run of its own identity stops. The rest of the node learns of the end once.
 */

import type { NodeId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import type { KnownRuns } from "./known-runs.ts";
import { LINGER_MS } from "./leaver.ts";
import type { StopReason } from "./members-app.ts";
import type { ViewBook } from "./view-book.ts";

/** Nodes whose newest run is remembered. */
const KNOWN_MAX = 2_000;

export interface TenureParts {
  readonly self: NodeId;
  readonly incarnation: number;
  readonly book: ViewBook;
  readonly runs: KnownRuns;
  /** Ends all that only a member does. */
  readonly ended: () => void;
}

export class Tenure {
  readonly #parts: TenureParts;
  #over: StopReason | undefined;
  /** When the first tick found it over. */
  #overMs: number | undefined;
  #isTold = false;
  readonly #incarnations = new Map<NodeId, number>();

  constructor(parts: TenureParts) {
    this.#parts = parts;
  }

  /** Why this identity is over; undefined while it is not. */
  get over(): StopReason | undefined {
    return this.#over;
  }

  stop(reason: StopReason): void {
    if (this.#over !== undefined) return;
    this.#over = reason;
    this.#parts.ended();
  }

  /** After a restart: an earlier process has reported the end. */
  restored(): void {
    if (this.#over !== undefined) this.#overMs = Number.NEGATIVE_INFINITY;
  }

  /** Whether to report the end now; true once. A node that has left lingers first, to refuse late offers. */
  isToBeTold({ steadyMs }: Instant): boolean {
    this.#overMs ??= steadyMs;
    const lingersMs = this.#over === "left" ? LINGER_MS : 0;
    if (this.#isTold || steadyMs - this.#overMs < lingersMs) return false;
    this.#isTold = true;
    return true;
  }

  /** A node knows of a process of this identity that started at `newest`: if that is later, this one stops. */
  outrun(newest: number): void {
    if (newest > this.#parts.incarnation) this.stop("newer-incarnation");
  }

  /** Records the incarnation of a node; false if it is older than a known one. */
  isCurrent(node: NodeId, incarnation: number): boolean {
    const { self, book, runs } = this.#parts;
    if (node === self) {
      this.outrun(incarnation);
      return true;
    }
    const known = this.#incarnations.get(node) ?? 0;
    if (incarnation < known) return false;
    if (this.#incarnations.has(node) || this.#incarnations.size < KNOWN_MAX) this.#incarnations.set(node, incarnation);
    if (book.nodes.has(node)) runs.note(node, incarnation);
    return true;
  }

  /** The newest run of another node; undefined of one that was not heard. */
  incarnationOf(node: NodeId): number | undefined {
    return this.#incarnations.get(node);
  }

  /** Forgets nodes. */
  keepOnly(isKnown: (node: NodeId) => boolean): void {
    for (const node of this.#incarnations.keys()) if (!isKnown(node)) this.#incarnations.delete(node);
  }
}
