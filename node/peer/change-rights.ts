/**
 * The right to change what an operator has seen: of nodes that are asked at once for changes of one state, one gets it.
 *
 * One member decides for each subject, by rendezvous hashing: all nodes of a view ask the same one, also before they
 * have heard of it. If it does not answer, the next one that is alive decides, and if that one does not either, the
 * change goes on: operators change rooms above all when nodes are missing. So each side of a cut may accept a change,
 * and so may two nodes that see different members for a moment.
 */

import type { NodeId } from "../../mesh/core/ids.ts";
import type { Instant } from "../../mesh/core/instant.ts";
import { ranked } from "../../mesh/core/members/ring.ts";
import { compareStamps, type Stamp } from "../../mesh/core/replica/hybrid-clock.ts";
import {
  FILES_KEY,
  isRoomKey,
  orderKey,
  type RegisterKey,
  roomOfOrder,
} from "../../mesh/core/replica/register-keys.ts";
import type { Register } from "../../mesh/core/replica/registers.ts";
import { Calls } from "../../mesh/core/wire/calls.ts";
import type { Outgoing } from "../../mesh/core/wire/outbox.ts";
import { heardStamp, RIGHT_ANSWERS, type RightMessage, toldStamp } from "./right-messages.ts";
import { RightsGiven, type State } from "./rights-given.ts";

/** Longer, and an operator waits for a node that is gone; shorter, and one under load is passed over. */
const ANSWER_MS = 1_000;

/** The list of rooms, as a subject. */
export const ROOM_LIST = FILES_KEY;

/** Of a subject that was never written. */
const NEVER: Stamp = { wallMs: 0, counter: 0, node: "none" as NodeId };

/** A right, and the node that gave it; undefined where nobody answered. */
export interface Right extends State {
  readonly from: NodeId | undefined;
}

export interface ChangeRightsParts {
  readonly self: NodeId;
  readonly outbox: Outgoing<RightMessage>;
  /** A number for its questions that earlier runs have not used. */
  readonly firstCall: number;
  /** All other members, whether they answer or not. */
  readonly others: () => readonly NodeId[];
  readonly isAlive: (node: NodeId) => boolean;
  readonly register: (key: RegisterKey) => Register | undefined;
  readonly registers: () => ReadonlyMap<RegisterKey, Register>;
  readonly now: () => Instant;
}

export class ChangeRights {
  readonly #parts: ChangeRightsParts;
  readonly #given = new RightsGiven();
  readonly #calls: Calls<RightMessage, typeof RIGHT_ANSWERS>;

  constructor(parts: ChangeRightsParts) {
    this.#parts = parts;
    this.#calls = new Calls(parts.outbox, RIGHT_ANSWERS, parts.firstCall);
  }

  /** The stamp of a subject's state, as this node knows it: another after each write. */
  stampOf(subject: RegisterKey): Stamp {
    const { register, registers } = this.#parts;
    const stamps =
      subject === ROOM_LIST
        ? [...registers()].flatMap(([key, { stamp }]) =>
            isRoomKey(key) || roomOfOrder(key) !== undefined ? stamp : [],
          )
        : [subject, ...(isRoomKey(subject) ? [orderKey(subject)] : [])].flatMap((key) => register(key)?.stamp ?? []);
    return stamps.reduce((latest, stamp) => (compareStamps(stamp, latest) > 0 ? stamp : latest), NEVER);
  }

  /**
   * Asks for the right to change the present state of `subject`; `onAnswer` is called once, with undefined if it is
   * refused.
   */
  ask(subject: RegisterKey, onAnswer: (right: Right | undefined) => void): void {
    const { self, others, isAlive } = this.#parts;
    const [first = self, ...rest] = ranked(`change ${subject}`, [self, ...others()]);
    const second = rest.find((node) => node === self || isAlive(node));
    this.#askNext(
      { subject, stamp: this.stampOf(subject) },
      second === undefined ? [first] : [first, second],
      onAnswer,
    );
  }

  /** Gives a right back under which nothing was changed. */
  giveBack({ from, subject, stamp }: Right): void {
    const { self, outbox } = this.#parts;
    if (from === self) this.#given.takeBack(self, { subject, stamp });
    else if (from !== undefined) outbox.send(from, { kind: "right-returned", subject, stamp: toldStamp(stamp) });
  }

  hear(from: NodeId, message: RightMessage): void {
    const { outbox, now } = this.#parts;
    if (message.kind === "right") {
      this.#calls.answered(from, message, now().steadyMs);
      return;
    }
    const state = { subject: message.subject, stamp: heardStamp(message.stamp) };
    if (message.kind === "right-returned") this.#given.takeBack(from, state);
    else outbox.send(from, { kind: "right", call: message.call, isGiven: this.#decide(from, state) });
  }

  /** A node is gone: its answers are not waited for. */
  lost(node: NodeId): void {
    this.#calls.lost(node, this.#parts.now().steadyMs);
  }

  tick(): void {
    this.#calls.tick(this.#parts.now().steadyMs);
  }

  #askNext(state: State, arbiters: readonly NodeId[], onAnswer: (right: Right | undefined) => void): void {
    const { self, now } = this.#parts;
    const [arbiter, ...others] = arbiters;
    if (arbiter === undefined) onAnswer({ ...state, from: undefined });
    else if (arbiter === self) onAnswer(this.#decide(self, state) ? { ...state, from: self } : undefined);
    else {
      const question = { kind: "right-wanted", subject: state.subject, stamp: toldStamp(state.stamp) } as const;
      this.#calls.ask(arbiter, question, { nowMs: now().steadyMs, forMs: ANSWER_MS }, (answer) => {
        if (answer === undefined) this.#askNext(state, others, onAnswer);
        else onAnswer(answer.isGiven ? { ...state, from: arbiter } : undefined);
      });
    }
  }

  #decide(node: NodeId, state: State): boolean {
    return this.#given.give(node, state, this.stampOf(state.subject), this.#parts.now().steadyMs);
  }
}
