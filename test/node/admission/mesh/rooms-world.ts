/**
 * One room at several nodes that trust each other's word on who is there: the rules of tickets, lines and check-ins
 * without views, disks or faults of the network beyond a node that is gone. Messages take a millisecond, ledgers are
 * heard every half second.
 */

import { type AccountId, accountOf, type NodeId, type RoomId } from "../../../../mesh/core/ids.ts";
import { Ledger } from "../../../../mesh/core/ledger/ledger.ts";
import { minuteOf, minutePlus } from "../../../../mesh/core/minute.ts";
import { Calls } from "../../../../mesh/core/wire/calls.ts";
import { type Message, Outbox } from "../../../../mesh/core/wire/outbox.ts";
import type { Restored } from "../../../../node/admission/admission-record.ts";
import type { CheckInOutcome, Session } from "../../../../node/admission/mesh/check-ins.ts";
import type { MeshDecision } from "../../../../node/admission/mesh/entrance.ts";
import { MeshRoom, type PlaceInLine } from "../../../../node/admission/mesh/mesh-room.ts";
import {
  ROOM_ANSWERS,
  type RoomAnswer,
  type RoomCalls,
  type RoomMessage,
  type RoomRequest,
} from "../../../../node/admission/mesh/room-messages.ts";
import type { Gauge, RoomNode } from "../../../../node/admission/mesh/room-node.ts";
import type { Room } from "../../../../node/config/room.ts";
import { notaryOf } from "../../../../node/notary.ts";
import { plainSignatures } from "../../../mesh/core/replica/plain-signatures.ts";
import { VirtualTime } from "../../../sim/virtual-time.ts";
import { roomWith } from "../room-with.ts";

export const ROOM = "shop" as RoomId;
export const MINUTE_MS = 60_000;

const START_MS = 29_000_000 * MINUTE_MS;
/** A round trip between localities. */
const OCEAN_MS = 40;

export interface Beside {
  /** What each node has on its disk of visitors who left an address. */
  readonly contacts?: (node: NodeId) => Restored["contacts"];
}

interface Node {
  readonly id: NodeId;
  readonly locality: string;
  readonly ledger: Ledger;
  readonly calls: RoomCalls;
  readonly outbox: Outbox<RoomMessage>;
  readonly room: MeshRoom;
  readonly gauges: Map<NodeId, Gauge>;
  isRunning: boolean;
  mayAct: boolean;
}

export class RoomsWorld {
  readonly time = new VirtualTime(START_MS);
  readonly nodes: Node[] = [];
  room: Room;
  messages = 0;
  /** Whether a message gets lost on its way. */
  loses: (message: Message, to: NodeId) => boolean = () => false;
  /** Whether `node` takes another for one that has only just joined. */
  isYoung: (node: NodeId, other: NodeId) => boolean = () => false;
  /** Most sessions that each node may hold. */
  mayHold = (): number => Number.POSITIVE_INFINITY;
  #alive = new Map<string, NodeId[]>();
  #ids = 0;

  constructor(localities: readonly string[], change: Partial<Room>, { contacts }: Beside = {}) {
    this.room = roomWith(change);
    const ids = localities.map((locality, index) => ({ id: `node-${index}` as NodeId, locality }));
    const founder = accountOf("node-0" as NodeId);
    for (const { id, locality } of ids) {
      const outbox = new Outbox<RoomMessage>();
      const calls = new Calls(outbox, ROOM_ANSWERS, 1);
      const ledger = new Ledger({ self: accountOf(id), founder });
      const node = {
        id,
        locality,
        ledger,
        calls,
        outbox,
        gauges: new Map<NodeId, Gauge>(),
        isRunning: true,
        mayAct: true,
      };
      const others = ids.map((other) => other.id).filter((other) => other !== id);
      const roomNode = this.#meshOf(node, others);
      const restored = contacts && { record: undefined, line: undefined, contacts: contacts(id) };
      const room = new MeshRoom({ id: ROOM, room: this.room, roomNode, nowMs: START_MS, restored });
      this.nodes.push(Object.assign(node, { room }));
    }
    this.seeAlive();
    for (const node of this.nodes) this.time.every(500, () => this.#tick(node));
  }

  get nowMs(): number {
    return this.time.nowMs;
  }

  /** All nodes know which ones run. */
  seeAlive(): void {
    this.#alive = new Map();
    for (const { id, locality, isRunning } of this.nodes)
      if (isRunning) this.#alive.getOrInsertComputed(locality, () => []).push(id);
  }

  node(index: number): Node {
    const node = this.nodes[index];
    if (node === undefined) throw new RangeError(`no node ${index}`);
    return node;
  }

  pass(ms: number): void {
    this.time.runUntil(this.nowMs + ms);
  }

  kill(index: number): void {
    const node = this.node(index);
    node.isRunning = false;
    for (const other of this.nodes) other.calls.lost(node.id, this.nowMs);
    this.seeAlive();
    this.#flush();
  }

  configure(change: Partial<Room>): void {
    this.room = { ...this.room, ...change };
    for (const { room } of this.nodes) room.configure(this.room, this.nowMs);
  }

  arrive(index: number, then: (id: string, decision: MeshDecision) => void = () => {}, lane = 0): string {
    const id = `visitor-${this.#ids++}`;
    this.node(index).room.arrive(id, this.nowMs, (decision) => then(id, decision), { lane });
    this.#flush();
    return id;
  }

  /** A visitor comes to the first node and is admitted there. */
  admitted(): Session {
    let decided: MeshDecision | undefined;
    const id = this.arrive(0, (_, decision) => (decided = decision));
    this.pass(1_000);
    const decision = decided as MeshDecision | undefined;
    if (decision?.kind !== "admitted") throw new Error("not admitted");
    return { id, home: decision.home, lastGood: decision.lastGood };
  }

  poll(index: number, id: string, key: number, then: (decision: MeshDecision) => void, lane = 0, line?: string): void {
    this.node(index).room.poll(id, key, this.nowMs, then, { lane, line });
    this.#flush();
  }

  giveUp(index: number, place: PlaceInLine): void {
    this.node(index).room.giveUp(place, this.nowMs);
  }

  checkIn(index: number, session: Session, then: (outcome: CheckInOutcome) => void = () => {}): void {
    this.node(index).room.checkIn(session, this.nowMs, then);
    this.#flush();
  }

  extend(
    index: number,
    session: Session,
    minutes: number,
    onOutcome: (outcome: CheckInOutcome) => void = () => {},
  ): void {
    this.node(index).room.extend(session, minutes, this.nowMs, onOutcome);
    this.#flush();
  }

  revoke(index: number, { id, home }: { id: string; home: AccountId }): void {
    this.node(index).room.revoke(id, home, this.nowMs);
    this.#flush();
  }

  /** Sessions held on all nodes. */
  inside(): number {
    return this.nodes.reduce((sum, { room }) => sum + room.admission.inside(this.nowMs), 0);
  }

  /** What nodes have free: `[active, arrivals]` each. */
  free(): [number, number][] {
    return this.nodes.map(({ room }) => {
      const { active, arrivals } = room.gauge(this.nowMs);
      return [active, arrivals];
    });
  }

  #tick(node: Node): boolean {
    if (!node.isRunning) return false;
    node.calls.tick(this.nowMs);
    node.room.tick(this.nowMs);
    const gauge = node.room.gauge(this.nowMs);
    const row = JSON.parse(JSON.stringify(node.ledger.row(accountOf(node.id))));
    for (const other of this.nodes) {
      if (other === node) continue;
      other.gauges.set(node.id, gauge);
      other.ledger.merge(row);
    }
    this.#flush();
    return true;
  }

