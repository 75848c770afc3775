/**
 * A node's status, read from its rooms and its part in the mesh at one instant.
 */

import type { Minute } from "../../../mesh/core/ids.ts";
import type { Instant } from "../../../mesh/core/instant.ts";
import { sizeOf } from "../../admission/mesh/line-places.ts";
import { cutOffFigures } from "../../config/cut-off-figures.ts";
import { lastGood, nextStepMs, PASS_NUMBER_MAX, type Wave } from "../../config/waves.ts";
import { LEVELS, type Pressure } from "../../gate/pressure.ts";
import { tenths } from "../../origin/rollout.ts";
import type { Peer } from "../../peer/peer.ts";
import { apiEventNow, apiNextEvent } from "../../rooms/api-room.ts";
import type { RoomsFileStatus } from "../../rooms/declared-rooms.ts";
import type { LiveRoom } from "../../rooms/live-room.ts";
import { orderStatus } from "../../rooms/room-order.ts";
import { shownNames } from "./node-labels.ts";
import { holdingIn, paceWords } from "./pace-words.ts";
import { idleStatus, sharesOf } from "./shares.ts";
import { removalMs } from "./silent-ends.ts";
import type {
  MemberStatus,
  NodeStatus,
  OriginStatus,
  PaceStatus,
  RoomLocality,
  RoomState,
  RoomStatus,
  WaveStatus,
} from "./status.ts";

export interface StatusSource {
  readonly version: string;
  readonly peer: Peer;
  readonly meshId: string;
  /** Where other nodes can dial this one. */
  readonly addresses?: readonly string[];
  readonly startedMs: number;
  readonly nowMs: number;
  /** Called when somebody reads them, once at most. */
  readonly warnings: () => readonly string[];
  readonly roomsFile?: RoomsFileStatus | undefined;
  /** When the metrics were last read. */
  readonly metricsReadMs?: number | undefined;
  readonly rooms: readonly LiveRoom[];
  readonly pressure?: Pressure;
}

export function statusOf(source: StatusSource): NodeStatus {
  const { version, peer, meshId, startedMs, nowMs, roomsFile, rooms, pressure } = source;
  let warnings: readonly string[] | undefined;
  const isBrief = (pressure?.level ?? LEVELS.none) >= LEVELS.plain;
  const { view } = peer.members;
  const now = { ...peer.now, wallMs: nowMs };
  const { framesIn, framesOut, bytesIn, bytesOut, publishedIn, publishedOut, punished } = peer.counts;
  return {
    version,
    node: peer.roomNode.self,
    ...(peer.names.own !== undefined && { name: peer.names.own }),
    names: shownNames(peer),
    locality: peer.roomNode.locality,
    mesh: meshId,
    uptime_seconds: Math.floor((nowMs - startedMs) / 1_000),
    minute_ms: peer.roomNode.minuteMs,
    now_ms: nowMs,
    // When somebody reads them: a node's own look for notices, once a second, does not.
    get warnings() {
      warnings ??= source.warnings();
      return warnings;
    },
    ...(roomsFile !== undefined && { rooms_file: roomsFile }),
    wire: { speaks: peer.members.wire, newest: peer.members.newestWire },
    view: view === undefined ? null : { number: view.number, members: view.members.length, voters: view.voters.length },
    lease: peer.members.lease(now),
    clock: clockOf(peer, now),
    cut_off: cutOffOf(peer),
    gossip: {
      frames_sent: framesOut + publishedOut,
      frames_received: framesIn + publishedIn,
      bytes_sent: bytesOut,
      bytes_received: bytesIn,
      dropped: { ...peer.dropped, ...peer.replica.refused },
      peers_punished: punished,
    },
    metrics_read_ms: source.metricsReadMs ?? null,
    ...(pressure !== undefined && {
      pressure: {
        level: pressure.level,
        since_ms: pressure.sinceMs,
        lag_ms: Math.round(pressure.lagMs),
        memory: Math.round(pressure.memory * 1_000) / 1_000,
      },
    }),
    rooms: rooms.map((live) => roomStatusOf(live, peer, { nowMs, isBrief })),
    members: membersOf(peer, source.addresses ?? []),
  };
}

function cutOffOf({ members, leaseMs, roomNode: { minuteMs } }: Peer): NonNullable<NodeStatus["cut_off"]> {
  const { browsesMs, idleMs } = cutOffFigures({ leaseMs, minuteMs }, members.sessions.longest);
  return { browses_ms: browsesMs, idle_ms: idleMs };
}

