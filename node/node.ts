/**
 * One node in its process: identity, disk, shell, and then the sockets: the mesh's, the gate's, the admin API's.
 *
 * What the node does is the shell's affair (`shell.ts`). Flags, files and signals are the process edge's (cmd/).
 */

import { rmSync } from "node:fs";
import { join } from "node:path";
import type { NodeId } from "../mesh/core/ids.ts";
import type { Instant } from "../mesh/core/instant.ts";
import { islandKept } from "../mesh/core/members/longest-island.ts";
import type { Puts } from "../mesh/core/wire/outbox.ts";
import { NODE_KEY_FILE } from "../mesh/node-key.ts";
import { signaturesOf } from "../mesh/signatures.ts";
import type { Transport } from "../mesh/transport.ts";
import type { Problem } from "./config/problem.ts";
import { addressText } from "./config/readers.ts";
import type { Room } from "./config/room.ts";
import type { Settings } from "./config/settings.ts";
import { servesNothing, startWarnings } from "./config/start-warnings.ts";
import { JweCipher } from "./cookie/jwe.ts";
import { KeyRing } from "./cookie/keys.ts";
import { LaneKeys } from "./cookie/lane-keys.ts";
import { PassMaker } from "./cookie/pass.ts";
import { AltchaProof } from "./cookie/proof-of-work.ts";
import { QueueItKeys } from "./cookie/queue-it-token.ts";
import { CookieSeal } from "./cookie/seal.ts";
import { VisitorKeys } from "./cookie/visitor-keys.ts";
import { crawlerDns } from "./gate/crawler-dns.ts";
import { ProxyWatch } from "./gate/proxy-watch.ts";
import { PROCESS } from "./gate/surroundings.ts";
import { parseCidr } from "./http/client.ts";
import type { HttpListener } from "./http/listener.ts";
import { loopNameOf } from "./http/loop.ts";
import type { OriginTls } from "./http/origin-connection.ts";
import type { ServerTls } from "./http/server-certificates.ts";
import { listenAdmin, listenAws, listenGate, scrapeServer } from "./listeners.ts";
import { ListenError } from "./listening.ts";
import { isLogged } from "./log.ts";
import { listenMesh } from "./mesh-link.ts";
import { messageOf } from "./message-of.ts";
import type { NodeOptions } from "./node-options.ts";
import { adminApi } from "./operator/admin-api.ts";
import { RoomAnalytics } from "./operator/analytics/analytics.ts";
import type { LanePlace } from "./operator/api/lane.ts";
import { awsApi } from "./operator/aws/aws-api.ts";
import { SigningKey } from "./operator/aws/signing-key.ts";
import { Logins } from "./operator/dashboard/session.ts";
import { Timeline } from "./operator/dashboard/timeline.ts";
import { forgetOrders } from "./operator/forget/forget-orders.ts";
import { faultHandler } from "./operator/logs/faults.ts";
import { certificateEnds } from "./operator/metrics/certificate-ends.ts";
import { createMetrics } from "./operator/metrics/metrics.ts";
import type { Reload } from "./operator/metrics/node-metrics.ts";
import { Notices } from "./operator/notices/notices.ts";
import type { NodeStatus } from "./operator/status/status.ts";
import { statusOf } from "./operator/status/status-of.ts";
import { drawWarnings, looseSecret, meshWarnings, originWarnings, unreadableRoom } from "./operator/status/warnings.ts";
import { Tokens } from "./operator/tokens/tokens.ts";
import { type Traces, tracesOf } from "./operator/tracing/traces.ts";
import { nodeNameOf, ownHosts } from "./own-hosts.ts";
import type { Changed } from "./rooms/changed.ts";
import type { Applied } from "./rooms/declared-changes.ts";
import { HealthChecks } from "./rooms/health-checks.ts";
import { originTarget } from "./rooms/live-room.ts";
import { httpProbe } from "./rooms/origin-probe.ts";
import { Rollouts } from "./rooms/rollouts.ts";
import { orderText } from "./rooms/room-order.ts";
import { type NodeEnd, NodeShell, type Scheduler, TICK_MS } from "./shell.ts";
import { DURABILITY_TEXTS, durabilityOf } from "./storage/boot-id.ts";
import { diskPlace } from "./storage/disk-place.ts";
import { NotStored, unlessRefused } from "./storage/disk-watch.ts";
import { HistoryStore } from "./storage/history-store.ts";
import {
  DataDirectoryError,
  ephemeralIdentity,
  type Identity,
  loadIdentity,
  looseFiles,
  looseSecrets,
  newMesh,
  saveMesh,
} from "./storage/identity.ts";
import { type Durability, damaged, newerStore, Store } from "./storage/store.ts";
import { FOUNDS } from "./storage/stored-node.ts";
import { look, wireProblem } from "./stored-entries.ts";

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
  /** Uses other certificates for connections from now on. Throws, and changes nothing, if they cannot be used. */
  readonly replaceTls: (tls: ServerTls | undefined, originTls: OriginTls | undefined) => void;
  /** Files were read again: whether all of them could be used, for metrics. */
  readonly reloaded: (isOk: boolean) => void;
  /** Accepts nothing new, finishes running requests within `deadlineMs`, saves, and releases everything. */
  readonly drain: (deadlineMs: number) => Promise<void>;
}

