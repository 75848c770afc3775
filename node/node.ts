/**
 * One node, put together: store, its part in the mesh, rooms, gate and admin API, and the timers that drive them.
 *
 * Order at the start: identity and store (refused if another process uses them), rooms as stored, then those of the
 * rooms file, and only then the sockets: the mesh's, the gate's, the admin API's. The process edge (cmd/) handles
 * flags, files and signals.
 */

import { lookup } from "node:dns/promises";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { NodeId } from "../mesh/core/ids.ts";
import type { Instant } from "../mesh/core/instant.ts";
import { type Left, LINGER_MS } from "../mesh/core/members/leaver.ts";
import { islandKept } from "../mesh/core/members/longest-island.ts";
import { FILES_KEY } from "../mesh/core/replica/register-keys.ts";
import type { Puts } from "../mesh/core/wire/outbox.ts";
import { WIRES } from "../mesh/core/wire/wire-range.ts";
import { NODE_KEY_FILE, type NodeKey } from "../mesh/node-key.ts";
import { parseAddress } from "../mesh/seed-addresses.ts";
import { signaturesOf } from "../mesh/signatures.ts";
import type { Transport } from "../mesh/transport.ts";
import { startLibp2pTransport, TransportError } from "../mesh/transport-libp2p.ts";
import { claimPort } from "./claim-port.ts";
import { type Problem, problemText } from "./config/problem.ts";
import { addressText } from "./config/readers.ts";
import type { Room } from "./config/room.ts";
import type { Settings } from "./config/settings.ts";
import { servesNothing, startWarnings } from "./config/start-warnings.ts";
import { JweCipher } from "./cookie/jwe.ts";
import { KeyRing } from "./cookie/keys.ts";
import { CookieSeal } from "./cookie/seal.ts";
import { Gate } from "./gate/gate.ts";
import { Pressure } from "./gate/pressure.ts";
import { ProxyWatch } from "./gate/proxy-watch.ts";
import { PROCESS } from "./gate/surroundings.ts";
import { clientOf, parseCidr } from "./http/client.ts";
import { type HttpListener, listen } from "./http/listener.ts";
import { loopNameOf } from "./http/loop.ts";
import type { Exchange, ExchangeEnd } from "./http/message.ts";
import { ListenError, listening } from "./listening.ts";
import { isLogged, type Log } from "./log.ts";
import { messageOf } from "./message-of.ts";
import { adminApi, type MeshOrders } from "./operator/admin-api.ts";
import { faultHandler, type OnFault } from "./operator/faults.ts";
import { forgetOrders } from "./operator/forget-orders.ts";
import { withKnownHost } from "./operator/host-check.ts";
import { differingIslands } from "./operator/island-words.ts";
import { createMetrics } from "./operator/metrics.ts";
import { PaceLog } from "./operator/pace-log.ts";
import { silentMembers } from "./operator/silent-members.ts";
import type { NodeStatus } from "./operator/status.ts";
import { statusOf } from "./operator/status-of.ts";
import { rolloutText } from "./origin/rollout.ts";
import { ownHosts } from "./own-hosts.ts";
import { ClockWatch } from "./peer/clock-watch.ts";
import { incarnationOf, Peer } from "./peer/peer.ts";
import type { Ready } from "./peer/peer-options.ts";
import { DeclaredRooms } from "./rooms/declared-rooms.ts";
import { HealthChecks } from "./rooms/health-checks.ts";
import { originTarget } from "./rooms/live-room.ts";
import { httpProbe } from "./rooms/origin-probe.ts";
import { Rollouts } from "./rooms/rollouts.ts";
import { orderIn, orderText } from "./rooms/room-order.ts";
import { type Applied, type Changed, Rooms } from "./rooms/rooms.ts";
import { FILE_SEEN } from "./rooms/stored-file.ts";
import type { UnreadableRoom } from "./rooms/stored-room.ts";
import { DURABILITY_TEXTS, durabilityOf } from "./storage/boot-id.ts";
import { diskPlace } from "./storage/disk-place.ts";
import { DiskWatch, NotStored, unlessRefused } from "./storage/disk-watch.ts";
import { GroupCommit } from "./storage/group-commit.ts";
import {
  DataDirectoryError,
  ephemeralIdentity,
  type Identity,
  loadIdentity,
  looseSecrets,
  type MeshIdentity,
  newMesh,
  saveMesh,
} from "./storage/identity.ts";
import { damaged, newerStore, Store } from "./storage/store.ts";
import { ALIVE, FOUNDS } from "./storage/stored-node.ts";
import { StoredRooms } from "./storage/stored-rooms.ts";
import { look, wireProblem } from "./stored-entries.ts";

