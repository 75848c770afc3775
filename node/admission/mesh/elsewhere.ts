/**
 * Where a room's free slots and its waiting visitors are, as far as this node has heard: the map for borrowing, lending
 * and requesting slots.
 *
 * A locality keeps in reserve what its visitors will need according to last minute's traffic; the reserve opens as the
 * minute passes. It lends nothing that is due to its own visitors who have waited at least as long; and it refuses no
 * reserve to a visitor who has waited for more than a minute. Gauges are up to a second old: all of this affects order
 * and speed, never limits.
 */

import type { Minute, NodeId, RoomId } from "../../../mesh/core/ids.ts";
import { minutePlus } from "../../../mesh/core/minute.ts";
import type { Room } from "../../config/room.ts";
import { KEYS_PER_MS } from "../queue-order.ts";
import type { RoomConfig } from "../room-config.ts";
import { splitByTraffic } from "../traffic-split.ts";
import { countBefore, type LinePlaces, sizeOf } from "./line-places.ts";
import { type Both, leastOf, NOTHING, plus } from "./own-slots.ts";
import type { Gauge, RoomNode, Waiting } from "./room-node.ts";

/** How long a node's answer counts, or until it next reports what it has; an answer may have been lost. */
const CORRECTED_MS = 1_000;

/** By locality: its line. */
export type Lines = ReadonlyMap<string, Waiting>;

interface Corrected {
  readonly gauge: Gauge | undefined;
  readonly free: Both;
  readonly untilMs: number;
}

export interface ElsewhereParts {
  readonly id: RoomId;
  readonly roomNode: RoomNode;
  readonly config: RoomConfig;
}

export class Elsewhere {
  readonly #id: RoomId;
  readonly #roomNode: RoomNode;
  readonly #config: RoomConfig;
  /** What is free here, computed at most once a step. */
  readonly #ownFree: (nowMs: number) => Both;
  readonly #corrected = new Map<NodeId, Corrected>();
  /** Lines of other localities, as they were told. */
  readonly #byMinute = new WeakMap<LinePlaces, Waiting>();
  /** Reserves at a moment: a node that looks for slots needs those of all localities. */
  #split: { readonly nowMs: number; readonly reserved: ReadonlyMap<string, number> } | undefined;

  constructor({ id, roomNode, config }: ElsewhereParts, ownFree: (nowMs: number) => Both) {
    this.#id = id;
    this.#roomNode = roomNode;
    this.#config = config;
    this.#ownFree = ownFree;
  }