/** How long an answer of the admin API has to leave before the node ends. */
const ANSWER_MS = 100;

/** Ends of turns and repeated work, as the process has them. */
const SCHEDULER: Scheduler = {
  every: (ms, act) => {
    const timer = setInterval(act, ms);
    return () => clearInterval(timer);
  },
  atTurnEnd: setImmediate,
};

/** Starts a node. Throws `DataDirectoryError`, `ListenError`, or `RoomsRefused` for rooms that `rooms` refuses. */
export async function startNode(options: NodeOptions): Promise<RunningNode> {
  const { settings } = options;
  const identity = await identityOf(settings);
  const storePath = settings.ephemeral ? ":memory:" : join(settings.data, "anteroom.db");
  const { durability, boot } = durabilityOf(settings.durability);
  const store = new Store(storePath, durability);
  try {
    return await startOn(options, { identity, store, storePath, durability, boot });
  } catch (error) {
    store.close();
    throw isForeseen(error) ? error : damaged(storePath, `the node cannot start on it: ${messageOf(error)}`, error);
  }
}

interface Ground {
  readonly identity: Identity;
  readonly store: Store;
  readonly storePath: string;
  readonly durability: Durability;
  readonly boot: { readonly bootId?: string };
}

async function startOn(given: NodeOptions, ground: Ground): Promise<RunningNode> {
  const { settings, clock, version } = given;
  const timeline = new Timeline(clock);
  const log = timeline.over(given.log);
  const options = { ...given, log };
  const { identity, store, durability } = ground;
  const { minuteMs } = settings;
  const restored = readStore(ground, options);
  const mesh = identity.mesh ?? newMesh(identity.nodeKey.node);
  const founds = identity.mesh === undefined || FOUNDS.read(restored) === mesh.meshId;
  const fault = faultHandler(log, options.endNow);
  const now = (): Instant => ({ wallMs: clock(), steadyMs: options.steadyClock() });
  const ended = Promise.withResolvers<NodeEnd>();
  /** Settled when the gate may open, or this node is to end before that. */
  const decided = Promise.withResolvers<void>();
  /** Settled when the sockets are open, with what lets go of everything within a time. */
  const opened = Promise.withResolvers<(deadlineMs: number) => Promise<void>>();
  const trustedProxies = settings.trustedProxies.map(parseCidr);
  const proxies = new ProxyWatch({ trusted: trustedProxies, log });
  const loopName = loopNameOf(mesh.meshId);
  const passes = new PassMaker(mesh);
  const laneKeys = new LaneKeys(mesh);
  const visitorKeys = new VisitorKeys(mesh);
  const traces = tracesOf({
    ...{ endpoint: settings.otlpEndpoint, sample: settings.otlpSample },
    ...{ node: nodeNameOf(settings), version, clock, steadyMs: options.steadyClock, log },
  });
  const defaultOrigin = settings.origin === undefined ? undefined : originTarget(settings.origin);
  const history = openHistory(options, mesh.meshId);
  const seal = new CookieSeal(new JweCipher(new KeyRing(mesh)));
  const shell = new NodeShell({
    peer: {
      self: identity.nodeKey.node,
      locality: settings.locality,
      name: nodeNameOf(settings),
      meshId: mesh.meshId,
      founder: mesh.founder,
      founds,
      minuteMs,
      leaseMs: settings.leaseMs,
      ...islandOf(settings, restored),
      restored,
      ...ground.boot,
      ...placeOf(ground.storePath, settings.ephemeral),
      isForced: durability === "fsync",
      signatures: signaturesOf(identity.nodeKey),
      random: Math.random,
      hasSeeds: settings.join.length > 0,
    },
    gate: {
      seal,
      passes,
      laneKeys,
      visitorKeys,
      proof: new AltchaProof(mesh),
      surroundings: PROCESS,
      defaultOrigin: settings.unmatched === "refuse" ? undefined : defaultOrigin,
      loopName,
      trustedProxies,
      crawlerLookup: crawlerDns(),
      proxies,
      originSecret: settings.originSecret,
      queueIt: settings.queueIt && { customer: settings.queueIt.customer, keys: new QueueItKeys(settings.queueIt) },
      isLogged: (event) => isLogged(settings.logLevel, event),
      hasAccessLog: settings.accessLog,
      tracing: traces?.tracer,
    },
    declared: { rooms: options.rooms, mayApply: settings.roomsAtStart },
    defaultOrigin,
    disk: store,
    history,
    diskName: settings.ephemeral ? "memory" : settings.data,
    now,
    scheduler: SCHEDULER,
    log,
    onFault: fault,
    events: { up: decided.resolve, end: (end) => void finish(end) },
  });
  const { peer, rooms } = shell;
  const notices = new Notices({
    ...{ mesh, node: identity.nodeKey.node, version, registers: shell.registers, clock, log },
    knowsRegisters: () => peer.knowsRegisters,
    formerOf: (node) => (peer.members.state(node as NodeId, peer.now) === "left" ? "left" : "removed"),
  });
  const loose = [...(settings.ephemeral ? [] : looseSecrets(settings.data)), ...looseFiles(settings.secretFiles)];
  const lasting = loose.map(looseSecret);
  const warnings = (): string[] =>
    [
      shell.clockWatch.look(clock()) ?? [],
      shell.disk.look(clock()),
      shell.pressure.words ?? [],
      meshWarnings(peer, settings),
      originWarnings(rooms, peer),
      drawWarnings(peer, settings),
      peer.members.view === undefined ? [] : servesNothing(settings, rooms.all().length),
      shell.declared.warnings,
      proxies.warnings(),
      history.trouble ?? [],
      shell.gate.lane.warnings(clock()),
      notices.sender.warnings(clock()),
      rooms.unreadable.map((room) => unreadableRoom(room, rooms)),
      lasting,
    ].flat();
  const applied = shell.declare();
  if (applied?.ok === false) throw new RoomsRefused(applied.refusal.problems);
  sayAtStart(shell, { options, durability, warnings });
  const locality = peer.members.localityOf(peer.roomNode.self);
  if (locality !== undefined && locality !== settings.locality) throw otherLocality(settings, locality);
  if (founds) {
    const puts: Puts = peer.outbox;
    puts.put(FOUNDS.at(), undefined);
    store.commit(peer.take().batch);
    if (!settings.ephemeral) saveMesh(settings.data, mesh);
  }

  const { meshKey, meshId } = mesh;
  const { nodeKey } = identity;
  const steadyMs = (): number => now().steadyMs;
  const transport = await listenMesh(options, { meshKey, meshId, nodeKey, shell, steadyMs });
  shell.connect(transport);
  await decided.promise;
  const startedMs = clock();
  const status = (): NodeStatus =>
    statusOf({
      version,
      peer,
      meshId,
      addresses: transport.addresses,
      startedMs,
      nowMs: clock(),
      warnings: warnings(),
      roomsFile: shell.declared.status,
      rooms: rooms.all(),
      pressure: shell.pressure,
    });
  const token = settings.token ?? identity.adminToken;
  const served = {
    shell,
    transport,
    token,
    status,
    loopName,
    passes,
    laneKeys,
    visitorKeys,
    timeline,
    traces,
    history,
    notices,
    seal,
  };
  const sockets = await openSockets(options, served);

  async function stop(deadlineMs: number): Promise<void> {
    shell.drain();
    await sockets.drain(deadlineMs);
    await traces?.queue.close();
    await Bun.sleep(shell.lingersMs);
    shell.halt();
    await sockets.stop();
    shell.settle();
    await transport.stop();
    // Nothing is committed after this.
    shell.close();
    store.close();
    history.close();
  }
  let stopping: Promise<void> | undefined;
  const stopOnce = (deadlineMs: number): Promise<void> => {
    stopping ??= stop(deadlineMs);
    return stopping;
  };

  /** Later: what found the end out is in the middle of a step, and who asked for it is to have the answer. */
  async function finish(end: NodeEnd): Promise<void> {
    decided.resolve();
    const stopAll = await opened.promise;
    await Bun.sleep(ANSWER_MS);
    await stopAll(end.kind === "left" ? settings.drainTimeoutMs : 0);
    if (end.kind !== "replaced" && end.kind !== "stopped" && !settings.ephemeral) giveUpIdentity(settings.data);
    ended.resolve(end);
  }

  opened.resolve(stopOnce);
  return {
    ...sockets.ports,
    meshId,
    nodeId: nodeKey.node,
    meshAddresses: transport.addresses,
    ended: ended.promise,
    token,
    status,
    applyRooms: (declared) => shell.applyRooms(declared),
    replaceTls: sockets.replaceTls,
    reloaded: sockets.reloaded,
    drain: async (deadlineMs) => {
      shell.drain();
      await stopOnce(deadlineMs);
    },
  };
}