function clockOf({ members }: Peer, now: Instant): NodeStatus["clock"] {
  const behindMs = members.clocks.behindMs(now);
  const holdsBack = members.lease(now) === "held" && !members.mayAct(now);
  return { offset_ms: behindMs === undefined ? null : -Math.round(behindMs), holds_back: holdsBack };
}

function membersOf(peer: Peer, ownAddresses: readonly string[]): MemberStatus[] {
  const { members, roomNode, now } = peer;
  const removedMs = removalMs(members, now);
  return members.status(now).map(({ node, locality, state, roundTripMs, clockOffsetMs, isVoter, newestWire }) => {
    const isSelf = node === roomNode.self;
    const isSilent = isSelf || state !== "alive";
    const leaseUntilMs = isSelf ? members.leaseHeldUntilMs(now) : undefined;
    const isEndless = leaseUntilMs === undefined || leaseUntilMs === Number.POSITIVE_INFINITY;
    const [name, addresses] = [peer.names.all.get(node), isSelf ? ownAddresses : peer.addressesOf(node)];
    return {
      node,
      ...(name !== undefined && { name }),
      ...(addresses.length > 0 && { addresses }),
      locality,
      state,
      self: isSelf,
      removal_ms: state === "unreachable" && removedMs !== undefined ? Math.round(removedMs) : null,
      round_trip_ms: isSilent || roundTripMs === undefined ? null : Math.round(roundTripMs * 100) / 100,
      clock_offset_ms: clockOffsetMs === undefined ? null : Math.round(clockOffsetMs),
      lease: isSelf ? members.lease(now) : state === "alive" ? (peer.leaseOf(node) ?? null) : null,
      lease_seconds_left: isEndless ? null : Math.max(0, Math.round((leaseUntilMs - now.wallMs) / 1_000)),
      newest_wire: newestWire ?? null,
      voter: isVoter,
    };
  });
}

function roomStatusOf(live: LiveRoom, peer: Peer, { nowMs, isBrief }: { nowMs: number; isBrief: boolean }): RoomStatus {
  const { id, room, admission, meshRoom } = live;
  const mustWait = !meshRoom.isOpen(nowMs);
  const minute = admission.minuteAt(nowMs);
  const localities = localitiesOf(meshRoom, peer, { minute, nowMs });
  const waiting = localities.reduce((sum, locality) => sum + locality.waiting, 0);
  const others = (peer.members.view?.members ?? []).flatMap(({ node }) => (node === peer.roomNode.self ? [] : [node]));
  const insideHere = admission.inside(nowMs) + admission.insidePots(nowMs);
  const admittedHere = admission.admittedInMinute(nowMs);
  const shares = isBrief ? [] : sharesOf(room, peer, { room: id, minute });
  return {
    id,
    name: room.name,
    state: stateOf(live, mustWait),
    operator_order: orderStatus(live.order),
    event: live.event === undefined ? null : apiEventNow(live.event),
    next_event: apiNextEvent(live),
    ...siteOf(live),
    // For nodes that do not answer, their last report: their sessions may still exist.
    inside: others.reduce((sum, node) => sum + (peer.roomNode.gauge(node, id)?.inside ?? 0), insideHere),
    inside_here: insideHere,
    total_active_users: room.totalActiveUsers,
    waiting,
    waiting_here: admission.waiting,
    admitted_this_minute: localities.reduce((sum, of) => sum + of.admitted_this_minute, 0),
    admitted_here_this_minute: admittedHere,
    new_users_per_minute: room.newUsersPerMinute,
    wait_seconds: waitSeconds(live, peer, nowMs),
    passes_here: { ...live.counts.passes },
    ...(room.waves.length > 0 && { waves: room.waves.map((wave) => waveStatus(wave, nowMs)) }),
    proofs_here: { ...live.counts.proofs },
    pace: paceOf(live),
    localities: isBrief ? [] : localities,
    shares,
    ...(!isBrief && { idle: idleStatus(shares, room) }),
    origin: originOf(live, nowMs),
  };
}

function waveStatus(wave: Wave, nowMs: number): WaveStatus {
  const { name, isPaused, count = null } = wave;
  const good = lastGood(wave, nowMs);
  const nextMs = count !== null && good >= count ? undefined : nextStepMs(wave, nowMs);
  return {
    name,
    good: count === null ? good : Math.min(good, count),
    count,
    paused: isPaused,
    next_ms: nextMs ?? null,
    next: nextMs === undefined ? null : Math.min(lastGood(wave, nextMs), count ?? PASS_NUMBER_MAX),
  };
}