  #flush(): void {
    for (const node of this.nodes) {
      const { sent } = node.outbox.take();
      for (const { to, message } of sent) this.#carry(node, to, message);
    }
  }

  #carry(from: Node, to: NodeId, message: Message): void {
    const receiver = this.nodes.find(({ id }) => id === to);
    if (receiver === undefined || !from.isRunning) return;
    this.messages += 1;
    if (this.loses(message, to)) return;
    const copy = JSON.parse(JSON.stringify(message)) as RoomMessage;
    this.time.after(receiver.locality === from.locality ? 0.5 : OCEAN_MS / 2, () => {
      if (!receiver.isRunning) return;
      if (isAnswer(copy)) receiver.calls.answered(from.id, copy, this.nowMs);
      else receiver.room.receive(from.id, copy as RoomRequest, this.nowMs);
      this.#flush();
    });
  }

  #meshOf(node: Omit<Node, "room">, others: readonly NodeId[]): RoomNode {
    const { ledger } = node;
    return {
      self: node.id,
      locality: node.locality,
      minuteMs: MINUTE_MS,
      meshId: "0123456789abcdef",
      notary: notaryOf(plainSignatures(node.id)),
      ask: (to, question, forMs, onAnswer) => node.calls.ask(to, question, { nowMs: this.nowMs, forMs }, onAnswer),
      outbox: node.outbox,
      mayAct: () => node.mayAct,
      mayExtend: () => node.mayAct,
      mayGiveTo: (to) => to !== node.id,
      alive: () => this.#alive,
      localityOf: (of) => this.nodes.find(({ id }) => id === of)?.locality,
      isAlive: (of) => [...this.#alive.values()].some((nodes) => nodes.includes(of)),
      runOf: () => 1,
      isYoung: (of) => this.isYoung(node.id, of),
      sessionMinutesMost: Number.POSITIVE_INFINITY,
      others,
      refusedTo: minutePlus(minuteOf(START_MS, MINUTE_MS), 20),
      mayOthersRunOn: false,
      believedTo: Number.POSITIVE_INFINITY,
      roundTripMs: (to) => (this.nodes.find(({ id }) => id === to)?.locality === node.locality ? 1 : OCEAN_MS),
      writerOf: (account) => this.nodes.find(({ id }) => accountOf(id) === account)?.id,
      potOf: () => undefined,
      mayHoldLease: () => false,
      units: (room, resource, minute) => ledger.units({ room, resource, minute }),
      potUnits: () => ({ units: 0, ceiling: undefined }),
      mayHold: () => this.mayHold(),
      touched: () => {},
      counted: (room, kind, minute) => ledger.count(room, { kind, minute }),
      activeUsers: (room, minute, sessionDuration) => ledger.activeUsers(room, minute, sessionDuration),
      count: (room, kind, minute) => ledger.record(room, { minute, kind, count: 1 }),
      give: ({ to, ...gift }) => ledger.give({ ...gift, to: accountOf(to) }),
      receive: (_from, row) => {
        ledger.merge(row);
      },
      seen: (room, minute) => {
        const seen = new Map<string, number>();
        for (const { id, locality } of this.nodes) {
          const count = ledger.count(room, { minute, kind: "seen", accounts: [accountOf(id)] });
          seen.set(locality, (seen.get(locality) ?? 0) + count);
        }
        return seen;
      },
      seenAt: (room, of, minute) => ledger.count(room, { minute, kind: "seen", accounts: [accountOf(of)] }),
      gauge: (of) => node.gauges.get(of),
    };
  }
}

function isAnswer(message: RoomMessage): message is RoomAnswer {
  return (Object.values(ROOM_ANSWERS) as string[]).includes(message.kind);
}
