/**
 * What this node hears about other localities in a mesh of two tiers, and what it says about its own if it is the
 * speaker.
 *
 * A speaker sends the speakers of the others a digest: per room the free slots of nodes that may be asked, the line,
 * and sums. A node that receives one from another locality passes it on in its own, once, together with others that
 * have arrived meanwhile. Like node gauges, a digest serves to move slots and to inform people, never to admit: it may
 * be late, doubled or lost.
 */

import type { Minute, NodeId, RoomId } from "../../mesh/core/ids.ts";
import type { Instant } from "../../mesh/core/instant.ts";
import type { Members } from "../../mesh/core/members/members.ts";
import { speakerOf } from "../../mesh/core/members/tiers.ts";
import { minuteOf, minutePlus } from "../../mesh/core/minute.ts";
import type { Outgoing } from "../../mesh/core/wire/outbox.ts";
import type { MeshRoom } from "../admission/mesh/mesh-room.ts";
import {
  IDLE_MAX,
  type IdleShare,
  LENDERS_MAX,
  type SiteData,
  type SiteRoomData,
  type SitesMessage,
} from "../admission/mesh/room-messages.ts";
import type { Gauge, HeardGauges } from "../admission/mesh/room-node.ts";
import { type Site, Sites } from "../admission/mesh/sites.ts";

/** An unchanged digest is sent again, for nodes that missed it. Connections show which nodes are up meanwhile. */
const AGAIN_MS = 15_000;
/**
 * Pause between two digests of a locality, per locality: each is a message to every other speaker, so that a speaker
 * hears 40 a second.
 */
const MS_PER_LOCALITY = 25;
/** Where there are few, slots drift once a second. */
const PAUSE_MS = 1_000;
/** Older digests are ignored: three of them may be lost. Doubled, nodes ask for slots where none are. */
const OLD_MS = 45_000;

export interface LocalitiesParts {
  readonly self: NodeId;
  readonly locality: string;
  readonly minuteMs: number;
  readonly members: Members;
  readonly rooms: ReadonlyMap<RoomId, MeshRoom>;
  readonly outbox: Outgoing<SitesMessage>;
  /** Of nodes that are heard themselves. */
  readonly gauges: ReadonlyMap<NodeId, HeardGauges>;
  readonly seenAt: (room: RoomId, node: NodeId, minute: Minute) => number;
  /** What is idle at this node. */
  readonly idle: () => readonly IdleShare[];
}

interface Heard extends Read {
  readonly data: SiteData;
  readonly from: NodeId;
  readonly saidMs: number;
}

/** What is derived from a digest. */
interface Read {
  readonly sites: ReadonlyMap<RoomId, Site>;
  /** By room and place, computed on request: few are requested. */
  readonly gauges: Map<string, Gauge>;
  /** Places of members there that do not answer. */
  readonly silent: ReadonlySet<number>;
}

/** By digest: a simulation of many nodes reads a frame once for all that hear it. */
const READ = new WeakMap<SiteData, Read>();

function readOf(data: SiteData): Read {
  const before = READ.get(data);
  if (before !== undefined) return before;
  const sites = new Map(data.rooms.map((reported) => [reported.room, siteOf(reported)]));
  const read = { sites, gauges: new Map(), silent: new Set(data.silent) };
  READ.set(data, read);
  return read;
}

/** When `#sites` was last put together, and from what: digests that come later are added one by one. */
interface Counted {
  readonly farVersion: number;
  /** When the oldest of it was said. */
  oldestMs: number;
  readonly localities: ReadonlySet<string>;
}

const NO_SITES = new Sites();

export class Localities {
  readonly #parts: LocalitiesParts;
  readonly #heard = new Map<string, Heard>();
  /** By room, what of it counts. */
  readonly #sites = new Map<RoomId, Sites>();
  #counted: Counted = { farVersion: Number.NaN, oldestMs: Number.POSITIVE_INFINITY, localities: new Set() };
  /** Heard from other localities and not passed on yet. */
  readonly #toPassOn = new Set<string>();
  /** Changes whenever a node of another locality starts or stops holding back. */
  heldVersion = 0;
  #said = { atMs: Number.NEGATIVE_INFINITY, text: "" };

  constructor(parts: LocalitiesParts) {
    this.#parts = parts;
  }

