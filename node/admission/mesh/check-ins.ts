/**
 * Check-ins of sessions whose home is another node: asked for together, acknowledged by the home, otherwise by its
 * stand-in.
 *
 * No cookie says more than what was acknowledged. If the home is gone, or answers "not mine", the stand-in of the
 * session, the same for all gates, adopts it if it has a free slot; so it is adopted once however many gates it
 * touches. If it has none in the last minute of the session, one that has reported a free slot is asked. While none of
 * them can, the visitor keeps the old cookie, whose slot the home still holds; a home that is merely silent gets time
 * to come back.
 */

import { type AccountId, accountOf, type Minute, type NodeId, type RoomId } from "../../../mesh/core/ids.ts";
import { ranked } from "../../../mesh/core/members/ring.ts";
import { tellAll } from "../../../mesh/core/wire/tell-all.ts";
import { BatchesByNode } from "./batches.ts";
import type { CheckedData, CheckInData, CheckInMode } from "./room-messages.ts";
import { everyNode, type RoomNode } from "./room-node.ts";

export interface Session {
  readonly id: string;
  readonly home: AccountId;
  /** What its cookie says. */
  readonly lastGood: Minute;
}

/**
 * What a check-in came to. `unchanged`: no node could tell; its cookie is good for as long as it was. `unsure`: no
 * node could tell, and this node has been cut off for so long that the session may have ended elsewhere: it must not be
 * served here now, and its cookie stays.
 */
export type CheckInOutcome =
  | { readonly kind: "acknowledged"; readonly home: AccountId; readonly lastGood: Minute }
  | { readonly kind: "revoked" }
  | { readonly kind: "unchanged" }
  | { readonly kind: "unsure" };

type OnAnswer = (outcome: CheckInOutcome, nowMs: number) => void;

type Then = (checked: CheckedData | undefined, nowMs: number) => void;

/** How long a home may take to answer before it counts as silent. */
const ANSWER_MS = 1_500;
const SESSIONS_MAX = 500;
const UNDER_WAY_MAX = 4;
/**
 * A session that was not extended beyond this minute is asked for again after this long, whatever its requests; each
 * costs a hop.
 */
const AGAIN_MS = 1_000;
/** Remembered sessions with their outcome of this minute. */
const KNOWN_MAX = 200_000;

interface Known {
  readonly outcome: CheckInOutcome;
  readonly minute: Minute;
  readonly untilMs: number;
}

export interface CheckInParts {
  readonly id: RoomId;
  readonly roomNode: RoomNode;
  readonly sessionDuration: () => number;
  /** The same for sessions of this node's own accounts, or adopted here. */
  readonly here: (session: Session, mode: CheckInMode, nowMs: number) => CheckedData;
  /** Free slots for sessions at this node. */
  readonly free: (nowMs: number) => number;
  /** A new term for a session of this node's own accounts. */
  readonly extendHere: (session: Session, minutes: number, nowMs: number) => CheckedData;
}

