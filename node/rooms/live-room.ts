/**
 * A room at work on this node: its configuration, its part of the mesh, and everything derived from both once and not
 * per request.
 */

import type { RoomId } from "../../mesh/core/ids.ts";
import { blockedKey, drawValuesKey } from "../../mesh/core/replica/register-keys.ts";
import { AddressLimit, PreflightBudget } from "../admission/address-limit.ts";
import type { Admission } from "../admission/admission.ts";
import type { Restored } from "../admission/admission-record.ts";
import { publicRoom } from "../admission/draw/draw-seed.ts";
import { MeshRoom } from "../admission/mesh/mesh-room.ts";
import type { RoomNode } from "../admission/mesh/room-node.ts";
import type { OriginObserver } from "../admission/pace/pace.ts";
import { PrefixPressure } from "../admission/prefix-pressure.ts";
import type { RoomEvent } from "../config/event.ts";
import type { EventNow, OriginShare, Room } from "../config/room.ts";
import { cookieNameOf } from "../cookie/cookie-header.ts";
import { type Cidr, isIn, parseCidr } from "../http/client.ts";
import type { OriginTarget } from "../http/message.ts";
import { parseOrigin } from "../http/origin-target.ts";
import { type OriginPlan, RoomOrigin, sharesOf } from "../origin/room-origin.ts";
import type { RuleRequest } from "../rules/facts.ts";
import { type Decision, type RuleAction, Rules } from "../rules/rules.ts";
import { type Block, BlockedVisitors } from "./blocked-visitors.ts";
import { drawOfEvent, drawValuesIn, type EventDraw } from "./event-draw.ts";
import { type RoomAt, roomAt } from "./event-in-force.ts";
import { RoomCounts } from "./room-counts.ts";
import { inForce, type RoomOrder } from "./room-order.ts";
import type { RoomRegisters } from "./room-registers.ts";
import type { StoredRoom } from "./stored-room.ts";

export interface RoomPlace {
  readonly roomNode: RoomNode;
  readonly registers: RoomRegisters;
  /** Origin of rooms that name none. */
  readonly defaultOrigin: OriginTarget | undefined;
  /** The time of this node's rooms, in Unix ms: visitors and events go by it. */
  readonly roomMs: () => number;
}

const NO_FIELDS: ReadonlySet<string> = new Set();

export class LiveRoom {
  readonly id: RoomId;
  readonly meshRoom: MeshRoom;
  readonly counts = new RoomCounts();
  readonly addressLimit = new AddressLimit();
  readonly prefixLimit = new AddressLimit();
  readonly prefixPressure: PrefixPressure;
  readonly preflights = new PreflightBudget();
  /** Requests for the icon and the logo of the waiting page. */
  readonly emblems = new PreflightBudget();
  readonly blocked: BlockedVisitors;
  /** Called when the state of its origin changes. */
  readonly observer: OriginObserver;
  /** Where its requests go. */
  readonly origin: RoomOrigin;
  readonly #place: RoomPlace;
  #stored: Omit<StoredRoom, "id">;
  #at: RoomAt;
  #order: RoomOrder | undefined;
  #room: Room;
  #bypass: readonly Cidr[] = [];
  /** Undefined for a room without rules. */
  #rules: Rules | undefined;
  #cookieName = "";

