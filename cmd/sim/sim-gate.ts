/**
 * The gate of a simulated process, put together as in node/node.ts: rooms, group commit and gate on one `Peer`.
 */

import type { Instant } from "../../mesh/core/instant.ts";
import type { Batch } from "../../mesh/core/wire/outbox.ts";
import type { MeshRoom } from "../../node/admission/mesh/mesh-room.ts";
import { CookieSeal } from "../../node/cookie/seal.ts";
import { Gate } from "../../node/gate/gate.ts";
import { LEVELS } from "../../node/gate/pressure.ts";
import { ProxyWatch } from "../../node/gate/proxy-watch.ts";
import type { Surroundings } from "../../node/gate/surroundings.ts";
import type { Log } from "../../node/log.ts";
import type { Peer } from "../../node/peer/peer.ts";
import type { Ready } from "../../node/peer/peer-options.ts";
import { originTarget } from "../../node/rooms/live-room.ts";
import { Rooms } from "../../node/rooms/rooms.ts";
import { GroupCommit } from "../../node/storage/group-commit.ts";
import { StoredRooms } from "../../node/storage/stored-rooms.ts";
import { PLAIN } from "./plain-cipher.ts";

export interface SimGateParts {
  readonly peer: Peer;
  /** What was on disk when the process began. */
  readonly restored: ReadonlyMap<string, unknown>;
  readonly now: () => Instant;
  readonly minuteMs: number;
  readonly surroundings: Surroundings;
  /** Puts a step's writes on the disk, or throws. */
  readonly commit: (batch: Batch) => void;
  /** Puts rooms on disk before they are changed. */
  readonly store: (batch: Pick<Batch, "writes" | "isVote">) => void;
  readonly send: (ready: Ready) => void;
  /** A room begins. */
  readonly made: (room: MeshRoom) => void;
  /** Called when something waits for the end of the turn. */
  readonly woken: () => void;
  /** Called when a visitor waits for the next commit. */
  readonly awaited: () => void;
}

export interface SimGate {
  readonly rooms: Rooms;
  readonly commit: GroupCommit<Ready>;
  readonly gate: Gate;
}

const SILENT: Log = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
const PROXIES = new ProxyWatch({ trusted: [], log: SILENT });
/** Never asked: exchanges are answered by the world's own origin. */
const ORIGIN = originTarget("http://origin.example");

export function openGate({ peer, restored, now, minuteMs, ...parts }: SimGateParts): SimGate {
  const stored = new StoredRooms(restored, minuteMs);
  const clock = (): number => now().wallMs;
  const commit = new GroupCommit<Ready>({
    source: peer,
    commit: ({ batch }) => parts.commit(batch),
    send: parts.send,
    onRefused: () => {},
    onFault: (error) => {
      throw error;
    },
    atTurnEnd: parts.woken,
  });
  const rooms = new Rooms({
    roomNode: peer.roomNode,
    defaultOrigin: ORIGIN,
    clock,
    attach: (room) => {
      peer.add(room);
      parts.made(room);
    },
    restored: (id) => stored.restored(id, clock()),
    registers: {
      all: () => peer.replica.registers(),
      get: (key) => peer.replica.register(key),
      set: (values) => {
        const written = peer.replica.setRegisters(values, clock(), (writes) => parts.store({ writes, isVote: true }));
        commit.wake();
        return written;
      },
    },
  });
  const gate = new Gate({
    rooms,
    seal: new CookieSeal(PLAIN),
    commit: {
      wake: () => commit.wake(),
      afterCommit: (notify) => {
        parts.awaited();
        commit.afterCommit(notify);
      },
    },
    isReady: () => peer.isReady,
    beforeStep: () => peer.at(now()),
    clock: () => peer.roomMs,
    surroundings: parts.surroundings,
    minuteMs,
    defaultOrigin: ORIGIN,
    trustedProxies: [],
    proxies: PROXIES,
    originSecret: undefined,
    loopName: "anteroom-sim",
    log: SILENT,
    isLogged: () => false,
    hasAccessLog: false,
    pressure: () => LEVELS.none,
    lastAliveMs: undefined,
  });
  return { rooms, commit, gate };
}
