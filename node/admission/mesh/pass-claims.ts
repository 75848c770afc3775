/**
 * Which visitor uses a pass that is good for one at a time: one keeper for each pass, by rendezvous hashing.
 *
 * A gate claims a pass for its visitor before it lets that visitor join or enter, and claims it again while the place
 * or session lasts. So the keeper needs no disk: a new keeper learns what the one before knew. While a visitor has a
 * pass, nobody else gets it. Of two visitors who both have it the earlier wins, wherever and whenever their claims
 * meet. On two sides of a cut both are granted; once the keeper hears both, the later one is refused, and its gate
 * takes the place or the session away.
 *
 * A keeper that does not answer refuses nobody: limits do not depend on claims.
 */

import type { NodeId, RoomId } from "../../../mesh/core/ids.ts";
import { ranked } from "../../../mesh/core/members/ring.ts";
import { BatchesByNode } from "./batches.ts";
import type { ClaimData } from "./room-messages.ts";
import { everyNode, type RoomNode } from "./room-node.ts";

export interface Claim {
  /** Names the pass. */
  readonly pass: string;
  /** The visitor. */
  readonly id: string;
  /** When the visitor first used it, in Unix ms. */
  readonly atMs: number;
  /** Until when place or session last unless they are renewed; a time that has passed gives the claim up. */
  readonly untilMs: number;
  /** Whether the visitor has neither place nor session by this pass yet: then it takes nothing from another one. */
  readonly isFirst?: boolean;
}

type OnAnswer = (isGranted: boolean, nowMs: number) => void;

/** Longer, and visitors wait for a keeper that is gone; shorter, and a busy keeper grants what it would refuse. */
const ANSWER_MS = 1_500;
const CLAIMS_MAX = 500;
const UNDER_WAY_MAX = 4;
/** Claims that wait for a keeper; further visitors do not wait. */
const PENDING_MAX = 50_000;

/** Claims kept here for one room, about 100 MB. Beyond that, a pass may be used twice at a time. */
const KEPT_MAX = 500_000;

/** A claim may last a day at most, whatever another node says: a session lasts 31 minutes, a place about an hour. */
const CLAIM_MS_MAX = 86_400_000;

/** A granted claim is not asked for again for so long: each costs a hop, and a place is polled every few seconds. */
const GRANTED_MS = 20_000;
const GRANTED_MAX = 200_000;

/** Claims that are over are removed this often: it looks at each. */
const SWEEP_MS = 60_000;

export class PassClaims {
  readonly #room: RoomId;
  readonly #roomNode: RoomNode;
  readonly #kept = new Map<string, Omit<Claim, "pass">>();
  /** By visitor: the claim that was granted last, and until when it is not asked for again. */
  readonly #granted = new Map<string, { readonly claimedMs: number; readonly againMs: number }>();
  readonly #batches = new BatchesByNode<ClaimData, boolean>(
    { itemsMax: CLAIMS_MAX, underWayMax: UNDER_WAY_MAX },
    (keeper) => (claims, _sentMs, answered) =>
      this.#roomNode.ask(keeper, { kind: "claim", room: this.#room, claims }, ANSWER_MS, (answer, thenMs) =>
        answered(answer?.granted, thenMs),
      ),
  );
  #sweptMs = 0;

  constructor(room: RoomId, roomNode: RoomNode) {
    this.#room = room;
    this.#roomNode = roomNode;
  }

  /** Claims a pass, or renews or gives up a claim. `onAnswer` is called at once if the keeper is here. */
  ask(claim: Claim, nowMs: number, onAnswer: OnAnswer = () => {}): void {
    const isGivenUp = claim.untilMs <= nowMs;
    const granted = this.#granted.get(claim.id);
    if (granted?.claimedMs === claim.untilMs && nowMs < granted.againMs && !isGivenUp) {
      onAnswer(true, nowMs);
      return;
    }
    if (isGivenUp) this.#granted.delete(claim.id);
    const answered: OnAnswer = (isGranted, thenMs) => {
      if (isGranted && !isGivenUp) this.#note(claim, thenMs);
      onAnswer(isGranted, thenMs);
    };
    const { self } = this.#roomNode;
    const [keeper = self] = ranked(`${this.#room} pass ${claim.pass}`, everyNode(this.#roomNode.alive()));
    if (keeper === self) answered(this.#keep(claim, nowMs), nowMs);
    else this.#send(keeper, claim, nowMs, answered);
  }

  /** Claims of another gate, of which this node is the keeper; in their order, whether each is granted. */
  hear(claims: readonly ClaimData[], nowMs: number): boolean[] {
    return claims.map(([pass, id, atMs, untilMs, isFirst]) => this.#keep({ pass, id, atMs, untilMs, isFirst }, nowMs));
  }

  /** Removes claims that are over. */
  tick(nowMs: number): void {
    if (Math.abs(nowMs - this.#sweptMs) < SWEEP_MS) return;
    this.#sweptMs = nowMs;
    for (const [pass, { untilMs }] of this.#kept) if (untilMs <= nowMs) this.#kept.delete(pass);
    for (const [id, { againMs }] of this.#granted) if (againMs <= nowMs) this.#granted.delete(id);
  }

  #keep({ pass, id, atMs, untilMs, isFirst = false }: Claim, nowMs: number): boolean {
    const kept = this.#kept.get(pass);
    const isOther = kept !== undefined && kept.untilMs > nowMs && kept.id !== id;
    if (isOther && (isFirst || kept.atMs < atMs || (kept.atMs === atMs && kept.id < id))) return false;
    if (untilMs > nowMs) {
      if (kept !== undefined || this.#kept.size < KEPT_MAX)
        this.#kept.set(pass, { id, atMs, untilMs: Math.min(untilMs, nowMs + CLAIM_MS_MAX) });
    } else if (kept?.id === id) this.#kept.delete(pass);
    return true;
  }

  #send(keeper: NodeId, { pass, id, atMs, untilMs, isFirst = false }: Claim, nowMs: number, onAnswer: OnAnswer): void {
    const batches = this.#batches.to(keeper);
    if (batches.size >= PENDING_MAX) onAnswer(true, nowMs);
    else
      batches.push([pass, id, atMs, untilMs, isFirst], nowMs, (isGranted, thenMs) =>
        onAnswer(isGranted ?? true, thenMs),
      );
  }

  #note({ id, untilMs }: Claim, nowMs: number): void {
    if (this.#granted.size >= GRANTED_MAX) this.#granted.clear();
    this.#granted.set(id, { claimedMs: untilMs, againMs: nowMs + GRANTED_MS });
  }
}