/** What the disk has. Throws `DataDirectoryError`. */
function readStore({ identity, store, storePath }: Ground, { settings, log }: NodeOptions) {
  store.requireMinuteMs(settings.minuteMs);
  // A directory without a mesh key that has entries was creating a mesh when its process ended.
  if (identity.mesh === undefined) store.clear();
  const restored = store.entries();
  const otherWire = wireProblem(restored);
  if (otherWire !== undefined) throw newerStore(storePath, otherWire);
  const { damage, unknown } = look(restored);
  if (damage !== undefined) throw damaged(storePath, damage);
  if (unknown.length > 0)
    log.warn({ entries: unknown }, "the data directory has entries of a newer release: they are kept, and not used");
  return restored;
}

interface AtStart {
  readonly options: NodeOptions;
  readonly durability: Durability;
  readonly warnings: () => string[];
}

/** What the nodes counted: beside the disk on which the node stands, and never a reason for it not to start. */
function openHistory({ settings, log }: NodeOptions, meshId: string): HistoryStore {
  return new HistoryStore({
    path: settings.ephemeral ? ":memory:" : join(settings.data, "history.db"),
    meshId,
    minuteMs: settings.minuteMs,
    onTrouble: (problem) => log.warn({}, problem),
  });
}

function analyticsOf({ peer, rooms }: NodeShell, store: HistoryStore, minuteMs: number): RoomAnalytics {
  return new RoomAnalytics({
    store,
    minuteMs,
    roomMs: () => peer.roomMs,
    running: () => new Set([peer.roomNode.self, ...peer.members.status(peer.now).map(({ node }) => node)]),
    nameOf: (node) => peer.names.all.get(node),
    roomOf: (name) => rooms.byName(name)?.id,
  });
}