/** The room of which its visitors take slots, too. */
function siteOf({ declared, meshRoom }: LiveRoom): Pick<RoomStatus, "site"> {
  const { name, site } = declared;
  const words = {
    none: "",
    open: `${name}: its site ${site} is opened or suspended, and does not bound it`,
    held: `${name}: its site ${site} is held, and so is this room`,
    bounding: `${name}: each visitor takes a slot of ${site}, too`,
    unknown: `${name}: its site ${site} is not known at this node, so nobody is admitted here`,
  }[meshRoom.siteState];
  return words === "" ? {} : { site: { name: site, words } };
}

/** Wait of the next visitor to come; null while it is not known. */
export function waitSeconds({ id, room, admission, meshRoom }: LiveRoom, peer: Peer, nowMs: number): number | null {
  if (meshRoom.isOpen(nowMs) || room.suspended) return 0;
  const wait = peer.roomNode.mayAct(id) ? admission.waitAt(meshRoom.waitingHere + 1, nowMs) : undefined;
  return wait?.isKnown ? wait.seconds : null;
}

function originOf({ origin, room: { rollout } }: LiveRoom, nowMs: number): OriginStatus {
  const sessions = origin.all.reduce((sum, target) => sum + target.sessions(nowMs), 0);
  const parts = origin.all.reduce((sum, target) => sum + origin.weightAt(target, nowMs), 0);
  return {
    reachable: origin.isReachable(nowMs),
    targets: origin.all.map((target) => {
      const { url, health, weight } = target;
      const { requests, failures } = target.record(nowMs);
      return {
        url,
        state: health.isUp ? "up" : "down",
        since_ms: health.sinceMs,
        reason: health.isUp ? null : health.reason,
        weight,
        part: parts === 0 ? 0 : origin.weightAt(target, nowMs) / parts,
        sessions_here: target.sessions(nowMs),
        share_here: sessions === 0 ? null : target.sessions(nowMs) / sessions,
        requests_here: requests,
        failures_here: failures,
      };
    }),
    rollout:
      rollout === undefined
        ? null
        : {
            state: rollout.state,
            percent: tenths(origin.percent(nowMs)),
            started_ms: rollout.startedMs,
            words: origin.words(nowMs) ?? "",
          },
  };
}

function paceOf(live: LiveRoom): PaceStatus | null {
  const { room, meshRoom } = live;
  const holding = holdingIn(live);
  if (holding === undefined) return null;
  return {
    reason: holding.reason,
    words: paceWords(room, holding),
    per_minute: Math.floor(holding.perMinute),
    held_back: holding.share ?? null,
    ramp_started_ms: room.ramp === undefined ? null : meshRoom.pace.startMs,
  };
}

function localitiesOf(
  room: LiveRoom["meshRoom"],
  { roomNode }: Peer,
  { minute, nowMs }: { minute: Minute; nowMs: number },
): RoomLocality[] {
  return [...roomNode.alive()]
    .map(([locality, nodes]) => {
      const gauges = nodes.map((node) => (node === roomNode.self ? room.gauge(nowMs) : roomNode.gauge(node, room.id)));
      const isHere = locality === roomNode.locality;
      const told = gauges.reduce((sum, gauge) => sum + sizeOf(gauge?.places ?? []), 0);
      return {
        locality,
        ticket_counter: room.countersIn(locality)[0] ?? null,
        nodes: nodes.length,
        free: gauges.reduce((sum, gauge) => sum + (gauge?.active ?? 0), 0),
        waiting: isHere ? room.waitingHere : told,
        admitted_this_minute: gauges.reduce((sum, gauge) => sum + (gauge?.minute === minute ? gauge.admitted : 0), 0),
      };
    })
    .sort((one, other) => (one.locality < other.locality ? -1 : 1));
}

function stateOf({ room, order }: LiveRoom, mustWait: boolean): RoomState {
  if (room.suspended) return "suspended";
  if (room.queueAll) return room.event?.phase === "prequeue" && order === undefined ? "prequeue" : "held";
  if (room.queueingMethod === "passthrough") return "passthrough";
  if (room.queueingMethod === "reject") return "rejecting";
  return mustWait ? "queueing" : "free";
}
