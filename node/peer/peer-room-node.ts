/**
 * A node as its rooms see it: which nodes are up, what its accounts own, how to give and receive.
 */

import { type AccountId, accountOf, type Minute, type NodeId, type RoomId } from "../../mesh/core/ids.ts";
import type { CountKind, Resource, RowData } from "../../mesh/core/ledger/row.ts";
import type { Members } from "../../mesh/core/members/members.ts";
import { minuteOf, minutePlus } from "../../mesh/core/minute.ts";
import type { Replica } from "../../mesh/core/replica/replica.ts";
import type { Outgoing } from "../../mesh/core/wire/outbox.ts";
import type { RoomDraws } from "../admission/draw/room-draws.ts";
import type { AskRoom, RoomCalls, RoomMessage } from "../admission/mesh/room-messages.ts";
import type { Gauge, HeardGauges, PotUnits, RoomNode, Transfer } from "../admission/mesh/room-node.ts";
import { type Notary, notaryOf } from "../notary.ts";
import type { CutOff } from "./cut-off.ts";
import type { NodeTime } from "./node-time.ts";
import type { OwnAuthority } from "./own-authority.ts";
import type { PeerOptions } from "./peer-options.ts";
import type { PotClock } from "./pot-clock.ts";

/** The parts of a node that it uses. */
interface MeshSource {
  readonly members: Members;
  readonly replica: Replica;
  readonly calls: RoomCalls;
  readonly outbox: Outgoing<RoomMessage>;
  readonly time: Pick<NodeTime, "now" | "roomMs" | "latestMs">;
  /** Changes whenever a node may have come or gone. */
  readonly epoch: number;
}

interface PeerRoomNodeParts {
  readonly peer: MeshSource;
  readonly draws: () => RoomDraws;
  readonly options: Pick<RoomNode, "self" | "locality" | "minuteMs" | "meshId"> & Pick<PeerOptions, "signatures">;
  readonly pots: PotClock;
  readonly authority: OwnAuthority;
  readonly cutOff: Pick<CutOff, "believedTo" | "mayRunOn">;
  readonly gauges: ReadonlyMap<NodeId, HeardGauges>;
}

/** The nodes of a view, and which of them answer. */
interface KnownNodes {
  readonly key: string;
  epoch: number;
  readonly byLocality: ReadonlyMap<string, readonly NodeId[]>;
  readonly others: readonly NodeId[];
}

export class PeerRoomNode implements RoomNode {
  readonly self: NodeId;
  readonly locality: string;
  readonly minuteMs: number;
  readonly meshId: string;
  readonly notary: Notary;
  readonly #parts: PeerRoomNodeParts;
  #known: KnownNodes = { key: "none", epoch: -1, byLocality: new Map(), others: [] };
  /** What visitors have counted since the last step. */
  readonly #counted = new Map<RoomId, { readonly minute: Minute; readonly counts: Map<CountKind, number> }>();
  /** By other node: how long its answer to a call for slots took, where heartbeats do not show it. */
  readonly #roundTrips = new Map<NodeId, number>();

  constructor(parts: PeerRoomNodeParts) {
    this.#parts = parts;
    this.self = parts.options.self;
    this.locality = parts.options.locality;
    this.minuteMs = parts.options.minuteMs;
    this.meshId = parts.options.meshId;
    this.notary = notaryOf(parts.options.signatures);
  }

  get draws(): RoomDraws {
    return this.#parts.draws();
  }

  get outbox(): Outgoing<RoomMessage> {
    return this.#parts.peer.outbox;
  }

  readonly ask: AskRoom = (to, question, forMs, onAnswer) => {
    const { peer } = this.#parts;
    const askedMs = peer.time.now.steadyMs;
    peer.calls.ask(to, question, { nowMs: askedMs, forMs }, (answer) => {
      if (answer !== undefined && question.kind === "recall")
        this.#roundTrips.set(to, peer.time.now.steadyMs - askedMs);
      onAnswer(answer, peer.time.roomMs);
    });
  };

  mayAct(room: RoomId): boolean {
    return this.#parts.authority.mayAct(room);
  }

  mayGiveTo(node: NodeId): boolean {
    const { members, time } = this.#parts.peer;
    return members.mayGiveTo(node, time.now);
  }

  mayExtend(): boolean {
    const { members, time } = this.#parts.peer;
    return members.mayExtendOwn(time.now);
  }

  get believedTo(): number {
    const { members } = this.#parts.peer;
    return this.mayExtend() ? Number.POSITIVE_INFINITY : this.#parts.cutOff.believedTo(members.sessions.most);
  }

  get mayOthersRunOn(): boolean {
    return this.#parts.cutOff.mayRunOn(this.#parts.peer.time.now);
  }

  get others(): readonly NodeId[] {
    return this.#nodes.others;
  }

  get refusedTo(): Minute {
    const { members, time } = this.#parts.peer;
    return minutePlus(minuteOf(time.latestMs, this.minuteMs), members.sessions.overMinutes);
  }

  get sessionMinutesMost(): number {
    return this.#parts.peer.members.sessions.most;
  }

  alive(): ReadonlyMap<string, readonly NodeId[]> {
    return this.#nodes.byLocality;
  }

