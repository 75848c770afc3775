/**
 * What the JSON of a waiting room says about the place of the visitor who asked.
 */

export interface WaitingPlace {
  /** Whether the visitor waits; false when it is the visitor's turn. */
  readonly isWaiting: boolean;
  /** 1 for the next to come in; 0 without a place, or while places are drawn. */
  readonly position: number;
  /** Seconds until the next poll. */
  readonly refreshSeconds: number;
  /** The moment of the next poll in ms from now, where the gate names it. */
  readonly pollMs: number | undefined;
  /** Within which the visitor is to enter; 0 to do so at once. */
  readonly enterSeconds: number;
  /** Whether a place costs a proof of work that is still owed. */
  readonly owesProof: boolean;
}

/** Seconds between polls when the answer does not say. */
export const POLL_SECONDS = 1;

/** The place in `body`; undefined for what is not the JSON of a waiting room, such as a page. */
export function waitingPlace(body: string): WaitingPlace | undefined {
  if (!/^\s*\{/.test(body)) return undefined;
  try {
    const { cfWaitingRoom: room, anteroom: ours } = JSON.parse(body) as {
      readonly cfWaitingRoom?: {
        readonly inWaitingRoom?: boolean;
        readonly refreshIntervalSeconds?: number;
        readonly infiniteQueue?: boolean;
      };
      readonly anteroom?: { readonly position?: number; readonly enterSeconds?: number; readonly pollMs?: number };
    };
    if (typeof room !== "object" || room === null) return undefined;
    return {
      isWaiting: room.inWaitingRoom !== false,
      position: ours?.position ?? 0,
      refreshSeconds: room.refreshIntervalSeconds ?? POLL_SECONDS,
      pollMs: ours?.pollMs,
      enterSeconds: ours?.enterSeconds ?? 0,
      owesProof: room.infiniteQueue === true,
    };
  } catch {
    // Not JSON: the site's own text, or one that was cut.
    return undefined;
  }
}