  constructor(
    stored: StoredRoom,
    place: RoomPlace,
    now: { nowMs: number; order: RoomOrder | undefined; restored: Restored | undefined },
  ) {
    this.id = stored.id;
    this.#stored = stored;
    this.#place = place;
    this.#order = now.order;
    this.#at = this.#roomAt(stored.room);
    this.#room = inForce(this.#at.room, now.order);
    const { id, createdMs } = stored;
    const { nowMs, restored } = now;
    this.meshRoom = new MeshRoom({ id, room: this.#room, roomNode: place.roomNode, createdMs, nowMs, restored });
    this.observer = this.meshRoom.pace;
    this.blocked = new BlockedVisitors(place.registers.get(blockedKey(id)));
    this.origin = new RoomOrigin(place.roomNode.minuteMs);
    this.prefixPressure = new PrefixPressure(place.roomNode.minuteMs);
    this.configure(stored, nowMs);
  }

  /** The room as it works: as its document says, except for an event of now and an operator's order. */
  get room(): Room {
    return this.#room;
  }

  /** The room as its document says. */
  get declared(): Room {
    return this.#stored.room;
  }

  /** An operator's order; undefined if there is none. */
  get order(): RoomOrder | undefined {
    return this.#order;
  }

  /** A room that is created again after it was deleted has a time of its own. */
  get createdMs(): number {
    return this.#stored.createdMs;
  }

  get modifiedMs(): number {
    return this.#stored.modifiedMs;
  }

  /** The name under which it was made; a new one when its id is used again for another room. */
  get firstName(): string {
    return this.#stored.firstName;
  }

  get admission(): Admission {
    return this.meshRoom.admission;
  }

  /**
   * Whether a request passes without a session or is queued, by the client's address or by a rule; undefined if neither
   * says so.
   */
  ruling(request: RuleRequest): RuleAction | undefined {
    return isIn(request.client.address, this.#bypass) ? "bypass_waiting_room" : this.#rules?.ruling(request);
  }

  /** The block of a visitor that is in force; none is of before the room was created again under its first name. */
  blockOf(number: string, nowMs: number): Block | undefined {
    const block = this.blocked.of(number, nowMs);
    return block !== undefined && block.atMs >= this.createdMs ? block : undefined;
  }

  /** Whether any new visitor may be asked for a proof of work. */
  get asksProof(): boolean {
    const { proofOfWorkMode, rules } = this.#room;
    return proofOfWorkMode !== "off" || rules.some(({ action, enabled }) => enabled && action === "challenge");
  }

  /** What its rules ask for. */
  get ruleFields(): ReadonlySet<string> {
    return this.#rules?.fields ?? NO_FIELDS;
  }

  /** Why `ruling` says what it says: the client's address, or a rule. */
  reason(request: RuleRequest): "address" | Decision | undefined {
    return isIn(request.client.address, this.#bypass) ? "address" : this.#rules?.decision(request);
  }

  /** What its node is, and signs with. */
  get roomNode(): RoomNode {
    return this.#place.roomNode;
  }

  get cookieName(): string {
    return this.#cookieName;
  }

  /** Applies a changed room; sessions and places in line stay. */
  configure(stored: Omit<StoredRoom, "id">, nowMs: number): void {
    this.#stored = stored;
    const { firstName, room: declared, modifiedMs, outside } = stored;
    const room = this.#compute();
    this.#bypass = room.bypassCidrs.map(parseCidr);
    this.#rules = room.rules.length === 0 ? undefined : new Rules(room.rules);
    this.origin.configure(originPlan(declared, this.#place.defaultOrigin, outside), nowMs);
    this.#cookieName = cookieNameOf(firstName, room);
    this.meshRoom.configure(room, modifiedMs);
  }

  /** Applies the order given at `atMs`; undefined to follow the document. */
  command(order: RoomOrder | undefined, atMs: number): void {
    this.#order = order;
    this.meshRoom.configure(this.#compute(), atMs);
  }

  /** The time of this node's rooms, in Unix ms. */
  get nowMs(): number {
    return this.#place.roomMs();
  }

  /** The event of now, if there is one, also while an operator's order makes no difference of it. */
  get event(): EventNow | undefined {
    return this.#at.room.event;
  }

  /** When the time of an event next changes the room, in Unix ms. */
  get untilMs(): number {
    return this.#at.untilMs;
  }

  /** Since when no event has changed the room. */
  get sinceMs(): number {
    return this.#at.sinceMs;
  }

  /** An event has begun or ended: the room changes as if an operator had changed it at that moment. */
  turn(): void {
    const room = this.#compute();
    this.meshRoom.configure(room, this.#at.sinceMs);
  }

  /** Its room was deleted: its draws are gone. */
  retire(): void {
    this.#place.roomNode.draws?.leave(this.#publicRoom);
  }

  /** What the secrets of its draws are made from; undefined where it never had one. */
  get drawKey(): string | undefined {
    return this.#stored.drawKey;
  }

  /** Those of its origins that may not lead to a node itself, by URL. */
  get outside(): readonly string[] {
    return this.#stored.outside;
  }

  /** The draws of its events, the first one first. */
  get draws(): readonly EventDraw[] {
    const events = [...(this.declared.events ?? [])].sort((one, other) => one.startMs - other.startMs);
    return this.#drawsOf(events);
  }

  #drawsOf(events: readonly RoomEvent[]): readonly EventDraw[] {
    const { registers, roomNode } = this.#place;
    const roomKey = this.drawKey;
    if (roomKey === undefined || roomNode.draws === undefined) return [];
    const values = drawValuesIn(registers.get(drawValuesKey(this.id)));
    const ground = { mesh: roomNode.meshId, room: this.#publicRoom, roomKey, values, nowMs: this.nowMs };
    return events.flatMap((event) => drawOfEvent(event, ground) ?? []);
  }

  #roomAt(declared: Room): RoomAt {
    const { draws } = this.#place.roomNode;
    const room = this.#publicRoom;
    const known = new Map<string, EventDraw>();
    const at = roomAt(declared, this.#place.roomMs(), (event) => {
      const [draw] = this.#drawsOf([event]);
      if (draw === undefined) return undefined;
      known.set(draw.key, draw);
      return { key: draw.key, startMs: event.startMs, seed: draw.opened?.seed };
    });
    const draw = known.get(at.room.draw?.key ?? "");
    if (draw === undefined) draws?.leave(room);
    else draws?.follow({ key: draw.key, room, startMs: draw.terms.startMs, endMs: draw.endMs });
    return at;
  }

  get #publicRoom(): string {
    return publicRoom(this.id, this.#place.roomNode.notary);
  }

  /** The room as it works now. */
  #compute(): Room {
    this.#at = this.#roomAt(this.declared);
    this.#room = inForce(this.#at.room, this.#order);
    return this.#room;
  }
}

/** Where a room's requests go. Asserts that the room's documents were checked. */
export function originPlan(
  { origin, originHost, rollout, queueIt, newUsersPerMinute }: Room,
  defaultOrigin: OriginTarget | undefined,
  outside: readonly string[] = [],
): OriginPlan {
  // Its visitors go back to their site, which the node does not ask.
  if (queueIt !== undefined) return { shares: [], rollout: undefined, perMinute: 0, isNeedless: true };
  const named = (address: OriginTarget): OriginTarget =>
    originHost === "" ? address : { ...address, askedAs: originHost };
  const declared = (url: string): OriginTarget =>
    named({ ...originTarget(url), ...(outside.includes(url) && { isOutside: true }) });
  const placed = (shares: readonly OriginShare[]) =>
    shares.map((share) => ({ ...share, address: declared(share.url) }));
  const own = defaultOrigin && { url: urlOf(defaultOrigin), weight: 1, address: named(defaultOrigin) };
  return {
    shares: origin === undefined ? (own === undefined ? [] : [own]) : placed(sharesOf(origin)),
    rollout: origin === undefined ? undefined : rollout && { ...rollout, from: placed(rollout.from) },
    perMinute: newUsersPerMinute,
  };
}

/** The parsed base URL; configuration has checked it. */
export function originTarget(url: string): OriginTarget {
  const target = parseOrigin(url);
  if (target === undefined) throw new Error("Broken: configuration has checked the origin");
  return target;
}

function urlOf({ tls, authority, basePath }: OriginTarget): string {
  return `${tls ? "https" : "http"}://${authority}${basePath}`;
}
