/**
 * Asks the ticket counter for this gate's visitors: all who come while a question is under way go with the next one.
 *
 * When a counter does not answer, its stand-ins are asked, and in the end this node's own ticket counter. Any node can
 * give away only what it owns, so asking twice costs at worst a slot that is at the wrong node for a second.
 */

import type { NodeId } from "../../../mesh/core/ids.ts";
import { DECISION_SECONDS, DurationHistogram } from "../duration-histogram.ts";
import { Batches } from "./batches.ts";
import { NOTHING } from "./own-slots.ts";
import type { Answer, Asked } from "./room-messages.ts";
import type { RoomParts } from "./room-parts.ts";
import type { TicketCounter } from "./ticket-counter.ts";

/**
 * How long a counter may take to answer: it may fetch slots meanwhile (ticket-counter.ts), and with less a busy one
 * would be skipped.
 */
const ANSWER_MS = 1_500;

/**
 * Nodes of another locality that are asked before its visitors stand in the line of this one. With one, a counter that
 * restarts moves its line; more make visitors wait for longer.
 */
const FAR_TRIES_MAX = 2;

/** Questions under way at once. One would make every visitor wait behind those for whom slots are being fetched. */
const UNDER_WAY_MAX = 4;

/** Visitors in one question; keeps a frame far below its limit. */
const ASKED_MAX = 500;

/** Visitors waiting for an answer. At 20,000 a second and 400 ms there are 8,000. */
const PENDING_MAX = 50_000;

/** A visitor, and the lane of the visitor's pass. */
interface AskedIn {
  readonly asked: Asked;
  readonly lane: number;
}

type OnAnswer = (answer: Answer | undefined, nowMs: number, line: string) => void;

interface AskedFor {
  /** Of the visitor's pass; none if left out. */
  readonly lane?: number;
  /** The locality in whose line the visitor stands; this one if left out. */
  readonly line?: string | undefined;
}

/** What a question of several visitors is answered with: by the ticket counter of which locality. */
interface Answered {
  readonly answer: Answer;
  readonly line: string;
}

/** Visitors in one question, and where their answers go. */
interface Round {
  /** The locality in whose line they stand. */
  readonly line: string;
  readonly asked: readonly AskedIn[];
  /** Whether this node's free slots may be counted on. */
  readonly offers: () => boolean;
  readonly answered: (answers: readonly Answered[] | undefined, nowMs: number) => void;
}

export interface TicketClientParts extends Pick<RoomParts, "id" | "roomNode" | "slots" | "counters"> {
  readonly ticketCounter: TicketCounter;
}

export class TicketClient {
  readonly #parts: TicketClientParts;
  /** How long counters at other nodes took to answer: in this locality, and in others (WR-17). */
  readonly times = { near: new DurationHistogram(DECISION_SECONDS), far: new DurationHistogram(DECISION_SECONDS) };
  /** By the locality whose ticket counter is asked. */
  readonly #batches = new Map<string, Batches<AskedIn, Answered>>();

  constructor(parts: TicketClientParts) {
    this.#parts = parts;
  }

  /**
   * Asks for one visitor: the ticket counter of the line in which the visitor stands, or that of this locality if none
   * there answers. `onAnswer` hears which one it was, and undefined when too many are waiting already.
   */
  ask(asked: Asked, nowMs: number, onAnswer: OnAnswer, { lane = 0, line }: AskedFor = {}): void {
    const { roomNode } = this.#parts;
    const keeper = line !== undefined && roomNode.alive().has(line) ? line : roomNode.locality;
    const batches = this.#batches.getOrInsertComputed(keeper, () => this.#newBatches(keeper));
    if (batches.size >= PENDING_MAX) onAnswer(undefined, nowMs, keeper);
    else
      batches.push({ asked, lane }, nowMs, (answered, thenMs) =>
        onAnswer(answered?.answer, thenMs, answered?.line ?? keeper),
      );
  }

  #newBatches(line: string): Batches<AskedIn, Answered> {
    const { counters, roomNode } = this.#parts;
    const isHere = line === roomNode.locality;
    const offers = (): boolean => isHere && batches.underWay === 1;
    const batches = new Batches<AskedIn, Answered>(
      { itemsMax: ASKED_MAX, underWayMax: UNDER_WAY_MAX },
      (asked, nowMs, answered) => {
        const nodes = isHere ? counters.here() : counters.in(line).slice(0, FAR_TRIES_MAX);
        this.#try({ line, asked, offers, answered }, nodes, nowMs);
      },
    );
    return batches;
  }

  #try(round: Round, counters: readonly NodeId[], nowMs: number): void {
    const { roomNode, slots, ticketCounter, id } = this.#parts;
    const { locality, self } = roomNode;
    const { asked, line } = round;
    const [counter = self, ...standIns] = counters;
    if (counters.length === 0 && line !== locality) {
      this.#try({ ...round, line: locality }, this.#parts.counters.here(), nowMs);
      return;
    }
    const answered = (answers: readonly Answer[], thenMs: number): void =>
      round.answered(
        answers.map((answer) => ({ answer, line })),
        thenMs,
      );
    const visitors = asked.map((each) => each.asked);
    const lanes = asked.some(({ lane }) => lane > 0) ? asked.map(({ lane }) => lane) : undefined;
    if (counter === self) {
      // It knows what is free here.
      const request = { asked: visitors, lanes, from: self, free: NOTHING, units: NOTHING };
      ticketCounter.ask(request, nowMs, ({ answers }, thenMs) => answered(answers, thenMs));
      return;
    }
    // What is free here is offered once, and here: of several questions under way only the first may count on it.
    const free = round.offers() ? slots.usable(nowMs) : NOTHING;
    const units = slots.units(nowMs);
    const question = { kind: "ask", room: id, asked: visitors, ...(lanes && { lanes }), free, units } as const;
    roomNode.ask(counter, question, ANSWER_MS, (reply, thenMs) => {
      if (reply === undefined || reply.answers.length !== asked.length) {
        this.#try(round, standIns, thenMs);
        return;
      }
      this.times[line === locality ? "near" : "far"].observe(thenMs - nowMs);
      if (reply.row !== undefined) roomNode.receive(counter, reply.row);
      answered(reply.answers, thenMs);
    });
  }
}
