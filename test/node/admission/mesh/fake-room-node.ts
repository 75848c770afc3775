/**
 * The mesh as a test has it: who is there and what they said is set by hand, questions wait until the test answers
 * them. It keeps the contract of `RoomNode`: a question has one answer, and nobody asks itself or gives to itself.
 */

import { type AccountId, accountOf, type Minute, type NodeId, type RoomId } from "../../../../mesh/core/ids.ts";
import { Ledger } from "../../../../mesh/core/ledger/ledger.ts";
import type { CountKind, Resource, RowData } from "../../../../mesh/core/ledger/row.ts";
import { type Message, Outbox } from "../../../../mesh/core/wire/outbox.ts";
import { Admission } from "../../../../node/admission/admission.ts";
import { Counters, Participants } from "../../../../node/admission/mesh/counters.ts";
import { MeshRoom, type MeshRoomParts } from "../../../../node/admission/mesh/mesh-room.ts";
import { MeshRoomAccount, OwnSlots } from "../../../../node/admission/mesh/own-slots.ts";
import type { AskRoom } from "../../../../node/admission/mesh/room-messages.ts";
import type { Gauge, PotUnits, RoomNode, Transfer } from "../../../../node/admission/mesh/room-node.ts";
import { TicketClient } from "../../../../node/admission/mesh/ticket-client.ts";
import { TicketCounter } from "../../../../node/admission/mesh/ticket-counter.ts";
import type { Room } from "../../../../node/config/room.ts";
import { notaryOf } from "../../../../node/notary.ts";
import { plainSignatures } from "../../../mesh/core/replica/plain-signatures.ts";
import { roomWith } from "../room-with.ts";

export const ROOM = "shop" as RoomId;
export const MINUTE_MS = 60_000;
/** The minute of most tests. */
export const M = 29_000_000 as Minute;
export const SELF = "self" as NodeId;

/** Unix ms `seconds` after the start of minute M. */
export function at(seconds: number): number {
  return M * MINUTE_MS + seconds * 1_000;
}

export function nodes(...names: string[]): NodeId[] {
  return names as NodeId[];
}

interface Asked {
  readonly to: NodeId;
  readonly question: Message;
  readonly forMs: number;
  /** Gives the answer, or none. */
  readonly answer: (answer: Message | undefined, nowMs: number) => void;
}

export class FakeRoomNode implements RoomNode {
  readonly self = SELF;
  readonly locality = "here";
  readonly minuteMs = MINUTE_MS;
  readonly meshId = "0123456789abcdef";
  readonly notary = notaryOf(plainSignatures(SELF));
  readonly outbox = new Outbox();
  /** This node founded the mesh: it owns everything at first. */
  readonly ledger = new Ledger({ self: accountOf(SELF), founder: accountOf(SELF) });
  /** Questions that have not been answered, in order. */
  readonly asked: Asked[] = [];
  readonly gauges = new Map<NodeId, Gauge>();
  readonly lastMinute = new Map<string, number>();
  /** Accounts written by another node than the one that brought them; undefined: by nobody. */
  readonly writers = new Map<AccountId, NodeId | undefined>();
  localities: ReadonlyMap<string, readonly NodeId[]> = new Map([["here", [SELF]]]);
  isActing = true;
  sessionMinutesMost = Number.POSITIVE_INFINITY;
  others: readonly NodeId[] = [];
  refusedTo = (M + 20) as Minute;
  mayOthersRunOn = false;
  believedTo = Number.POSITIVE_INFINITY;
  readonly young = new Set<NodeId>();
  readonly runs = new Map<NodeId, number>();

  readonly ask: AskRoom = (to, question, forMs, onAnswer) => {
    if (to === SELF)
      throw new Error(`Cannot ask ${question.kind} as another node must be asked: current value is ${to}`);
    const one: Asked = {
      to,
      question,
      forMs,
      answer: (answer, nowMs) => {
        const at = this.asked.indexOf(one);
        if (at < 0) throw new Error(`Cannot answer ${question.kind} as it must wait for an answer: it has had one`);
        this.asked.splice(at, 1);
        onAnswer(answer as never, nowMs);
      },
    };
    this.asked.push(one);
  };

