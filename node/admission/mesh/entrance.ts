/**
 * How a visitor without an accepted cookie is admitted, or gets a place in line.
 *
 * New visitors are admitted on an own slot when the locality's line is known to be empty; otherwise the ticket counter
 * is asked, which is this node or a hop away. A visitor who was sent in may find that the slot was used meanwhile: then
 * the question is asked again, in the end for a place in line.
 */

import { type AccountId, accountOf, type Minute } from "../../../mesh/core/ids.ts";
import { tellAll } from "../../../mesh/core/wire/tell-all.ts";
import type { Decision, Place } from "../admission.ts";
import type { Pace } from "../pace/pace.ts";
import { KEYS_PER_MS } from "../queue-order.ts";
import { decidesAlone, isSpecial, orderIn } from "../room-config.ts";
import type { CheckIns } from "./check-ins.ts";
import type { LeftPlaces } from "./left-places.ts";
import type { PendingEntries } from "./pending-entries.ts";
import type { Answer, Asked } from "./room-messages.ts";
import type { RoomParts } from "./room-parts.ts";
import type { TicketClient } from "./ticket-client.ts";
import type { TicketCounter } from "./ticket-counter.ts";

/** A decision, with the account that holds the session. */
export type MeshDecision =
  | Exclude<Decision, { kind: "admitted" | "waiting" }>
  | Waits
  /**
   * `isKnown`: admitted before, by another request of the same visitor, whose answer may have reached them. If this one
   * cannot be stored, the session stays.
   */
  | { readonly kind: "admitted"; readonly lastGood: Minute; readonly home: AccountId; readonly isKnown?: true }
  | { readonly kind: "used" };

/** A visitor with a place in line. */
export interface Waits {
  readonly kind: "waiting";
  /** In the line that keeps it. */
  readonly place: Place;
  /** The locality of that line. */
  readonly line: string;
  /** The place among all visitors of the room; 0 while it is not known who came before in other localities. */
  readonly position: number;
}

export type OnDecision = (decision: MeshDecision, nowMs: number) => void;

/** Attempts for a visitor who was sent in but whose slot had not arrived. */
const TRIES_MAX = 3;

/**
 * By so long after a visitor joined, the other localities have said who came before: they do so twice a second. With
 * less, the first visitors of each locality are all told that they are next.
 */
const NEWS_MS = 2_000;

/** How a visitor comes. */
export interface Coming {
  /** Within which the visitor is to enter, if not at once: see `RoomSessions.admit`. */
  readonly trialSeconds?: number;
  /** The lane of the visitor's pass; 0 without one. */
  readonly lane?: number;
  /** The locality in whose line the visitor stands; this one if left out. */
  readonly line?: string | undefined;
}

/** A visitor for whom the ticket counter is being asked. */
interface Asking extends Required<Coming> {
  readonly id: string;
  readonly key: number;
  /** How often they were sent in and found no slot. */
  readonly tries: number;
  readonly how: Asked[2];
}

export interface EntranceParts extends RoomParts {
  readonly pace: Pace;
  readonly ticketClient: TicketClient;
  readonly ticketCounter: TicketCounter;
  readonly checkIns: CheckIns;
  readonly pending: PendingEntries;
  readonly left: LeftPlaces;
  /** A visitor was admitted here. */
  readonly admitted: () => void;
}

export class Entrance {
  readonly #parts: EntranceParts;
  /** By question and session id: those waiting for the ticket counter's answer. */
  readonly #asking = new Map<string, OnDecision[]>();

  constructor(parts: EntranceParts) {
    this.#parts = parts;
  }