/** What an operator should know of a start at once. */
function sayAtStart({ peer, rooms, isDecided }: NodeShell, { options, durability, warnings }: AtStart): void {
  const { settings, log } = options;
  if (!settings.ephemeral) log.info({ durability }, DURABILITY_TEXTS[durability]);
  for (const warning of warnings()) log.warn({}, warning);
  for (const { room, order } of rooms.all()) {
    if (order !== undefined)
      log.warn({ room: room.name }, `${orderText(order)}: it stays so until anteroom room resume ${room.name}`);
  }
  // A node that joins learns its rooms later, and workers would all say the same.
  if ((isDecided || rooms.all().length > 0) && settings.worker <= 1) {
    const known = rooms.all().map(({ room }) => room);
    const times = { ...settings, islandMs: peer.members.islands.ownMs };
    for (const warning of startWarnings(times, known, ownHosts())) log.warn({}, warning);
  }
}

interface ToServe {
  readonly shell: NodeShell;
  readonly seal: CookieSeal;
  readonly transport: Transport;
  readonly token: string;
  readonly status: () => NodeStatus;
  readonly loopName: string;
  readonly passes: PassMaker;
  readonly laneKeys: LaneKeys;
  readonly visitorKeys: VisitorKeys;
  readonly timeline: Timeline;
  readonly traces: Traces | undefined;
  readonly history: HistoryStore;
  readonly notices: Notices;
}

