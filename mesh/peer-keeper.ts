/**
 * When to dial which peer: every wanted peer that is not connected, again and again, for ever.
 *
 * libp2p itself gives up on a lost peer after half a minute, and a mesh that does so stays cut after the network has
 * healed. Here an attempt follows the last one after half a second, then a second, then two. A peer that refuses us, or
 * that we refuse, is tried once a minute, because only an operator can change that. Time, chance and dialling come from
 * outside.
 */

/** How an attempt ended: connected and accepted by both sides, no connection, or a connection with a refusal. */
export type DialOutcome = "up" | "failed" | "refused";

export interface Pace {
  readonly firstMs: number;
  readonly mostMs: number;
  readonly refusedMs: number;
}

/**
 * A healed cut is noticed within `mostMs`, or somewhat later with more than 40 lost peers, as 20 are dialled a second.
 * Doubled, it takes longer to heal than any other part of the mesh.
 */
export const PACE: Pace = { firstMs: 500, mostMs: 2_000, refusedMs: 60_000 };

/**
 * Handshakes under way at once, and attempts begun at one tick. Each takes tens of ms of CPU at both ends: where many
 * nodes start on a few cores, more at once would all be too late, and begin again. An attempt that waits for a host
 * that does not answer costs nothing, and does not count.
 */
const HANDSHAKES_MAX = 4;

interface Target {
  state: "due" | "dialling" | "connected";
  dueMs: number;
  failures: number;
}

export interface KeeperParts<Key> {
  readonly clock: () => number;
  readonly random: () => number;
  /** `connected`: there is a TCP connection, and the handshake begins. */
  readonly dial: (key: Key, connected: () => void) => Promise<DialOutcome>;
  readonly pace?: Pace;
}

export class PeerKeeper<Key> {
  readonly #parts: KeeperParts<Key>;
  readonly #pace: Pace;
  readonly #targets = new Map<Key, Target>();
  #handshakes = 0;

  constructor(parts: KeeperParts<Key>) {
    this.#parts = parts;
    this.#pace = parts.pace ?? PACE;
  }

  /** Dials `key` from the next tick on, or from `afterMs` on. */
  want(key: Key, afterMs = 0): void {
    if (this.#targets.has(key)) return;
    this.#targets.set(key, { state: "due", dueMs: this.#parts.clock() + afterMs, failures: 0 });
  }

  /** Stops dialling it. */
  drop(key: Key): void {
    this.#targets.delete(key);
  }

  /** There is a connection, from either side: nothing to do until it is `lost`. */
  connected(key: Key): void {
    const target = this.#targets.get(key);
    if (target !== undefined) Object.assign(target, { state: "connected", failures: 0 });
  }

  /** The connection is gone; dials after `afterMs`, unless it was refused meanwhile. */
  lost(key: Key, afterMs = 0): void {
    const target = this.#targets.get(key);
    if (target?.state === "connected") this.#wait(key, target, afterMs);
  }

  /** Dials slowly until there is a connection. */
  refused(key: Key): void {
    this.#wait(key, this.#targets.get(key), this.#about(this.#pace.refusedMs));
  }

  /** Dials peers that are due, those first that have been for longest. Call it some times a second. */
  tick(): void {
    const nowMs = this.#parts.clock();
    const due = [...this.#targets].filter(([, { state, dueMs }]) => state === "due" && dueMs <= nowMs);
    due.sort(([, one], [, other]) => one.dueMs - other.dueMs);
    for (const [key, target] of due.slice(0, Math.max(0, HANDSHAKES_MAX - this.#handshakes))) this.#dial(key, target);
  }

  #dial(key: Key, target: Target): void {
    target.state = "dialling";
    let handshakes = 0;
    const connected = () => {
      handshakes += 1;
      this.#handshakes += 1;
    };
    const settle = (outcome: DialOutcome) => {
      this.#handshakes -= handshakes;
      if (target.state !== "dialling") return;
      if (outcome === "refused") this.#wait(key, target, this.#about(this.#pace.refusedMs));
      else this.#wait(key, target, this.#about(Math.min(this.#pace.firstMs * 2 ** target.failures, this.#pace.mostMs)));
      target.failures += 1;
    };
    // A dial that throws has failed; the dial itself reports why.
    this.#parts.dial(key, connected).then(settle, () => settle("failed"));
  }

  #wait(key: Key, target: Target | undefined, ms: number): void {
    if (target === undefined || this.#targets.get(key) !== target) return;
    target.state = "due";
    target.dueMs = this.#parts.clock() + ms;
  }

  /** `ms`, a quarter more or less, so that two nodes that lost each other do not keep dialling in step. */
  #about(ms: number): number {
    return ms * (0.75 + this.#parts.random() / 2);
  }
}