  /** Whether a request that takes neither slot nor place may pass: while no visitor would have to wait. */
  isOpen(nowMs: number): boolean {
    const { config, admission, line, elsewhere } = this.#parts;
    if (config.room.queueAll || this.#isDecidedHere) return admission.isOpen(nowMs);
    return line.size < elsewhere.pairs(nowMs);
  }

  /** A visitor without an accepted cookie. */
  arrive(id: string, nowMs: number, onDecision: OnDecision, coming: Coming = {}): void {
    this.noteNew(nowMs);
    this.#enter(asking(id, 0, coming), nowMs, onDecision);
  }

  /** Counts a new visitor. */
  noteNew(nowMs: number): void {
    this.#parts.admission.countSeen(nowMs);
    this.#parts.pace.noteVisitor(nowMs);
  }

  /** A visitor with a place in line. */
  poll(id: string, key: number, nowMs: number, onDecision: OnDecision, coming: Coming = {}): void {
    const { roomNode, admission, counters, line } = this.#parts;
    const known = admission.sessions.knownAs(id, nowMs);
    if (known !== undefined) {
      onDecision(known.kind === "used" ? known : { ...known, home: accountOf(roomNode.self), isKnown: true }, nowMs);
      return;
    }
    const asksCounter = counters.isSelf || this.#isDecidedHere || !this.#isHere(coming.line);
    const standing = asksCounter ? undefined : line.standingOf(key, nowMs);
    if (standing === undefined) {
      this.#enter(asking(id, key, coming), nowMs, onDecision);
      return;
    }
    const place = admission.placeAt(standing, nowMs);
    line.notePoll(key, admission.pauseSeconds(place, nowMs), coming.lane ?? 0);
    onDecision(this.#waits(place, roomNode.locality, nowMs), nowMs);
  }

  #isHere(line: string | undefined): boolean {
    return line === undefined || line === this.#parts.roomNode.locality;
  }

  /** The answer to a visitor with a place in the line of a locality. */
  #waits(place: Place, line: string, nowMs: number): Waits {
    const { roomNode, config, elsewhere, line: keeper } = this.#parts;
    const { key, position } = place;
    const order = orderIn(config);
    const isAlone = roomNode.alive().size < 2 || this.#isDecidedHere;
    if (isAlone || order.isDrawing(key, nowMs)) return { kind: "waiting", place, line, position };
    if (nowMs - key / KEYS_PER_MS < NEWS_MS || elsewhere.isUntold) return { kind: "waiting", place, line, position: 0 };
    return {
      kind: "waiting",
      place,
      line,
      position: position + elsewhere.ahead(order.placeOf(key), line, keeper.places),
    };
  }

