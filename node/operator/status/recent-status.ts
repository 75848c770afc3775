/**
 * A node's status for those who may read one that is up to a second old, such as the dashboard.
 *
 * With 1,000 rooms a status takes some 20 ms. A node makes one each second for its notices, and others share it. One
 * that was made before a change of rooms is not used again, so that nobody misses a change that was answered.
 */

import type { NodeStatus } from "./status.ts";

/** Doubled, a dashboard shows a line that is two seconds old. Halved, a busy one costs twice as much. */
const SHARED_MS = 1_000;

export interface StatusParts {
  readonly read: () => NodeStatus;
  /** Rises with each change of rooms that this node makes or hears. */
  readonly changes: () => number;
  /** Milliseconds that only grow. */
  readonly steadyMs: () => number;
}

export class RecentStatus {
  readonly #parts: StatusParts;
  #last: { readonly status: NodeStatus; readonly changes: number; readonly steadyMs: number } | undefined;

  constructor(parts: StatusParts) {
    this.#parts = parts;
  }

  /** The status as of now. */
  now(): NodeStatus {
    const { read, changes, steadyMs } = this.#parts;
    this.#last = { status: read(), changes: changes(), steadyMs: steadyMs() };
    return this.#last.status;
  }

  /** The last status, if it is recent and no room has changed since; otherwise that of now. */
  recent(): NodeStatus {
    const { changes, steadyMs } = this.#parts;
    const last = this.#last;
    const isRecent = last !== undefined && steadyMs() - last.steadyMs < SHARED_MS && changes() === last.changes;
    return isRecent ? last.status : this.now();
  }
}