  /** The last report about a room from other localities that answer, if it is not too old. */
  sites(room: RoomId, now: Instant): Sites {
    const isOld = now.steadyMs - this.#counted.oldestMs > OLD_MS;
    if (isOld || this.#counted.farVersion !== this.#parts.members.reach.farVersion) this.#count(now);
    return this.#sites.get(room) ?? NO_SITES;
  }

  /** What that report said about a node of another locality. */
  gauge(node: NodeId, room: RoomId, { steadyMs }: Instant): Gauge | undefined {
    const { members } = this.#parts;
    const locality = members.localityOf(node) ?? "";
    const heard = this.#heard.get(locality);
    if (heard === undefined || steadyMs - heard.saidMs > OLD_MS) return undefined;
    const place = members.byLocality.get(locality)?.indexOf(node) ?? 0;
    const reported = heard.data.rooms.find((each) => each.room === room);
    return reported && heard.gauges.getOrInsertComputed(`${place} ${room}`, () => gaugeOf(place, reported));
  }

  /** What is idle in other localities. */
  idle({ steadyMs }: Instant): IdleShare[] {
    const heard = [...this.#heard.values()].filter(({ saidMs }) => steadyMs - saidMs <= OLD_MS);
    return heard.flatMap(({ data }) => data.idle ?? []);
  }

  /** Takes in a digest from `from`: of its own locality or, if it is in this one, what it has heard. */
  hear(from: NodeId, sites: readonly SiteData[], now: Instant): void {
    const { members, locality } = this.#parts;
    if (!members.isMember(from)) return;
    const theirs = members.localityOf(from);
    for (const site of sites) {
      if (site.view !== members.view?.number) continue;
      const isOwn = theirs === site.locality;
      if (site.locality === locality || (!isOwn && theirs !== locality)) continue;
      const saidMs = now.steadyMs - site.ageMs;
      const before = this.#heard.get(site.locality);
      if (before !== undefined && before.saidMs >= saidMs) continue;
      if (isOwn) this.#toPassOn.add(site.locality);
      this.#keep(site, isOwn ? from : (before?.from ?? from), saidMs);
    }
  }

  /** Forgets localities that no longer exist. */
  viewChanged(): void {
    const { byLocality } = this.#parts.members;
    for (const locality of this.#heard.keys()) if (!byLocality.has(locality)) this.#heard.delete(locality);
  }

  /** What to pass on in this locality since the last call; undefined if there is nothing. */
  takeHeard({ steadyMs }: Instant): SitesMessage | undefined {
    if (this.#toPassOn.size === 0) return undefined;
    const sites = [...this.#toPassOn].flatMap((locality) => {
      const heard = this.#heard.get(locality);
      return heard === undefined ? [] : { ...heard.data, ageMs: Math.max(0, Math.round(steadyMs - heard.saidMs)) };
    });
    this.#toPassOn.clear();
    return { kind: "sites", sites };
  }

  /** The speakers of the other localities, as far as known here. */
  otherSpeakers(now: Instant): NodeId[] {
    const { members, locality: here } = this.#parts;
    const speakers: NodeId[] = [];
    for (const [locality, nodes] of members.byLocality) {
      if (locality === here) continue;
      const from = this.#heard.get(locality)?.from;
      const isThere = (node: NodeId): boolean =>
        members.localityOf(node) === locality && members.reach.state(node, now) === "alive";
      const speaker = from !== undefined && isThere(from) ? from : speakerOf(locality, nodes.filter(isThere));
      if (speaker !== undefined) speakers.push(speaker);
    }
    return speakers;
  }

  /** Sends the digest to the others, when it is time: for this locality's speaker. */
  tell(now: Instant, roomMs: number | undefined): void {
    const { members, outbox } = this.#parts;
    const sinceMs = now.steadyMs - this.#said.atMs;
    if (sinceMs < Math.max(PAUSE_MS, members.byLocality.size * MS_PER_LOCALITY) - 50) return;
    const site = this.#own(now, roomMs);
    const text = JSON.stringify(site);
    if (text === this.#said.text && sinceMs < AGAIN_MS) return;
    this.#said = { atMs: now.steadyMs, text };
    const message = { kind: "sites", sites: [site] } as const;
    for (const speaker of this.otherSpeakers(now)) outbox.send(speaker, message);
  }

  /** Sends the next digest even if nothing has changed. */
  hurry(): void {
    this.#said.text = "";
  }

  #own(now: Instant, roomMs: number | undefined): SiteData {
    const { self, members, locality, rooms, gauges, idle } = this.#parts;
    const nodes = members.byLocality.get(locality) ?? [];
    const silent = nodes.flatMap((node, place) => (members.reach.state(node, now) === "alive" ? [] : place));
    const view = members.view?.number ?? 0;
    const known = roomMs === undefined ? [] : [...rooms.values()];
    const near = nodes
      .map((node) => (node === self ? idle() : gauges.get(node)?.idle))
      .flatMap((reported) => reported ?? []);
    return {
      locality,
      view,
      ageMs: 0,
      silent,
      rooms: known.map((room) => this.#ownRoom(room, nodes, roomMs ?? 0)),
      ...(near.length > 0 && { idle: near.slice(0, IDLE_MAX) }),
    };
  }

  #ownRoom(room: MeshRoom, nodes: readonly NodeId[], roomMs: number): SiteRoomData {
    const { self, minuteMs, seenAt, gauges } = this.#parts;
    const minute = minuteOf(roomMs, minuteMs);
    const reported = nodes.flatMap((node, place) => {
      const gauge = node === self ? room.gauge(roomMs) : gauges.get(node)?.rooms.get(room.id);
      return gauge === undefined ? [] : { place, gauge };
    });
    const free = reported
      .filter(({ gauge }) => gauge.mayAct && gauge.active + gauge.arrivals > 0)
      .sort((one, other) => richness(other.gauge) - richness(one.gauge))
      .slice(0, LENDERS_MAX)
      .map(({ place, gauge }) => [place, gauge.active, gauge.arrivals] as const);
    return {
      room: room.id,
      counter: Math.max(0, nodes.indexOf(room.counters()[0] ?? self)),
      free,
      held: reported.flatMap(({ place, gauge }) => (gauge.mayAct ? [] : place)),
      waiting: reported.map(({ gauge }) => gauge.waiting).find((waiting) => waiting.length > 0) ?? [],
      inside: reported.reduce((sum, { gauge }) => sum + gauge.inside, 0),
      admitted: reported.reduce((sum, { gauge }) => sum + (gauge.minute === minute ? gauge.admitted : 0), 0),
      minute,
      rampStartMs: reported.reduce((latest, { gauge }) => Math.max(latest, gauge.rampStartMs), 0),
      seen: nodes.reduce((sum, node) => sum + seenAt(room.id, node, minutePlus(minute, -1)), 0),
    };
  }

  #keep(data: SiteData, from: NodeId, saidMs: number): void {
    const { members } = this.#parts;
    const { locality } = data;
    const read = readOf(data);
    const { sites } = read;
    const before = this.#heard.get(locality)?.sites;
    const isSame = before?.size === sites.size && [...sites].every(([id, { held }]) => before.get(id)?.held === held);
    if (!isSame) this.heldVersion += 1;
    this.#heard.set(locality, { ...read, data, from, saidMs });
    members.reach.reported(locality, read.silent);
    if (!this.#counted.localities.has(locality)) return;
    for (const room of before?.keys() ?? []) if (!sites.has(room)) this.#sites.get(room)?.set(locality, undefined);
    this.#counted.oldestMs = Math.min(this.#counted.oldestMs, saidMs);
    this.#add(locality, sites);
  }

  /** Recomputes what counts: localities in which a node answers, if the report is not too old. */
  #count({ steadyMs, wallMs }: Instant): void {
    const { members } = this.#parts;
    const isThere = (node: NodeId): boolean => members.reach.state(node, { steadyMs, wallMs }) === "alive";
    const localities = new Set<string>();
    let oldestMs = Number.POSITIVE_INFINITY;
    this.#sites.clear();
    for (const [locality, nodes] of members.byLocality) {
      if (!nodes.some(isThere)) continue;
      localities.add(locality);
      const heard = this.#heard.get(locality);
      if (heard === undefined || steadyMs - heard.saidMs > OLD_MS) continue;
      oldestMs = Math.min(oldestMs, heard.saidMs);
      this.#add(locality, heard.sites);
    }
    this.#counted = { farVersion: members.reach.farVersion, oldestMs, localities };
  }

  #add(locality: string, sites: Heard["sites"]): void {
    for (const [room, site] of sites) this.#sites.getOrInsertComputed(room, () => new Sites()).set(locality, site);
  }
}

const NOBODY: readonly number[] = [];

function siteOf({ free, held, waiting, inside, admitted, minute, rampStartMs, seen }: SiteRoomData): Site {
  const active = free.reduce((sum, [, active]) => sum + active, 0);
  const arrivals = free.reduce((sum, [, , arrivals]) => sum + arrivals, 0);
  const sums = { free: { active, arrivals }, inside, admitted, minute, rampStartMs, seen };
  return { ...sums, held: held.length === 0 ? NOBODY : held, waiting };
}

/** A node's gauge as far as the digest gives it: what is given in sums counts as the ticket counter's. */
function gaugeOf(place: number, { counter, free, held, waiting, inside, admitted, ...same }: SiteRoomData): Gauge {
  const { minute, rampStartMs } = same;
  const isCounter = place === counter;
  const [, active, arrivals] = free.find(([at]) => at === place) ?? [place, 0, 0];
  return {
    active,
    arrivals,
    mayAct: !held.includes(place),
    waiting: isCounter ? waiting : [],
    inside: isCounter ? inside : 0,
    admitted: isCounter ? admitted : 0,
    minute,
    rampStartMs,
  };
}

function richness({ active, arrivals }: Gauge): number {
  return Math.max(active, arrivals);
}