export interface NodeOptions {
  readonly settings: Settings;
  /** Rooms declared at the start. */
  readonly rooms: readonly Room[];
  readonly version: string;
  /** Certificate chain and key in PEM, if the gate speaks TLS. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  /** Certificates in PEM that origins are checked against, instead of the system's. */
  readonly originCa: string | undefined;
  /** Most client connections at once. */
  readonly connectionsMax: number;
  readonly log: Log;
  readonly clock: () => number;
  /** Ms that never go back. */
  readonly steadyClock: () => number;
  readonly memoryBytes: () => number;
  /** The memory that this process may use. */
  readonly memoryBytesMax: number;
  /** Ends the process at once, without saving anything: an invariant is broken. */
  readonly endNow: () => void;
}

/** Why a node ended by itself: it left the mesh, or its identity is over and the next start makes a new node. */
export interface NodeEnd {
  /** `stopped`: it should leave, and no node could take over. */
  readonly kind: "left" | "stopped" | "new-identity" | "replaced";
  readonly message: string;
}

export interface RunningNode {
  readonly gatePort: number;
  readonly adminPort: number;
  readonly meshId: string;
  readonly nodeId: NodeId;
  /** The addresses at which other nodes can reach this one. */
  readonly meshAddresses: readonly string[];
  /** Settled when the node has ended by itself and released everything. */
  readonly ended: Promise<NodeEnd>;
  /** The token of the admin API. */
  readonly token: string;
  readonly status: () => NodeStatus;
  /** Declares rooms, as `room apply` does. */
  readonly applyRooms: (rooms: readonly Room[]) => Changed<readonly Applied[]>;
  /** Accepts nothing new, finishes running requests within `deadlineMs`, saves, and releases everything. */
  readonly drain: (deadlineMs: number) => Promise<void>;
}

/** How often heartbeats, deadlines and housekeeping are checked; each has its own, longer pace. */
const TICK_MS = 100;

/** How long an answer of the admin API has to leave before the node ends. */
const ANSWER_MS = 100;

/** How often the time at which the process was last alive goes to disk. */
const ALIVE_MS = 500;