  /** Looked at again at each epoch, and made again if they have changed. */
  get #nodes(): KnownNodes {
    const { members, time, epoch } = this.#parts.peer;
    if (epoch === this.#known.epoch) return this.#known;
    const alive = members.reach.alive(time.now);
    const key = `${members.view?.number} ${alive.join(" ")}`;
    if (key === this.#known.key) {
      this.#known.epoch = epoch;
      return this.#known;
    }
    const byLocality = new Map<string, NodeId[]>();
    for (const node of alive)
      byLocality.getOrInsertComputed(members.localityOf(node) ?? this.locality, () => []).push(node);
    // A node without a view has nobody but itself.
    if (byLocality.size === 0) byLocality.set(this.locality, [this.self]);
    this.#known = { key, epoch, byLocality, others: members.others };
    return this.#known;
  }

  runOf(node: NodeId): number {
    return this.#parts.peer.members.runOf(node);
  }

  isYoung(node: NodeId): boolean {
    const { members, time } = this.#parts.peer;
    const agedMs = time.roomMs - (members.sinceMs(node) ?? 0);
    return agedMs >= 0 && agedMs < this.minuteMs;
  }

  roundTripMs(node: NodeId): number {
    return this.#parts.peer.members.roundTripMs(node) ?? this.#roundTrips.get(node) ?? 0;
  }

  localityOf(node: NodeId): string | undefined {
    return this.#parts.peer.members.localityOf(node) ?? (node === this.self ? this.locality : undefined);
  }

  isAlive(node: NodeId): boolean {
    const { members, time } = this.#parts.peer;
    return members.reach.state(node, time.now) === "alive";
  }

  writerOf(account: AccountId): NodeId | undefined {
    return account === accountOf(this.self) ? this.self : this.#parts.peer.members.writerOf(account);
  }

  potOf(account: AccountId): string | undefined {
    return this.#parts.pots.groupOf(account);
  }

  mayHoldLease(group: string): boolean {
    return this.#parts.pots.mayHoldLease(group);
  }

  units(room: RoomId, resource: Resource, minute: Minute): number {
    return this.#parts.authority.units(room, resource, minute);
  }

  potUnits(room: RoomId, group: string, minute: Minute): PotUnits {
    return this.#parts.authority.potUnits(room, group, minute);
  }

  mayHold(room: RoomId): number {
    return this.#parts.authority.mayHold(room);
  }

  touched(room: RoomId): void {
    this.#parts.authority.touched(room);
  }

  activeUsers(room: RoomId, minute: Minute, sessionDuration: number): number {
    this.record();
    return this.#parts.peer.replica.ledger.activeUsers(room, minute, sessionDuration);
  }

  counted(room: RoomId, kind: CountKind, minute: Minute): number {
    this.record();
    return this.#parts.peer.replica.ledger.count(room, { kind, minute });
  }

  count(room: RoomId, kind: CountKind, minute: Minute): void {
    const counted = this.#counted.getOrInsertComputed(room, () => ({ minute, counts: new Map() }));
    if (counted.minute === minute) counted.counts.set(kind, (counted.counts.get(kind) ?? 0) + 1);
    else this.#parts.peer.replica.record(room, { minute, kind, count: 1 });
  }

  /** Records what visitors have counted: others learn of it no sooner than with the next step. */
  record(): void {
    for (const [room, { minute, counts }] of this.#counted)
      for (const [kind, count] of counts) this.#parts.peer.replica.record(room, { minute, kind, count });
    this.#counted.clear();
  }

  give({ room, resource, minute, to, units }: Transfer): RowData {
    const { peer, pots, authority } = this.#parts;
    authority.begin();
    const receiver = accountOf(to);
    // A gift's minute never goes back, whatever the clock has done since the last one.
    const [last = 0] =
      peer.replica.ledger.totalsOf(accountOf(this.self), { room, resource, to: receiver }).at(-1) ?? [];
    const since = Math.max(minute, last) as Minute;
    // Free units of a pot are given from the own account: all accounts together have them.
    const bounded = resource === "active" ? pots.boundedGroups : [];
    const accounts = [...pots.settled(resource), ...bounded.flatMap((group) => pots.accountsIn(group))];
    return peer.replica.give({ room, resource, minute: since, to: receiver, units, accounts });
  }

  receive(from: NodeId, row: RowData): void {
    this.#parts.authority.begin();
    this.#parts.peer.replica.receive(from, row);
  }

  seen(room: RoomId, minute: Minute): ReadonlyMap<string, number> {
    this.record();
    const { members } = this.#parts.peer;
    const seen = new Map<string, number>();
    for (const [locality, nodes] of members.byLocality)
      seen.set(
        locality,
        nodes.reduce((sum, node) => sum + this.seenAt(room, node, minute), 0),
      );
    return seen;
  }

  seenAt(room: RoomId, node: NodeId, minute: Minute): number {
    this.record();
    return this.#parts.peer.replica.ledger.count(room, { minute, kind: "seen", accounts: [accountOf(node)] });
  }

  gauge(node: NodeId, room: RoomId): Gauge | undefined {
    const { time } = this.#parts.peer;
    const heard = this.#parts.gauges.get(node);
    const isOld = heard === undefined || time.now.steadyMs > heard.untilMs;
    return isOld ? undefined : heard.rooms.get(room);
  }
}
