/**
 * Asks another node's ticket counter as a gate does whose own slots are gone (node/admission/mesh/window.ts): it offers nothing
 * of its own, so each visitor who goes in does so on a slot that the answer gives; and it admits them here.
 *
 * `MeshRoom` itself would use the slots that lie here first, and the counter sees to it that some do. Only this choice is left out.
 */

import { randomBytes } from "node:crypto";
import type { Question } from "../../../mesh/core/calls.ts";
import type { NodeId } from "../../../mesh/core/ids.ts";
import { Batches } from "../../../node/admission/mesh/batches.ts";
import type { Asked, AskReply } from "../../../node/admission/mesh/desk.ts";
import { ADMISSION_KEY, type MeshRoom } from "../../../node/admission/mesh/mesh-room.ts";
import type { PartNode } from "./part-node.ts";
import { type AtOnce, manyAtOnce, type OneByOne, summary } from "./timing.ts";

export interface AskingPlace {
  readonly node: PartNode;
  readonly room: MeshRoom;
  /** Who is asked. */
  readonly other: NodeId;
}

/** As in window.ts. */
const ASKED_MAX = 500;
const UNDER_WAY_MAX = 4;
const ANSWER_MS = 1_500;

const NOTHING = { active: 0, arrivals: 0 };
const ID_BYTES = 16;

interface Visitor {
  readonly id: string;
  readonly isLetIn: () => void;
}

export class TicketAsker {
  readonly #place: AskingPlace;

  constructor(place: AskingPlace) {
    this.#place = place;
  }

  /** One visitor at a time, for `ms`. */
  async oneByOne(ms: number): Promise<{ answer: OneByOne; disk: OneByOne }> {
    const [answer, disk]: [number[], number[]] = [[], []];
    const endMs = performance.now() + ms;
    for (let askedMs = performance.now(); askedMs < endMs; askedMs = performance.now()) {
      await new Promise<void>((resolve) => {
        const visitor = { id: newId(), isLetIn: resolve };
        this.#place.node.step(() => this.#ask([visitor], () => answer.push(performance.now() - askedMs)));
      });
      disk.push(performance.now() - askedMs);
    }
    return { answer: summary(answer), disk: summary(disk) };
  }

  /** `visitors` at once, batched as a gate does it; each is followed by the next one when it is let in. */
  atOnce(ms: number, visitors: number): Promise<AtOnce> {
    const batches = new Batches<Visitor>({ itemsMax: ASKED_MAX, underWayMax: UNDER_WAY_MAX }, (batch, _nowMs, done) =>
      this.#ask(batch, done),
    );
    return manyAtOnce(ms, visitors, () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#place.node.step(() => batches.push({ id: newId(), isLetIn: resolve }, Date.now()));
      return promise;
    });
  }

  #ask(visitors: readonly Visitor[], answered: (nowMs: number) => void): void {
    const { node, room, other } = this.#place;
    const { mesh } = node.peer;
    const minute = room.admission.minuteAt(Date.now());
    const units = {
      active: mesh.units(room.id, "active", minute),
      arrivals: mesh.units(room.id, "arrivals", minute),
    };
    const asked = visitors.map(({ id }): Asked => [id, 0, false]);
    const question = { kind: "ask", room: room.id, asked, free: NOTHING, units };
    mesh.ask(other, question, ANSWER_MS, (told, nowMs) => {
      const reply = told as (Question & AskReply) | undefined;
      if (reply?.row === undefined || reply.answers.some(({ kind }) => kind !== "go")) throw notAllGo(reply);
      mesh.receive(other, reply.row);
      for (const { id } of visitors) room.admission.admit(id, nowMs);
      mesh.outbox.putLater(`${ADMISSION_KEY}/${room.id}`, () => room.admission.record);
      answered(nowMs);
      node.afterCommit(() => {
        for (const { isLetIn } of visitors) isLetIn();
      });
    });
  }
}

function newId(): string {
  return randomBytes(ID_BYTES).toString("base64url");
}

function notAllGo(reply: AskReply | undefined): Error {
  const answers =
    reply?.answers
      .map(({ kind }) => kind)
      .join(" ")
      .slice(0, 100) ?? "none";
  return new Error(`Cannot measure tickets as every visitor must go in on a gift: current answers are ${answers}`);
}