  /** Whether no ticket counter is asked. */
  get #isDecidedHere(): boolean {
    const { room } = this.#parts.config;
    return decidesAlone(room) || isSpecial(room);
  }

  #enter(visitor: Asking, nowMs: number, onDecision: OnDecision): void {
    const { roomNode, config, admission, pace, counters, line, ticketClient, ticketCounter } = this.#parts;
    const { id, key, how, lane } = visitor;
    if (this.#isDecidedHere) {
      const entry = admission.enter(key === 0 ? undefined : key, nowMs, admission.free(nowMs), { lane });
      if (entry.kind === "go") this.#admit(visitor, nowMs, onDecision);
      else if (entry.kind === "waiting") onDecision(this.#waits(entry.place, roomNode.locality, nowMs), nowMs);
      else onDecision(entry, nowMs);
      return;
    }
    if (key === 0 && how !== "place" && this.#maySkipCounter(nowMs)) {
      this.#admit(visitor, nowMs, onDecision);
      return;
    }
    // Two polls of one visitor at once are one question: two would take two slots, or leave a place that is never
    // polled for. Only the same question: a poll that has found the session lost, and asks as a new visitor, would
    // otherwise join the next poll, which has not found that yet, and so on for as long as the visitor polls.
    const question = `${how} ${id}`;
    const asking = this.#asking.get(question);
    if (asking !== undefined) {
      asking.push(onDecision);
      return;
    }
    // A gate that cannot admit them takes no slot for them; nor does one that holds the room, or has not opened a sale
    // yet, whatever the counter knows.
    const mayAdmit = roomNode.mayAct(this.#parts.id) && pace.holding?.perMinute !== 0 && !config.room.queueAll;
    const asked: Asked = [id, key, mayAdmit ? how : "place"];
    if (counters.isSelf) {
      // The line of a counter that is gone is known here: the first visitor must not find an empty one.
      line.standIn(nowMs);
      const answer = this.#isHere(visitor.line) ? ticketCounter.decideNow(asked, lane || undefined, nowMs) : undefined;
      if (answer?.kind === "go") {
        // Decided in this very turn: the slot is free still, and the visitor has no other.
        this.#admitSoon(visitor, nowMs, onDecision);
        return;
      }
      if (answer !== undefined) {
        this.#hearAnswer(visitor, answer, nowMs, onDecision);
        return;
      }
    }
    const waiters = [onDecision];
    this.#asking.set(question, waiters);
    const onAnswer = (answer: Answer | undefined, thenMs: number, line: string): void => {
      this.#asking.delete(question);
      if (!this.#isHere(visitor.line)) this.#noteLine(visitor, line);
      this.#hearAnswer({ ...visitor, line }, answer, thenMs, (decision, atMs) => {
        tellAll(waiters, (tell) => tell(decision, atMs));
      });
    };
    ticketClient.ask(asked, nowMs, onAnswer, visitor);
  }

  /** A visitor of another locality's line is in `line` now: that one, or this locality's if none there answered. */
  #noteLine({ key, line: before = "" }: Asking, line: string): void {
    const { left } = this.#parts;
    if (line === before) left.cameBack(before, key);
    else left.note(before, key, "moved");
  }

  /** New visitors do not overtake a line that this gate has heard of, or may have missed. */
  #maySkipCounter(nowMs: number): boolean {
    const { config, slots, counters, line, elsewhere } = this.#parts;
    if (counters.isSelf || config.room.queueAll) return false;
    if (line.heardSize > 0 || !line.isFresh(nowMs)) return false;
    if (!this.#mayHoldMore(nowMs)) return false;
    return slots.pairs(nowMs) > 0 && !elsewhere.isLineElsewhere() && !elsewhere.hasRivals(nowMs);
  }

  #hearAnswer(visitor: Asking, answer: Answer | undefined, nowMs: number, onDecision: OnDecision): void {
    const { roomNode, admission } = this.#parts;
    const { id } = visitor;
    if (answer === undefined) onDecision({ kind: "full" }, nowMs);
    else if (answer.kind === "inside" && answer.home !== accountOf(roomNode.self))
      this.#insideElsewhere(visitor, answer.home, nowMs, onDecision);
    else if (answer.kind === "go" || answer.kind === "inside") {
      const known = admission.sessions.knownAs(id, nowMs);
      if (known !== undefined) this.#admit(visitor, nowMs, onDecision);
      else if (admission.free(nowMs) > 0) this.#admitSoon(visitor, nowMs, onDecision);
      // The slot was used meanwhile, or has not arrived: asks again, in the end for a place in line.
      else this.#again(visitor, visitor.how, nowMs, onDecision);
    } else if (answer.kind === "waiting") {
      const { key, position } = answer;
      // The ticket counter knows best what it has free, and when it expects the next poll.
      const place =
        answer.wait === undefined
          ? admission.placeAt({ key, rank: position }, nowMs)
          : { key, rank: position, position, wait: answer.wait ?? undefined };
      onDecision(this.#waits(place, visitor.line ?? roomNode.locality, nowMs), nowMs);
    } else onDecision(answer, nowMs);
  }

  /**
   * Admitted at another gate, by another poll under way: the same session. Or sent there, and lost with that gate: then
   * a new visitor, because a session that no node admitted has no claim to a slot.
   */
  #insideElsewhere(visitor: Asking, home: AccountId, nowMs: number, onDecision: OnDecision): void {
    const { id } = visitor;
    const lastGood = this.#parts.admission.minuteAt(nowMs);
    this.#parts.checkIns.askKnown({ id, home, lastGood }, nowMs, (known, thenMs) => {
      if (known === "used") onDecision({ kind: "used" }, thenMs);
      else if (known !== undefined) onDecision({ kind: "admitted", lastGood: known, home, isKnown: true }, thenMs);
      else this.#again(visitor, "as-new", thenMs, onDecision);
    });
  }

  /** Asks once more; in the end for a place in line, which is always available unless the line is full. */
  #again(visitor: Asking, how: Asked[2], nowMs: number, onDecision: OnDecision): void {
    const tries = visitor.tries + 1;
    if (visitor.how === "place" || !this.#parts.roomNode.mayAct(this.#parts.id)) onDecision({ kind: "full" }, nowMs);
    else this.#enter({ ...visitor, tries, how: tries < TRIES_MAX ? how : "place" }, nowMs, onDecision);
  }

  /** Whether the next visitor with a free slot need not wait for a higher ceiling. */
  #mayHoldMore(nowMs: number): boolean {
    const { admission } = this.#parts;
    return admission.pending === 0 && admission.sessions.mayHoldMore(nowMs);
  }

  /** Admits a visitor on a free slot, at once or as soon as one more session may be held here. */
  #admitSoon(visitor: Asking, nowMs: number, onDecision: OnDecision): void {
    const { roomNode, admission, pending } = this.#parts;
    if (this.#mayHoldMore(nowMs)) {
      this.#admit(visitor, nowMs, onDecision);
      return;
    }
    const { id, how } = visitor;
    const admit = (atMs: number, isFree: boolean): void => {
      if (isFree || admission.sessions.knownAs(id, atMs) !== undefined) this.#admit(visitor, atMs, onDecision);
      else this.#again(visitor, how, atMs, onDecision);
    };
    const giveUp = (atMs: number): void => this.#again({ ...visitor, tries: TRIES_MAX }, how, atMs, onDecision);
    pending.add({ admit, giveUp }, nowMs);
    if (pending.size > 0) roomNode.touched(this.#parts.id);
  }

  #admit({ id, trialSeconds }: Asking, nowMs: number, onDecision: OnDecision): void {
    const { roomNode, admission, admitted } = this.#parts;
    const known = admission.sessions.knownAs(id, nowMs);
    if (known?.kind === "used") {
      onDecision(known, nowMs);
      return;
    }
    const { lastGood } = known ?? admission.sessions.admit(id, nowMs, trialSeconds);
    admitted();
    const home = accountOf(roomNode.self);
    onDecision({ kind: "admitted", lastGood, home, ...(known && { isKnown: true }) }, nowMs);
  }
}

/** The first question for a visitor. Left out, a visitor comes without a pass, and enters at once. */
function asking(id: string, key: number, { trialSeconds = 0, lane = 0, line }: Coming): Asking {
  return { id, key, tries: 0, how: "first", trialSeconds, lane, line };
}