/** Starts a node. Throws `DataDirectoryError`, `ListenError`, or `RoomsRefused` for rooms that `rooms` refuses. */
export async function startNode(options: NodeOptions): Promise<RunningNode> {
  const { settings, log, clock, version } = options;
  const { minuteMs } = settings;
  const identity = await identityOf(settings);
  const storePath = settings.ephemeral ? ":memory:" : join(settings.data, "anteroom.db");
  const { durability, boot } = durabilityOf(settings.durability);
  const store = new Store(storePath, durability);
  try {
    return await startOn(store, { ...options, identity });
  } catch (error) {
    store.close();
    throw isForeseen(error) ? error : damaged(storePath, `the node cannot start with it: ${messageOf(error)}`, error);
  }

  async function startOn(store: Store, { identity }: { identity: Identity }): Promise<RunningNode> {
    store.requireMinuteMs(minuteMs);
    // A directory without a mesh key that has entries was creating a mesh when its process ended.
    if (identity.mesh === undefined) store.clear();
    const restored = store.entries();
    const otherWire = wireProblem(restored);
    if (otherWire !== undefined) throw newerStore(storePath, otherWire);
    const { damage, unknown } = look(restored);
    if (damage !== undefined) throw damaged(storePath, damage);
    if (unknown.length > 0)
      log.warn({ entries: unknown }, "the data directory has entries of a newer release: they are kept, and not used");
    const mesh = identity.mesh ?? newMesh(identity.nodeKey.node);
    const founds = identity.mesh === undefined || FOUNDS.read(restored) === mesh.meshId;
    const lastAliveMs = ALIVE.read(restored);
    const now = (): Instant => ({ wallMs: clock(), steadyMs: options.steadyClock() });
    const ended = Promise.withResolvers<NodeEnd>();
    let rooms: Rooms | undefined;
    let isUp = false;
    /** What the mesh reported about this node's end before it was up. */
    let endBeforeUp: NodeEnd | undefined;
    let commit: GroupCommit<Ready> | undefined;
    const fault = faultHandler(log, options.endNow);
    const disk = new DiskWatch({
      log,
      clock,
      place: settings.ephemeral ? "memory" : settings.data,
      isThere: () => store.isThere,
    });
    const peer = new Peer({
      self: identity.nodeKey.node,
      locality: settings.locality,
      incarnation: incarnationOf(restored, clock()),
      meshId: mesh.meshId,
      founder: mesh.founder,
      founds,
      minuteMs,
      leaseMs: settings.leaseMs,
      ...islandOf(settings, restored),
      restored,
      ...boot,
      ...placeOf(storePath, settings.ephemeral),
      isForced: durability === "fsync",
      signatures: signaturesOf(identity.nodeKey),
      random: Math.random,
      now: now(),
      hasSeeds: settings.join.length > 0,
      events: {
        roomChanged: (id, register) => {
          for (const problem of rooms?.follow(id, register) ?? []) log.warn({}, problemText(problem));
        },
        orderChanged: (id, register) => {
          rooms?.followOrder(id, register);
          const name = rooms?.byId(id)?.room.name ?? register.firstName;
          const order = orderIn(register);
          log.info({ room: name, by: register.stamp.node }, order === undefined ? "order lifted" : orderText(order));
        },
        viewChanged: ({ number, members }) => log.info({ view: number, members: members.length }, "view changed"),
        over: (kind, message) => {
          if (isUp) end({ kind, message });
          else endBeforeUp ??= { kind, message };
        },
        log: (fields, message) => log.info(fields, message),
      },
    });
    const puts: Puts = peer.outbox;
    const loopName = loopNameOf(mesh.meshId);
    const defaultOrigin = settings.origin === undefined ? undefined : originTarget(settings.origin);
    const stored = new StoredRooms(restored, minuteMs);
    rooms = new Rooms({
      roomNode: peer.roomNode,
      defaultOrigin,
      clock,
      attach: (room) => peer.add(room),
      restored: (id) => stored.restored(id, clock()),
      registers: {
        all: () => peer.replica.registers(),
        get: (key) => peer.replica.register(key),
        set: (values) => {
          const registers = peer.replica.setRegisters(values, clock(), (writes) =>
            disk.store(() => store.commit({ writes, isVote: true })),
          );
          commit?.wake();
          return registers;
        },
      },
    });
    const liveRooms = rooms;
    const pressure = new Pressure(clock());
    const watch = new ClockWatch(lastAliveMs);
    const lasting = (settings.ephemeral ? [] : looseSecrets(settings.data)).map(looseSecret);
    const declared = new DeclaredRooms({
      rooms,
      declared: options.rooms,
      mayApply: settings.roomsAtStart,
      seen: FILE_SEEN.read(restored),
      files: () => peer.replica.register(FILES_KEY),
      remember: (seen) => puts.put(FILE_SEEN.at(), seen),
      clock,
      log,
    });
    const trustedProxies = settings.trustedProxies.map(parseCidr);
    const proxies = new ProxyWatch({ trusted: trustedProxies, log });
    const warnings = (): string[] =>
      [
        watch.look(clock()) ?? [],
        disk.look(clock()),
        pressure.words ?? [],
        meshWarnings(peer, settings),
        originWarnings(liveRooms, peer),
        peer.members.view === undefined ? [] : servesNothing(settings, liveRooms.all().length),
        declared.warnings,
        proxies.warnings(),
        liveRooms.unreadable.map((room) => unreadableRoom(room, liveRooms)),
        lasting,
      ].flat();
    // A node without others decides before the gate opens. Among others it decides once they have been heard.
    let isDecided = peer.knowsRegisters;
    if (isDecided) {
      const applied = declared.decide();
      if (!applied.ok) throw new RoomsRefused(applied.refusal.problems);
    } else if (peer.members.view === undefined) rooms.expect(options.rooms);
    if (!settings.ephemeral) log.info({ durability }, DURABILITY_TEXTS[durability]);
    for (const warning of warnings()) log.warn({}, warning);
    for (const { room, order } of liveRooms.all()) {
      if (order !== undefined)
        log.warn({ room: room.name }, `${orderText(order)}: it stays so until anteroom room resume ${room.name}`);
    }
    // A node that joins learns its rooms later, and workers would all say the same.
    if ((isDecided || liveRooms.all().length > 0) && settings.worker <= 1) {
      const known = liveRooms.all().map(({ room }) => room);
      const times = { ...settings, islandMs: peer.members.islands.ownMs };
      for (const warning of startWarnings(times, known, ownHosts())) log.warn({}, warning);
    }
    const locality = peer.members.localityOf(peer.roomNode.self);
    if (locality !== undefined && locality !== settings.locality) throw otherLocality(settings, locality);
    if (founds) {
      puts.put(FOUNDS.at(), undefined);
      const { batch } = peer.take();
      store.commit(batch);
      if (!settings.ephemeral) saveMesh(settings.data, mesh);
    }

    let transport: Transport | undefined;
    const groupCommit = new GroupCommit<Ready>({
      source: { isIdle: false, take: () => peer.take(), retry: (ready) => peer.retry(ready) },
      commit: ({ batch }) => {
        if (batch.writes.size === 0) return;
        store.commit(batch);
        disk.succeeded();
      },
      send: (ready) => {
        if (transport !== undefined) carry(ready, transport);
      },
      onRefused: (error) => disk.failed(error),
      onFault: (error) => fault(error, "an internal step failed: what it was about to send or answer is lost"),
    });
    commit = groupCommit;
    const gate = new Gate({
      seal: new CookieSeal(new JweCipher(new KeyRing(mesh))),
      rooms,
      commit: groupCommit,
      isReady: () => peer.isReady,
      beforeStep: () => peer.at(now()),
      clock: () => peer.roomMs,
      surroundings: PROCESS,
      minuteMs,
      defaultOrigin: settings.unmatched === "refuse" ? undefined : defaultOrigin,
      loopName,
      trustedProxies,
      proxies,
      originSecret: settings.originSecret,
      log,
      isLogged: (event) => isLogged(settings.logLevel, event),
      hasAccessLog: settings.accessLog,
      pressure: () => pressure.level,
      lastAliveMs,
    });
    transport = await listenMesh(options, {
      mesh,
      peer,
      nodeKey: identity.nodeKey,
      now,
      wake: () => groupCommit.wake(),
      onFault: fault,
    });

    // A gate with a wrong clock would end good sessions, or admit ones that are over.
    for (; !peer.isClockTrusted && endBeforeUp === undefined; await Bun.sleep(TICK_MS)) {
      peer.tick(now());
      groupCommit.flush();
    }
    const startedMs = clock();
    let isDraining = false;
    const status = (): NodeStatus =>
      statusOf({
        version,
        peer,
        meshId: mesh.meshId,
        startedMs,
        nowMs: clock(),
        warnings: warnings(),
        roomsFile: declared.status,
        rooms: liveRooms.all(),
        pressure,
      });
    let listener: HttpListener;
    try {
      listener = listenGate(options, gate, fault);
    } catch (error) {
      await transport.stop();
      throw error;
    }
    const metrics = createMetrics({
      version,
      gate,
      rooms: () => liveRooms.all(),
      peer,
      clock,
      connections: () => listener.connections,
      memoryBytes: options.memoryBytes,
      pressure,
    });
    const probes = new AbortController();
    const { originCa } = options;
    const probe = httpProbe({ originCa, originSecret: settings.originSecret, loopName, stop: probes.signal });
    const health = new HealthChecks({
      rooms: () => liveRooms.all(),
      probe,
      random: Math.random,
      clock: () => peer.roomMs,
      log,
    });
    const rollouts = new Rollouts({
      rooms: liveRooms,
      probe,
      clock: () => peer.roomMs,
      minuteMs,
      rank: () => [...peer.roomNode.alive().values()].flat().sort().indexOf(peer.roomNode.self),
      log,
    });
    const token = settings.token ?? identity.adminToken;
    const orders: MeshOrders = {
      leave: () => leave(),
      ...forgetOrders({
        members: peer.members,
        now: () => {
          peer.at(now());
          return peer.now;
        },
        wake: () => groupCommit.wake(),
      }),
    };
    const app = adminApi({
      rooms,
      token,
      status,
      metrics,
      notReady: () => (isDraining ? "draining" : peer.isReady ? disk.trouble : "joining the mesh"),
      onFault: fault,
      mesh: orders,
      rollouts,
      log,
    });
    let admin: ReturnType<typeof listenAdmin>;
    try {
      admin = listenAdmin(settings, app.fetch, () => listener.stop());
    } catch (error) {
      await transport.stop();
      throw error;
    }

    const paceLog = new PaceLog(log);
    let aliveMs = 0;
    let wasBehind = watch.look(clock()) !== undefined;
    function tick(): void {
      const behind = watch.look(clock());
      if (behind !== undefined && !wasBehind) log.warn({}, behind);
      wasBehind = behind !== undefined;
      if (clock() - aliveMs >= ALIVE_MS || clock() < aliveMs) {
        aliveMs = clock();
        puts.put(ALIVE.at(), aliveMs);
      }
      disk.tick();
      peer.tick(now());
      if (!isDecided && peer.knowsRegisters)
        isDecided = unlessRefused(() => {
          const applied = declared.decide();
          if (applied.ok) return;
          const problems = applied.refusal.problems.map(problemText);
          log.error({ problems }, "rooms file refused: the rooms stay as they were");
        });
      paceLog.tick(liveRooms.all(), clock());
      health.tick();
      unlessRefused(() => rollouts.tick());
      groupCommit.flush();
    }

    let lookedMs = options.steadyClock();
    function lookAtPressure(): void {
      const steadyMs = options.steadyClock();
      const lagMs = Math.max(0, steadyMs - lookedMs - TICK_MS);
      lookedMs = steadyMs;
      const change = pressure.look({ lagMs, memory: options.memoryBytes() / options.memoryBytesMax }, clock());
      if (change !== undefined) log.warn({}, change);
    }
    const timer = setInterval(() => {
      try {
        lookAtPressure();
        tick();
      } catch (error) {
        // The gate continues; what was to be saved is tried again at the next tick.
        fault(error, "housekeeping failed");
      }
    }, TICK_MS);

    async function stop(deadlineMs: number): Promise<void> {
      isDraining = true;
      await listener.drain(deadlineMs);
      await Bun.sleep(Math.max(0, lingersUntilMs - now().steadyMs));
      clearInterval(timer);
      probes.abort();
      await admin.stop(true);
      peer.at(now());
      for (const room of peer.rooms.values()) room.giveAway(peer.roomMs);
      puts.put(ALIVE.at(), clock());
      groupCommit.flush();
      await transport?.stop();
      // Nothing is committed after this.
      peer.end();
      groupCommit.flush();
      store.close();
    }

    let stopping: Promise<void> | undefined;
    const stopOnce = (deadlineMs: number): Promise<void> => {
      stopping ??= stop(deadlineMs);
      return stopping;
    };
    let isEnding = false;
    /** Until when this node, which is leaving or gave up leaving, answers others that have made it an offer. */
    let lingersUntilMs = 0;
    function end(nodeEnd: NodeEnd): void {
      if (isEnding) return;
      isEnding = true;
      const hasOthers = (peer.members.view?.members.length ?? 0) > 1;
      if (hasOthers && (nodeEnd.kind === "left" || nodeEnd.kind === "stopped"))
        lingersUntilMs = now().steadyMs + LINGER_MS;
      log[nodeEnd.kind === "left" || nodeEnd.kind === "stopped" ? "info" : "error"](
        { reason: nodeEnd.message },
        END_TEXTS[nodeEnd.kind],
      );
      // Later: the caller is in the middle of a step, or waits for an answer.
      setTimeout(() => {
        void stopOnce(nodeEnd.kind === "left" ? settings.drainTimeoutMs : 0).then(() => {
          if (nodeEnd.kind !== "replaced" && nodeEnd.kind !== "stopped" && !settings.ephemeral)
            giveUpIdentity(settings.data);
          ended.resolve(nodeEnd);
        });
      }, ANSWER_MS);
    }

    async function leave(): ReturnType<MeshOrders["leave"]> {
      if (isEnding) return { isRefused: true, problem: "Cannot leave the mesh as this node is already stopping" };
      if (!peer.members.isMember()) {
        const message = "this node was not a member of the mesh: it only stops";
        end({ kind: "stopped", message });
        return { left: false, heir: undefined, message };
      }
      const isAlone = peer.members.view?.members.length === 1;
      const left = await new Promise<Left>((resolve) => {
        peer.at(now());
        if (isAlone) {
          resolve({ kind: "restart" });
          return;
        }
        peer.members.leave(now(), resolve);
        groupCommit.wake();
      });
      if (left.kind === "underway") return { isRefused: true, problem: UNDERWAY_TEXT };
      const message = LEFT_TEXTS[left.kind];
      if (left.kind !== "unanswered") end({ kind: left.kind === "left" ? "left" : "stopped", message });
      return { left: left.kind === "left", heir: left.kind === "restart" ? undefined : left.heir, message };
    }

    isUp = true;
    if (endBeforeUp !== undefined) end(endBeforeUp);
    return {
      gatePort: listener.port,
      adminPort: admin.port ?? 0,
      meshId: mesh.meshId,
      nodeId: identity.nodeKey.node,
      meshAddresses: transport.addresses,
      ended: ended.promise,
      token,
      status,
      applyRooms: (rooms) => {
        peer.at(now());
        const changed = declared.order(rooms);
        groupCommit.wake();
        return changed;
      },
      drain: async (deadlineMs) => {
        isEnding = true;
        await stopOnce(deadlineMs);
      },
    };
  }
}