  /** Free slots of a node, as it last reported. */
  freeAt(node: NodeId, nowMs: number): Both {
    if (node === this.#roomNode.self) return this.#ownFree(nowMs);
    const gauge = this.#roomNode.gauge(node, this.#id);
    const corrected = this.#corrected.get(node);
    if (corrected?.gauge === gauge && corrected !== undefined && nowMs < corrected.untilMs) return corrected.free;
    return gauge ?? NOTHING;
  }

  /** Records what a node could still lend, by its own report: until it next reports what it has. */
  correct(node: NodeId, free: Both, nowMs: number): void {
    const gauge = this.#roomNode.gauge(node, this.#id);
    for (const [other, { untilMs }] of this.#corrected) if (untilMs <= nowMs) this.#corrected.delete(other);
    this.#corrected.set(node, { gauge, free, untilMs: nowMs + CORRECTED_MS });
  }

  /** Free slots of a locality's nodes, without those of `except`. */
  freeIn(locality: string, nowMs: number, except?: NodeId): Both {
    const nodes = this.#roomNode.alive().get(locality) ?? [];
    return nodes.reduce((sum, node) => (node === except ? sum : plus(sum, this.freeAt(node, nowMs))), NOTHING);
  }

  /** Slots that are free on all nodes, in the site as well. */
  free(nowMs: number): Both {
    return leastOf(this.#ownFreeAnywhere(nowMs), this.#config.site?.freeAnywhere(nowMs));
  }

  #ownFreeAnywhere(nowMs: number): Both {
    const localities = [this.#roomNode.locality, ...this.#others()];
    return localities.reduce((sum, locality) => plus(sum, this.freeIn(locality, nowMs)), NOTHING);
  }

  /** New visitors that all nodes together could admit now. */
  pairs(nowMs: number): number {
    const { active, arrivals } = this.free(nowMs);
    return Math.min(active, arrivals);
  }

  /** Visitors waiting in another locality, as its ticket counter last reported. */
  waitingIn(locality: string): Waiting {
    for (const node of this.#roomNode.alive().get(locality) ?? []) {
      const { places = [] } = this.#roomNode.gauge(node, this.#id) ?? {};
      if (places.length > 0)
        return this.#byMinute.getOrInsertComputed(places, () => waitingByMinute(places, this.#roomNode.minuteMs));
    }
    return [];
  }

  /** Visitors before `place` in all lines but that of `line`; `here` is the line of this locality. */
  ahead(place: number, line: string, here: LinePlaces): number {
    let ahead = line === this.#roomNode.locality ? 0 : countBefore(here, place);
    for (const [locality, places] of this.#places()) if (locality !== line) ahead += countBefore(places, place);
    return ahead;
  }

  /** Whether some other locality has members that answer, and none of these has told its line yet. */
  get isUntold(): boolean {
    const { locality: own } = this.#roomNode;
    const hasTold = (node: NodeId): boolean => this.#roomNode.gauge(node, this.#id) !== undefined;
    const others = this.#roomNode.alive().entries();
    return others.some(([locality, nodes]) => locality !== own && !nodes.some(hasTold));
  }

  /**
   * By other locality: its line as told last, also by a node that does not answer now. Its visitors wait all the same,
   * and a number that was too low once stays so. Where two nodes tell a line, the longer one counts: the other node only
   * stood in.
   */
  #places(): Map<string, LinePlaces> {
    const roomNode = this.#roomNode;
    const lines = new Map<string, LinePlaces>();
    for (const node of roomNode.others) {
      const locality = roomNode.localityOf(node);
      const places = roomNode.gauge(node, this.#id)?.places ?? [];
      if (locality === undefined || locality === roomNode.locality) continue;
      if (sizeOf(places) > sizeOf(lines.get(locality) ?? [])) lines.set(locality, places);
    }
    return lines;
  }

  /** By locality: the lines of the others, as far as heard. */
  lines(): Lines {
    return new Map(this.#others().map((locality) => [locality, this.waitingIn(locality)]));
  }

  /** How many of the slots that are free anywhere are for the line of a locality; `here` means the own one. */
  dueIn(locality: string, here: Waiting, nowMs: number): number {
    return due(this.#nameOf(locality), this.pairs(nowMs), this.#allLines(here, nowMs));
  }

  /** How many of so many slots are for the line of this locality, which is `here`, and for new visitors after it. */
  dueOf(here: Waiting, nowMs: number): (slots: number) => number {
    const lines = this.#allLines(here, nowMs);
    return (slots) => due(this.#nameOf(this.#roomNode.locality), Math.floor(slots), lines);
  }

  /** Of each line of this room, those who could have the slots that are free in it, whatever its site has. */
  claims(here: Waiting, nowMs: number): Lines {
    const lines = new Map(this.lines()).set(this.#roomNode.locality, here);
    const { active, arrivals } = this.#ownFreeAnywhere(nowMs);
    const pairs = Math.min(active, arrivals);
    return new Map(Array.from(lines, ([name, line]) => [name, firstOf(line, due(name, pairs, lines))]));
  }

  /** Whether visitors of other rooms wait for slots of the same site. */
  hasRivals(nowMs: number): boolean {
    return this.#rivals(nowMs).size > 0;
  }

  /** The lines of other rooms that wait for slots of the same site, as far as these rooms have slots for them. */
  #rivals(nowMs: number): Map<string, Waiting> {
    const { site, members = [] } = this.#config;
    const rivals = new Map<string, Waiting>();
    for (const { id, claims } of site?.rooms ?? members)
      if (id !== this.#id)
        for (const [locality, line] of claims(nowMs)) if (line.length > 0) rivals.set(`${id} ${locality}`, line);
    return rivals;
  }

  #nameOf(locality: string): string {
    return `${this.#id} ${locality}`;
  }

  /** By room and locality: all lines that wait for the same slots. */
  #allLines(here: Waiting, nowMs: number): Lines {
    const own = new Map(this.lines()).set(this.#roomNode.locality, here);
    const named = Array.from(own, ([locality, line]) => [this.#nameOf(locality), line] as const);
    return new Map([...named, ...this.#rivals(nowMs)]);
  }

  /** Whether visitors wait in another locality, or for a member of this site, as far as heard. */
  isLineElsewhere(): boolean {
    if (this.#config.members?.some(({ hasLine }) => hasLine) === true) return true;
    return this.#others().some((locality) => this.waitingIn(locality).length > 0);
  }

  /**
   * Slots of a locality that are kept back from a visitor of another one who joined in `joined`: its reserve, or what
   * its own line is due (`here` for the own locality), whichever is more. None are kept for visitors who joined later.
   */
  keptBack(locality: string, room: Room, by: { joined: Minute; here: Waiting; nowMs: number }): number {
    const { joined, here, nowMs } = by;
    const minute = Math.floor(nowMs / this.#roomNode.minuteMs) as Minute;
    const waiting = locality === this.#roomNode.locality ? here : this.waitingIn(locality);
    const older = waiting.reduce((sum, [since, count]) => (since <= joined ? sum + count : sum), 0);
    const owed = older === 0 ? 0 : Math.min(older, this.dueIn(locality, here, nowMs));
    if (joined < minute - 1) return owed;
    return Math.max(owed, this.#reserve(locality, room, { minute, nowMs }));
  }

  #others(): string[] {
    return [...this.#roomNode.alive().keys()].filter((locality) => locality !== this.#roomNode.locality);
  }

  /**
   * How many of the free slots a locality should have for the rest of this minute, by the traffic of the minute before.
   */
  #reserve(locality: string, room: Room, { minute, nowMs }: { minute: Minute; nowMs: number }): number {
    if (this.#split?.nowMs !== nowMs) this.#split = { nowMs, reserved: this.#reserved(room, { minute, nowMs }) };
    const passed = (nowMs % this.#roomNode.minuteMs) / this.#roomNode.minuteMs;
    return Math.ceil((this.#split.reserved.get(locality) ?? 0) * (1 - passed));
  }

  /** The same for all localities, for a whole minute. */
  #reserved(room: Room, { minute, nowMs }: { minute: Minute; nowMs: number }): ReadonlyMap<string, number> {
    const trafficHistory = this.#roomNode.seen(this.#id, minutePlus(minute, -1));
    const { totalActiveUsers, newUsersPerMinute } = room;
    return splitByTraffic({
      totalActiveUsers,
      newUsersPerMinute,
      activeUsers: totalActiveUsers - Math.min(totalActiveUsers, this.pairs(nowMs)),
      globalWorkersActive: 1,
      dataCenterWorkersActive: 1,
      trafficHistory,
    }).reserved;
  }
}

/** A line's visitors by the minute they joined in, oldest first: those of a range at the minute of its first place. */
export function waitingByMinute(places: LinePlaces, minuteMs: number): Waiting {
  const byMinute = new Map<Minute, number>();
  for (const [low, , count] of places) {
    const minute = Math.floor(low / KEYS_PER_MS / minuteMs) as Minute;
    byMinute.set(minute, (byMinute.get(minute) ?? 0) + count);
  }
  return [...byMinute].sort(([one], [other]) => one - other);
}

/**
 * How many of a locality's line are among those admitted on `free` slots, the oldest of all `lines` first. Visitors who
 * joined in the same minute are equally old: of the last slots each line gets its proportional part, in whole slots
 * that add up to all.
 */
export function due(locality: string, free: number, lines: Lines): number {
  const own = lines.get(locality) ?? [];
  let called = 0;
  for (const [joined, count] of own) {
    let older = 0;
    let [before, together] = [0, count];
    for (const [name, line] of lines) {
      if (name === locality) continue;
      for (const [since, among] of line) {
        if (since < joined) older += among;
        if (since !== joined) continue;
        together += among;
        if (name < locality) before += among;
      }
    }
    const left = free - older - called;
    if (left <= 0) return called;
    if (left < together) return called + share(left, before + count, together) - share(left, before, together);
    called += count;
  }
  // No visitor is left in line: the rest is for new ones.
  let waiting = 0;
  for (const [name, line] of lines) if (name !== locality) for (const [, among] of line) waiting += among;
  return Math.max(called, free - waiting);
}

/** The first so many visitors of a line. */
function firstOf(line: Waiting, visitors: number): Waiting {
  let left = visitors;
  return line.flatMap(([minute, count]): Waiting => {
    const taken = Math.min(left, count);
    left -= taken;
    return taken > 0 ? [[minute, taken]] : [];
  });
}

function share(slots: number, part: number, whole: number): number {
  return Math.floor((slots * part) / whole);
}