export class CheckIns {
  readonly #parts: CheckInParts;
  /** By session id: those that are asking now. */
  readonly #asking = new Map<string, OnAnswer[]>();
  readonly #known = new Map<string, Known>();
  readonly #batches = new BatchesByNode<CheckInData, CheckedData>(
    { itemsMax: SESSIONS_MAX, underWayMax: UNDER_WAY_MAX },
    (to) => (sessions, _sentMs, answered) => this.#sendBatch(to, sessions, answered),
  );

  constructor(parts: CheckInParts) {
    this.#parts = parts;
  }

  /**
   * Tries to extend `session` in `minute`. `onAnswer` is called at once if its home is here, or if the answer is known.
   */
  ask(session: Session, { minute, nowMs }: { minute: Minute; nowMs: number }, onAnswer: OnAnswer): void {
    const known = this.#known.get(session.id);
    if (known !== undefined && known.minute === minute && nowMs < known.untilMs) {
      onAnswer(known.outcome, nowMs);
      return;
    }
    const asking = this.#asking.get(session.id);
    if (asking !== undefined) {
      asking.push(onAnswer);
      return;
    }
    const waiters = [onAnswer];
    this.#asking.set(session.id, waiters);
    const done: OnAnswer = (answer, thenMs) => {
      this.#asking.delete(session.id);
      const isUnsure = answer.kind === "unchanged" && session.lastGood > this.#parts.roomNode.believedTo;
      const outcome: CheckInOutcome = isUnsure ? { kind: "unsure" } : answer;
      if (!this.#isHere(session)) this.#note(session.id, { outcome, minute, nowMs: thenMs });
      tellAll(waiters, (tell) => tell(outcome, thenMs));
    };
    let isAsked = false;
    try {
      this.#askHome(session, { minute, nowMs }, done);
      isAsked = true;
    } finally {
      // No node will answer: the next request of the session must ask again.
      if (!isAsked) this.#asking.delete(session.id);
    }
  }

  /**
   * Until when a session is good, or `used` if it is over, which `home` may have admitted for another gate's request;
   * undefined if it does not know the session.
   */
  askKnown(
    session: Session,
    nowMs: number,
    onAnswer: (lastGood: Minute | "used" | undefined, nowMs: number) => void,
  ): void {
    const { roomNode, here } = this.#parts;
    const home = roomNode.writerOf(session.home);
    const tell = (checked: CheckedData | undefined, thenMs: number): void =>
      onAnswer(typeof checked === "number" || checked === "used" ? checked : undefined, thenMs);
    if (home === roomNode.self) tell(here(session, "known", nowMs), nowMs);
    else if (home === undefined || !roomNode.isAlive(home)) tell(undefined, nowMs);
    else this.#send(home, { session, mode: "known" }, nowMs, tell);
  }

  /** The origin gives a session a new term: only its home can, and nobody adopts it for that. */
  extend(session: Session, { minutes, nowMs }: { minutes: number; nowMs: number }, onAnswer: OnAnswer): void {
    const { roomNode, id: room, extendHere } = this.#parts;
    const home = roomNode.writerOf(session.home);
    if (home === roomNode.self) {
      onAnswer(outcomeOf(extendHere(session, minutes, nowMs), session.home), nowMs);
      return;
    }
    if (home === undefined || !roomNode.isAlive(home)) {
      onAnswer({ kind: "unchanged" }, nowMs);
      return;
    }
    const { id, lastGood } = session;
    const question = { kind: "extend", room, id, home: session.home, lastGood, minutes } as const;
    roomNode.ask(home, question, ANSWER_MS, (answer, thenMs) =>
      onAnswer(outcomeOf(answer?.checked[0] ?? "later", session.home), thenMs),
    );
  }

  #askHome(session: Session, { minute, nowMs }: { minute: Minute; nowMs: number }, onAnswer: OnAnswer): void {
    const { roomNode, here } = this.#parts;
    const home = roomNode.writerOf(session.home);
    if (home === roomNode.self) {
      const checked = here(session, "home", nowMs);
      if (!mayHelp(checked, session, minute)) onAnswer(outcomeOf(checked, session.home), nowMs);
      else this.#askStandIn(session, { minute, nowMs }, onAnswer);
      return;
    }
    if (home === undefined || !roomNode.isAlive(home)) {
      this.#homeIsSilent(session, { minute, nowMs }, onAnswer);
      return;
    }
    this.#send(home, { session, mode: "home" }, nowMs, (checked, thenMs) => {
      if (checked === undefined) this.#homeIsSilent(session, { minute, nowMs: thenMs }, onAnswer);
      else if (mayHelp(checked, session, minute)) this.#askStandIn(session, { minute, nowMs: thenMs }, onAnswer);
      else onAnswer(outcomeOf(checked, session.home), thenMs);
    });
  }

  /**
   * A silent home may only be restarting: its sessions are adopted, on other slots, when half of their time is over.
   */
  #homeIsSilent(session: Session, { minute, nowMs }: { minute: Minute; nowMs: number }, onAnswer: OnAnswer): void {
    const half = Math.ceil(this.#parts.sessionDuration() / 2);
    if (session.lastGood - minute > half) onAnswer({ kind: "unchanged" }, nowMs);
    else this.#askStandIn(session, { minute, nowMs }, onAnswer);
  }

  #askStandIn(session: Session, { minute, nowMs }: { minute: Minute; nowMs: number }, onAnswer: OnAnswer): void {
    const { roomNode, id } = this.#parts;
    const home = roomNode.writerOf(session.home);
    const others = everyNode(roomNode.alive()).filter((node) => node !== home || node === roomNode.self);
    const [standIn = roomNode.self, ...next] = ranked(`${id} ${session.id}`, others);
    this.#askToAdopt(standIn, session, nowMs, (checked, thenMs) => {
      // Without an answer it may have been adopted all the same.
      const isAsked = checked !== undefined && session.lastGood <= minute && mayHelp(checked, session, minute);
      const other = isAsked ? next.find((node) => this.#hasSlot(node, thenMs)) : undefined;
      if (other === undefined) onAnswer(outcomeOf(checked ?? "later", accountOf(standIn)), thenMs);
      else
        this.#askToAdopt(other, session, thenMs, (answer, atMs) =>
          onAnswer(outcomeOf(answer ?? "later", accountOf(other)), atMs),
        );
    });
  }

  #askToAdopt(node: NodeId, session: Session, nowMs: number, then: Then): void {
    const { roomNode, here } = this.#parts;
    if (node === roomNode.self) then(here(session, "adopt", nowMs), nowMs);
    else this.#send(node, { session, mode: "adopt" }, nowMs, then);
  }

  /** Whether a node has a free slot for a session, as it last reported. */
  #hasSlot(node: NodeId, nowMs: number): boolean {
    const { roomNode, free, id } = this.#parts;
    if (node === roomNode.self) return free(nowMs) > 0;
    const gauge = roomNode.gauge(node, id);
    return gauge?.mayAct === true && gauge.active > 0;
  }

  #send(to: NodeId, { session, mode }: { session: Session; mode: CheckInMode }, nowMs: number, then: Then): void {
    const { id, home, lastGood } = session;
    this.#batches.to(to).push([id, home, lastGood, mode], nowMs, then);
  }

  #sendBatch(
    to: NodeId,
    sessions: readonly CheckInData[],
    answered: (checked: readonly CheckedData[] | undefined, nowMs: number) => void,
  ): void {
    const { roomNode, id } = this.#parts;
    roomNode.ask(to, { kind: "check-in", room: id, sessions }, ANSWER_MS, (answer, thenMs) =>
      answered(answer?.checked, thenMs),
    );
  }

  #isHere({ home }: Session): boolean {
    return this.#parts.roomNode.writerOf(home) === this.#parts.roomNode.self;
  }

  #note(id: string, { outcome, minute, nowMs }: { outcome: CheckInOutcome; minute: Minute; nowMs: number }): void {
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    const isFinal = outcome.kind === "revoked" || (outcome.kind === "acknowledged" && outcome.lastGood > minute);
    const untilMs = isFinal ? Number.POSITIVE_INFINITY : nowMs + AGAIN_MS;
    this.#known.set(id, { outcome, minute, untilMs });
  }
}

/**
 * Whether another node is asked after this answer: the session is not known there, or it would be over before that node
 * can tell.
 */
function mayHelp(checked: CheckedData, { lastGood }: Session, minute: Minute): boolean {
  return checked === "not-mine" || (checked === "later" && lastGood <= minute);
}

function outcomeOf(checked: CheckedData, home: AccountId): CheckInOutcome {
  if (typeof checked === "number") return { kind: "acknowledged", home, lastGood: checked };
  if (typeof checked === "object") return { kind: "acknowledged", home: checked[1], lastGood: checked[0] };
  if (checked === "revoked") return { kind: "revoked" };
  return { kind: "unchanged" };
}