/** The place of the disk, for a start after this one. */
function placeOf(storePath: string, isEphemeral: boolean): { readonly diskPlace?: string } {
  const place = isEphemeral ? undefined : diskPlace(storePath);
  return place === undefined ? {} : { diskPlace: place };
}

/** Errors of a start that already say what is wrong. */
function isForeseen(error: unknown): boolean {
  return [DataDirectoryError, ListenError, RoomsRefused, NotStored].some((kind) => error instanceof kind);
}

const UNDERWAY_TEXT = "Cannot leave the mesh a second time as this node is already leaving: the first order continues";

const LEFT_TEXTS: Readonly<Record<Exclude<Left["kind"], "underway">, string>> = {
  left: "everything was handed over: the data directory can be removed",
  restart: "no node could take over: this was only a stop, so keep the data directory and start the node again",
  unanswered:
    "the heir was offered everything and does not answer: this node admits nobody and keeps asking; try again later",
};

const END_TEXTS: Readonly<Record<NodeEnd["kind"], string>> = {
  left: "left the mesh, stopping",
  stopped: "stopping",
  "new-identity": "this node's identity is over: it continues as a new node",
  replaced: "stopping: this node's identity is in use elsewhere, or was removed from the mesh",
};

/** The next start on this directory joins as a new node, with the same mesh key and rooms from its peers. */
function giveUpIdentity(data: string): void {
  for (const file of [NODE_KEY_FILE, "anteroom.db", "anteroom.db-wal", "anteroom.db-shm"])
    rmSync(join(data, file), { force: true });
}

