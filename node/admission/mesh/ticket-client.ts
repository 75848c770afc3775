/**
 * Asks the ticket counter for this gate's visitors: all who come while a question is under way go with the next one.
 *
 * When a counter does not answer, its stand-ins are asked, and in the end this node's own ticket counter. Any node can
 * give away only what it owns, so asking twice costs at worst a slot that is at the wrong node for a second.
 */

import type { NodeId, RoomId } from "../../../mesh/core/ids.ts";
import { Batches } from "./batches.ts";
import type { Counters } from "./counters.ts";
import { NOTHING, type OwnSlots } from "./own-slots.ts";
import type { Answer, Asked } from "./room-messages.ts";
import type { RoomNode } from "./room-node.ts";
import type { TicketCounter } from "./ticket-counter.ts";

/**
 * How long a counter may take to answer: it may fetch slots meanwhile (ticket-counter.ts), and with less a busy one
 * would be skipped.
 */
const ANSWER_MS = 1_500;

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

/** Visitors in one question, and where their answers go. */
interface Round {
  readonly asked: readonly AskedIn[];
  readonly answered: (answers: readonly Answer[] | undefined, nowMs: number) => void;
}

export interface TicketClientParts {
  readonly id: RoomId;
  readonly roomNode: RoomNode;
  readonly slots: OwnSlots;
  readonly ticketCounter: TicketCounter;
  readonly counters: Counters;
}

export class TicketClient {
  readonly #parts: TicketClientParts;
  readonly #batches = new Batches<AskedIn, Answer>(
    { itemsMax: ASKED_MAX, underWayMax: UNDER_WAY_MAX },
    (asked, nowMs, answered) => this.#try({ asked, answered }, this.#parts.counters.here(), nowMs),
  );

  constructor(parts: TicketClientParts) {
    this.#parts = parts;
  }

  /**
   * Asks for one visitor; `onAnswer` with undefined when too many are waiting already. `lane`: of the visitor's pass.
   */
  ask(asked: Asked, nowMs: number, onAnswer: (answer: Answer | undefined, nowMs: number) => void, lane = 0): void {
    if (this.#batches.size < PENDING_MAX) this.#batches.push({ asked, lane }, nowMs, onAnswer);
    else onAnswer(undefined, nowMs);
  }

  #try(round: Round, counters: readonly NodeId[], nowMs: number): void {
    const { roomNode, slots, ticketCounter, id } = this.#parts;
    const [counter = roomNode.self, ...standIns] = counters;
    const { asked, answered } = round;
    const visitors = asked.map((each) => each.asked);
    const lanes = asked.some(({ lane }) => lane > 0) ? asked.map(({ lane }) => lane) : undefined;
    if (counter === roomNode.self) {
      // It knows what is free here.
      const request = { asked: visitors, lanes, from: roomNode.self, free: NOTHING, units: NOTHING };
      ticketCounter.ask(request, nowMs, ({ answers }, thenMs) => answered(answers, thenMs));
      return;
    }
    // What is free here is offered once: of several questions under way only the first may count on it.
    const free = this.#batches.underWay === 1 ? slots.free(nowMs) : NOTHING;
    const units = slots.units(nowMs);
    const question = { kind: "ask", room: id, asked: visitors, ...(lanes && { lanes }), free, units } as const;
    roomNode.ask(counter, question, ANSWER_MS, (reply, thenMs) => {
      if (reply === undefined || reply.answers.length !== asked.length) {
        this.#try(round, standIns, thenMs);
        return;
      }
      if (reply.row !== undefined) roomNode.receive(counter, reply.row);
      answered(reply.answers, thenMs);
    });
  }
}
