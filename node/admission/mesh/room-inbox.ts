/** Hands each message of another member about a room to the part that answers it. */

import type { NodeId } from "../../../mesh/core/ids.ts";
import type { Admission } from "../admission.ts";
import { AnswerOnce } from "./answer-once.ts";
import type { LineKeeper } from "./line-keeper.ts";
import { NOTHING } from "./own-slots.ts";
import type { PassClaims } from "./pass-claims.ts";
import type { RoomRequest } from "./room-messages.ts";
import type { RoomNode } from "./room-node.ts";
import type { SessionHome } from "./session-home.ts";
import type { TicketCounter } from "./ticket-counter.ts";

export interface RoomInboxParts {
  readonly roomNode: RoomNode;
  readonly admission: Admission;
  readonly line: LineKeeper;
  readonly ticketCounter: TicketCounter;
  readonly home: SessionHome;
  readonly claims: PassClaims;
}

export class RoomInbox {
  readonly #parts: RoomInboxParts;
  readonly #once: AnswerOnce;

  constructor(parts: RoomInboxParts) {
    this.#parts = parts;
    this.#once = new AnswerOnce(parts.roomNode.outbox);
  }

  /** A message of a checked shape. */
  receive(from: NodeId, message: RoomRequest, nowMs: number): void {
    const { roomNode, admission, line, ticketCounter, home, claims } = this.#parts;
    switch (message.kind) {
      case "ask":
        line.standIn(nowMs);
        this.#once.answer(from, message, (reply) =>
          ticketCounter.ask({ ...message, from }, nowMs, ({ answers, row }) =>
            reply({ kind: "told", answers, ...(row && { row }) }),
          ),
        );
        break;
      case "recall":
        this.#once.answer(from, message, (reply) => {
          const locality = roomNode.localityOf(from);
          const to = { node: from, locality: locality ?? "", joined: message.joined };
          const lent = locality === undefined ? undefined : ticketCounter.lend(to, message, nowMs);
          reply({ kind: "lent", ...(lent?.row && { row: lent.row }), free: lent?.free ?? NOTHING });
        });
        break;
      case "check-in":
        this.#once.answer(from, message, (reply) => {
          const checked = message.sessions.map(([id, account, lastGood, mode]) =>
            home.checkIn({ id, home: account, lastGood }, mode, nowMs),
          );
          reply({ kind: "checked", checked });
        });
        break;
      case "extend":
        this.#once.answer(from, message, (reply) =>
          reply({ kind: "checked", checked: [home.extend(message, message.minutes, nowMs)] }),
        );
        break;
      case "claim":
        this.#once.answer(from, message, (reply) =>
          reply({ kind: "claimed", granted: claims.hear(message.claims, nowMs) }),
        );
        break;
      case "gift":
        roomNode.receive(from, message.row);
        break;
      case "line":
        line.hear(from, message, nowMs);
        break;
      case "polls":
        line.standIn(nowMs);
        admission.notePolls(message.keys, nowMs, message);
        break;
      case "left":
        admission.leftLine(message, nowMs);
        roomNode.outbox.send(from, { kind: "noted", call: message.call });
        break;
      case "revoke":
        home.refuse(message.id, message.lastGood);
        roomNode.outbox.send(from, { kind: "noted", call: message.call });
        break;
      case "release":
        home.end(message.id, message.home, nowMs);
    }
  }
}