function carry({ frames, published, punished, known, forgotten }: Ready, transport: Transport): void {
  for (const { to, isBulk, frame } of frames) transport.send(to, isBulk ? "sync" : "protocol", frame);
  for (const { frame, reach } of published) transport.publish(frame, reach);
  for (const [node, addresses] of known) transport.know(node, addresses);
  for (const node of forgotten) transport.forget(node);
  for (const node of punished) transport.punish(node);
}

/** The operator's value counts first, then that of the data directory, then that of the mesh that admits this node. */
function islandOf({ islandMs, isIslandGiven }: Settings, restored: ReadonlyMap<string, unknown>) {
  if (isIslandGiven) return { islandMs };
  return { islandMs: islandKept(restored) ?? islandMs, takesOnIsland: true };
}

interface MeshParts {
  readonly mesh: MeshIdentity;
  readonly peer: Peer;
  readonly nodeKey: NodeKey;
  readonly now: () => Instant;
  /** Finishes at the end of this turn what a step left to do. */
  readonly wake: () => void;
  readonly onFault: OnFault;
}

async function listenMesh({ settings, version, log }: NodeOptions, parts: MeshParts): Promise<Transport> {
  const { mesh, peer, nodeKey, now, wake, onFault } = parts;
  const { minuteMs, locality, advertise, join: seeds } = settings;
  const incarnation = peer.incarnation;
  const step = (act: () => void): void => {
    try {
      act();
    } catch (error) {
      // The library must not see it: it would treat it as an error of the connection. The message is lost, as if the
      // network had lost it.
      onFault(error, "a message from another node could not be used");
    }
    wake();
  };
  try {
    return await startLibp2pTransport(
      {
        key: nodeKey,
        meshKey: mesh.meshKey,
        hello: () => ({
          wire: peer.members.wire,
          understands: WIRES,
          mesh: mesh.meshId,
          minuteMs,
          leaseMs: settings.leaseMs,
          islandMs: peer.members.islands.ownMs,
          node: nodeKey.node,
          incarnation,
          locality,
          version,
          addresses: [],
        }),
        listen: settings.mesh,
        advertise,
        seeds,
        override: (multiaddr) => settings.divert.get(parseAddress(multiaddr)?.host ?? "") ?? multiaddr,
        clock: () => now().steadyMs,
        random: Math.random,
        resolve: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
      },
      {
        up: (node, hello) => step(() => peer.up(node, hello, now())),
        down: (node) => step(() => peer.down(node, now())),
        frame: (from, _purpose, frame) => step(() => peer.receive(from, frame, now())),
        published: (from, frame) => step(() => peer.published(from, frame, now())),
        outrun: (newest) => step(() => peer.outrun(newest, now())),
        refused: (address, reason) => log.warn({ address, reason }, "node refused"),
        seed: (address, state) => {
          if (state === "silent") log.warn({ seed: address }, "seed address does not answer: still trying");
          else log.info({ seed: address }, "seed address answers");
        },
      },
    );
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    const isTaken = /EADDRINUSE/.test(`${error.message} ${String(error.cause)}`);
    const reason = isTaken ? "the port is taken" : error.message;
    const text = `Cannot listen for the mesh on ${addressText(settings.mesh)} as ${reason}`;
    throw new ListenError(text, isTaken ? "EADDRINUSE" : error.code, error);
  }
}