/** Opens the gate and the admin API, and begins to ask origins how they are. */
async function openSockets(options: NodeOptions, parts: ToServe) {
  const { shell, transport, token, status, loopName, passes, laneKeys, visitorKeys, timeline, traces, notices } = parts;
  const { settings, log, clock, originTls } = options;
  const { peer, rooms, gate, pressure } = shell;
  const fault = faultHandler(log, options.endNow);
  try {
    const listener = listenGate(options, { gate, onFault: fault, tracer: traces?.tracer });
    const startedMs = clock();
    let reload: Reload = { isOk: true, atMs: startedMs };
    let certificates = certificateEnds(options.tls);
    const metrics = createMetrics({
      version: options.version,
      gate,
      rooms: () => rooms.all(),
      peer,
      clock,
      connections: () => listener.connections,
      connectionsMax: options.connectionsMax,
      memoryBytes: options.memoryBytes,
      memoryBytesMax: options.memoryBytesMax,
      pressure,
      isReady: () => shell.notReady === undefined,
      disk: shell.disk,
      history: parts.history,
      reload: () => reload,
      certificates: () => certificates,
      spans: traces?.queue,
      notices,
      process: options.processFigures ?? (() => ({ cpuSeconds: 0, startSeconds: startedMs / 1_000 })),
    });
    const scrape = scrapeServer(settings, metrics);
    const probes = new AbortController();
    let probedTls = originTls;
    const probe = httpProbe({
      originTls: () => probedTls,
      originSecret: settings.originSecret,
      loopName,
      stop: probes.signal,
    });
    const common = { probe, clock: () => peer.roomMs, log };
    const health = new HealthChecks({ ...common, rooms: () => rooms.all(), random: Math.random });
    const rollouts = new Rollouts({
      ...common,
      rooms,
      minuteMs: settings.minuteMs,
      rank: () => [...peer.roomNode.alive().values()].flat().sort().indexOf(peer.roomNode.self),
    });
    const forgetting = forgetOrders({
      members: peer.members,
      now: () => {
        peer.at(shell.now);
        return peer.now;
      },
      wake: () => shell.commit.wake(),
    });
    const app = adminApi({
      rooms,
      passes,
      lane: { keys: laneKeys, place: lanePlace(options, listener.port) },
      visitorKeys,
      token,
      tokens: {
        tokens: new Tokens({ registers: shell.registers, roomMs: () => shell.peer.roomMs }),
        roomMs: () => shell.peer.roomMs,
        knowsTokens: () => shell.peer.knowsRegisters,
      },
      clock,
      status,
      metrics,
      notReady: () => shell.notReady,
      onFault: fault,
      mesh: { leave: () => new Promise((resolve) => shell.leave(resolve)), ...forgetting },
      rights: {
        stampOf: (subject) => shell.peer.rights.stampOf(subject),
        ask: (subject) => new Promise((resolve) => shell.hear(() => shell.peer.rights.ask(subject, resolve))),
        giveBack: (right) => shell.hear(() => shell.peer.rights.giveBack(right)),
      },
      rollouts,
      draws: {
        draws: shell.peer.draws,
        self: shell.peer.roomNode.self,
        notary: shell.peer.roomNode.notary,
        roomMs: () => shell.peer.roomMs,
        wake: () => shell.commit.wake(),
      },
      log,
      ...(options.settingRows && { settingRows: options.settingRows }),
      nodeNames: () => Object.fromEntries(peer.names.all),
      analytics: analyticsOf(shell, parts.history, settings.minuteMs),
      dashboard: { logins: new Logins(token, clock), timeline },
      notices,
      steadyClock: options.steadyClock,
    });
    const admin = adminBeside(listener, () => listenAdmin(settings, app.fetch));
    const both = {
      stop: () => {
        listener.stop();
        void admin.stop(true);
      },
    };
    const aws = adminBeside(both, () => awsServer(options, parts));
    shell.everyTick(() => health.tick());
    shell.everyTick(() => void unlessRefused(() => rollouts.tick()));
    shell.everyTick(pressureLook(options, shell));
    shell.everyTick(() => {
      if (!notices.isDue(clock())) return;
      const now = status();
      notices.look(now);
    });
    return {
      ports: { gatePort: listener.port, adminPort: admin.port ?? 0 },
      reloaded: (isOk: boolean) => {
        reload = { isOk, atMs: clock() };
      },
      drain: (deadlineMs: number) => listener.drain(deadlineMs),
      replaceTls: (tls: ServerTls | undefined, forOrigins: OriginTls | undefined) => {
        listener.replaceTls(tls, forOrigins);
        certificates = certificateEnds(tls);
        probedTls = forOrigins;
      },
      stop: async () => {
        notices.close();
        probes.abort();
        await scrape?.stop(true);
        await aws?.stop(true);
        await admin.stop(true);
      },
    };
  } catch (error) {
    shell.halt();
    await transport.stop();
    throw error;
  }
}