  /** The only question that waits for its answer. */
  get question(): Asked {
    const [first, ...more] = this.asked;
    if (first === undefined || more.length > 0) throw new Error(`Broken: ${this.asked.length} questions wait`);
    return first;
  }

  mayAct(): boolean {
    return this.isActing;
  }

  mayExtend(): boolean {
    return this.isActing;
  }

  mayGiveTo(node: NodeId): boolean {
    return node !== SELF;
  }

  alive(): ReadonlyMap<string, readonly NodeId[]> {
    return this.localities;
  }

  localityOf(node: NodeId): string | undefined {
    return [...this.localities].find(([, nodes]) => nodes.includes(node))?.[0];
  }

  isAlive(node: NodeId): boolean {
    return this.localityOf(node) !== undefined;
  }

  runOf(node: NodeId): number {
    return this.runs.get(node) ?? 1;
  }

  isYoung(node: NodeId): boolean {
    return this.young.has(node);
  }

  roundTripMs(): number {
    return 1;
  }

  writerOf(account: AccountId): NodeId | undefined {
    return this.writers.has(account) ? this.writers.get(account) : (account as string as NodeId);
  }

  potOf(): string | undefined {
    return undefined;
  }

  mayHoldLease(): boolean {
    return false;
  }

  units(room: RoomId, resource: Resource, minute: Minute): number {
    return this.ledger.units({ room, resource, minute });
  }

  potUnits(): PotUnits {
    return { units: 0, ceiling: undefined };
  }

  mayHold(): number {
    return Number.POSITIVE_INFINITY;
  }

  touched(): void {}

  counted(): number {
    return 0;
  }

  activeUsers(): number {
    return 0;
  }

  count(room: RoomId, kind: CountKind, minute: Minute): void {
    this.ledger.record(room, { minute, kind, count: 1 });
  }

  give({ to, ...gift }: Transfer): RowData {
    if (to === SELF || gift.units > this.units(gift.room, gift.resource, gift.minute))
      throw new Error(`Cannot give as the units must be there, and another node's: ${gift.units} to ${to}`);
    return this.ledger.give({ ...gift, to: accountOf(to) });
  }

  receive(_from: NodeId, row: RowData): void {
    this.ledger.merge(row);
  }

  seen(): ReadonlyMap<string, number> {
    return this.lastMinute;
  }

  seenAt(): number {
    return 0;
  }

  gauge(node: NodeId): Gauge | undefined {
    return this.gauges.get(node);
  }
}

/** What a node says it has free: as many slots of both resources, or of each. */
export function gaugeOf(
  free: number | { active: number; arrivals: number },
  waiting: readonly (readonly [minute: number, count: number])[] = [],
): Gauge {
  const both = typeof free === "number" ? { active: free, arrivals: free } : free;
  return {
    ...both,
    mayAct: true,
    places: waiting.map(([minute, count]) => [minute * MINUTE_MS * 1_000, minute * MINUTE_MS * 1_000 + count, count]),
    inside: 0,
    admitted: 0,
    minute: M,
    rampStartMs: 0,
  };
}

/** A room at this node, from the first second of minute M on. */
export function roomAt(roomNode: RoomNode, change: Partial<Room> = {}, more: Partial<MeshRoomParts> = {}): MeshRoom {
  return new MeshRoom({ id: ROOM, room: roomWith(change), roomNode, nowMs: at(1), restored: undefined, ...more });
}

/** The parts of a room at this node, as they see each other. */
export function partsOf(roomNode: RoomNode, change: Partial<Room>) {
  const config = { room: roomWith(change) };
  const account = new MeshRoomAccount({ id: ROOM, roomNode, config, admittedInMinute: () => 0 });
  const admission = new Admission(config, { account, minuteMs: MINUTE_MS, nowMs: at(0), restored: undefined });
  const slots = new OwnSlots(ROOM, config, { roomNode, admission });
  const ticketCounter = new TicketCounter({
    id: ROOM,
    roomNode,
    config,
    admission,
    slots,
    waiting: () => [],
  });
  const counters = new Counters({ id: ROOM, roomNode, participants: new Participants(ROOM, roomNode) });
  return {
    config,
    admission,
    slots,
    ticketCounter,
    counters,
    ticketClient: new TicketClient({ id: ROOM, roomNode, slots, ticketCounter, counters }),
  };
}