/** Warnings for operators about the mesh. */
function meshWarnings({ members, now }: Peer, { join: seeds, leaseMs }: Settings): string[] {
  if (members.view === undefined) {
    const how =
      seeds.length > 0
        ? "no member has admitted this node to the mesh yet"
        : "this node has a mesh key but no state, and no address to join: start it with --join ADDR of another node; if there is none, remove mesh.key, and the next start creates a new mesh";
    return [`${how}; until then new visitors wait in line`];
  }
  return [
    silentMembers(members, now, leaseMs) ?? [],
    members.clockProblems(now),
    differingIslands(members) ?? [],
  ].flat();
}

/** Warnings for operators about the rooms' origins. */
function originWarnings(rooms: Rooms, { roomMs, roomNode: { minuteMs } }: Peer): string[] {
  return rooms.all().flatMap(({ room, origin }) => {
    const down = origin.all.filter(({ health }) => !health.isUp);
    const { rollout } = room;
    const told =
      rollout === undefined ? [] : [`room ${room.name}: ${rolloutText(rollout, { nowMs: roomMs, minuteMs })}`];
    if (origin.isReachable(roomMs)) {
      const some = down.map(({ url, health }) => `room ${room.name}: its origin ${url} is down: ${health.reason}`);
      return [...some, ...(rollout?.state === "reversed" ? told : [])];
    }
    const reasons = down.map(({ url, health }) => `${url}: ${health.reason}`).join("; ");
    return [`room ${room.name}: no origin answers (${reasons})`, ...told];
  });
}