/** Opens the admin API; without it the gate is closed as well. */
function adminBeside<Admin>(listener: Pick<HttpListener, "stop">, open: () => Admin): Admin {
  try {
    return open();
  } catch (error) {
    listener.stop();
    throw error;
  }
}

/** What a proxy in front must know of this node. */
function lanePlace({ version, settings }: NodeOptions, port: number): LanePlace {
  const { listen, tls, origin, originSecret } = settings;
  const place = { version, isTls: tls !== undefined, origin, hasOriginSecret: originSecret !== undefined };
  if (listen.unix !== undefined) return { ...place, gate: addressText(listen) };
  const host = ["", "::", "0.0.0.0"].includes(listen.host) ? "127.0.0.1" : listen.host;
  return { ...place, gate: addressText({ host, port }) };
}

function signingKey(text: string): SigningKey {
  try {
    return new SigningKey(text);
  } catch (cause) {
    throw new ListenError(`Cannot sign tokens with the key of --aws-key-file as ${messageOf(cause)}`, "", cause);
  }
}

/** How old the count of waiting visitors may be that clients of the AWS routes get: a status is made for all of them. */
const COUNTED_MS = 1_000;

/** Answers the routes of AWS's Virtual Waiting Room, if the settings say so; of several workers the first one does. */
function awsServer({ settings, clock, steadyClock }: NodeOptions, { shell, seal, status }: ToServe) {
  if (settings.aws === undefined || settings.worker > 1) return undefined;
  const { listen, key, issuer } = settings.aws;
  const { rooms, gate } = shell;
  let counted = { atMs: Number.NEGATIVE_INFINITY, rooms: [] as NodeStatus["rooms"] };
  const app = awsApi({
    ...{ rooms, gate, seal, issuer, clock, steadyMs: steadyClock, minuteMs: settings.minuteMs },
    key: signingKey(key),
    waiting: (name) => {
      if (Math.abs(clock() - counted.atMs) > COUNTED_MS) counted = { atMs: clock(), rooms: status().rooms };
      return counted.rooms.find((room) => room.name === name)?.waiting ?? 0;
    },
  });
  return listenAws(listen, app.fetch);
}

/** Looks at each tick how hard-pressed this process is. */
function pressureLook({ clock, steadyClock, memoryBytes, memoryBytesMax, log }: NodeOptions, shell: NodeShell) {
  let lookedMs = steadyClock();
  return (): void => {
    const steadyMs = steadyClock();
    const lagMs = Math.max(0, steadyMs - lookedMs - TICK_MS);
    lookedMs = steadyMs;
    const change = shell.pressure.look({ lagMs, memory: memoryBytes() / memoryBytesMax }, clock());
    if (change !== undefined) log.warn({}, change);
  };
}

/** Where the disk is, for a start after this one. */
function placeOf(storePath: string, isEphemeral: boolean): { readonly diskPlace?: string } {
  const place = isEphemeral ? undefined : diskPlace(storePath);
  return place === undefined ? {} : { diskPlace: place };
}

/** What a start may throw that says by itself what is wrong. */
function isForeseen(error: unknown): boolean {
  return [DataDirectoryError, ListenError, RoomsRefused, NotStored].some((kind) => error instanceof kind);
}

/** The next start on this directory joins as a new node, with the same mesh key and rooms from its peers. */
function giveUpIdentity(data: string): void {
  for (const file of [NODE_KEY_FILE, "anteroom.db", "anteroom.db-wal", "anteroom.db-shm"])
    rmSync(join(data, file), { force: true });
}

/** What an operator has named counts, then what the data directory had, then what the mesh has that takes this node in. */
function islandOf({ islandMs, isIslandGiven }: Settings, restored: ReadonlyMap<string, unknown>) {
  if (isIslandGiven) return { islandMs };
  return { islandMs: islandKept(restored) ?? islandMs, takesOnIsland: true };
}

/** Rooms that cannot be put in force, with everything that is wrong with them. */
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