/** Rooms that cannot be applied, with everything that is wrong with them. */
export class RoomsRefused extends Error {
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[]) {
    super("Cannot start with these rooms");
    this.name = "RoomsRefused";
    this.problems = problems;
  }
}

function identityOf({ ephemeral, data, meshKey, join: seeds }: Settings): Promise<Identity> {
  const sources = { meshKey, joins: seeds.length > 0 };
  return ephemeral ? ephemeralIdentity(sources) : loadIdentity(data, sources);
}

function otherLocality({ data, locality }: Settings, stored: string): DataDirectoryError {
  return new DataDirectoryError(
    "other-locality",
    `Cannot start in locality ${locality} as the node of ${data} belongs to locality ${stored}`,
    {
      hint: `start it with --locality ${stored}; or have it leave the mesh, and start a new one with an empty data directory`,
    },
  );
}

function unreadableRoom({ name, problems }: UnreadableRoom, rooms: Rooms): string {
  const meanwhile =
    rooms.byFirstName(name) === undefined
      ? "it does not apply, and its visitors are not limited"
      : "it stays as it was before, until this process ends";
  const repair = `delete it with: anteroom room delete ${name}, or apply it again from its file`;
  return `what is stored of room ${name} cannot be read: ${meanwhile}; ${repair}. ${problems.map(problemText).join(" ")}`;
}

function looseSecret(path: string): string {
  return `${path} can be read by others on this host: chmod 600 ${path}`;
}

function listenGate(options: NodeOptions, gate: Gate, onFault: OnFault): HttpListener {
  const { settings, tls, originCa, connectionsMax, log } = options;
  const { listen: address, connectTimeoutMs, originTimeoutMs, accessLog } = settings;
  const trusted = settings.trustedProxies.map(parseCidr);
  return listening(address, "gate", (hostname) =>
    listen({
      hostname,
      port: address.port,
      ...(settings.worker > 0 && { reusePort: true }),
      ...(tls !== undefined && { tls }),
      ...(originCa !== undefined && { originTls: { ca: originCa } }),
      limits: { connectionsMax, connectMs: connectTimeoutMs, originMs: originTimeoutMs },
      onExchange: (exchange) => gate.handle(exchange),
      onError: (error) => onFault(error, "internal error in a request"),
      onRefusal: ({ status, reason }) => log.debug({ status, reason }, "request refused"),
      ...(accessLog && {
        onEnd: (exchange: Exchange, end: ExchangeEnd) =>
          logAccess(log, exchange, end, clientOf(exchange, trusted).address),
      }),
    }),
  );
}

function logAccess(log: Log, { id, request }: Exchange, end: ExchangeEnd, client: string): void {
  const { method, target, host } = request;
  const { status, bytesSent, bytesReceived, aborted } = end;
  const ended = { status, bytes_sent: bytesSent, bytes_received: bytesReceived, aborted };
  log.info({ request: id, client, method, host, target, ...ended }, "access");
}

function listenAdmin(settings: Settings, fetch: (request: Request) => Response | Promise<Response>, undo: () => void) {
  try {
    const { port } = claimPort(settings.admin, "admin");
    return listening(settings.admin, "admin", (hostname) =>
      // Leaving waits for an heir.
      Bun.serve({
        hostname,
        port,
        development: false,
        idleTimeout: 120,
        fetch: withKnownHost(settings, fetch),
      }),
    );
  } catch (error) {
    undo();
    throw error;
  }
}
