/**
 * One node in its process: identity, disk, shell, and then the sockets: the mesh's, the gate's, the admin API's.
 *
 * What the node does is the shell's affair (`shell.ts`). Flags, files and signals are the process edge's (cmd/).
 */

import type { NodeId } from "../../mesh/core/ids.ts";
import type { Instant } from "../../mesh/core/instant.ts";
import type { Puts } from "../../mesh/core/wire/outbox.ts";
import { signaturesOf } from "../../mesh/signatures.ts";
import { QueueIt, queueItAccount } from "../adapters/queue-it/queue-it.ts";
import type { Problem } from "../config/problem.ts";
import type { Room } from "../config/room.ts";
import { LaneKeys } from "../cookie/lane-keys.ts";
import { PassMaker } from "../cookie/pass.ts";
import { AltchaProof } from "../cookie/proof-of-work.ts";
import { CookieSeal, JweCipher, KeyRing } from "../cookie/seal.ts";
import { crawlerDns } from "../gate/crawler-dns.ts";
import { PROCESS } from "../gate/gate-context.ts";
import { ProxyWatch } from "../gate/proxy-watch.ts";
import { loopNameOf, parseCidr } from "../http/client.ts";
import { PROCESS_CLOCK } from "../http/limits.ts";
import type { ServerTls } from "../http/server-certificates.ts";
import type { OriginTls } from "../http/upstream.ts";
import { ContactSeal } from "../keys/contact-seal.ts";
import { PushKeys } from "../keys/push-keys.ts";
import { VisitorKeys } from "../keys/visitor-keys.ts";
import { isLogged } from "../log.ts";
import { messageOf } from "../message-of.ts";
import { Timeline } from "../operator/dashboard/timeline.ts";
import { faultHandler } from "../operator/logs/faults.ts";
import { Notices } from "../operator/notices/notices.ts";
import { RecentStatus } from "../operator/status/recent-status.ts";
import type { NodeStatus } from "../operator/status/status.ts";
import { statusOf } from "../operator/status/status-of.ts";
import { Tokens } from "../operator/tokens/tokens.ts";
import { tracesOf } from "../operator/tracing/traces.ts";
import { nodeNameOf } from "../own-hosts.ts";
import type { Changed } from "../rooms/changed.ts";
import type { Applied } from "../rooms/declared-changes.ts";
import { originTarget } from "../rooms/live-room.ts";
import { NO_LOOKUPS } from "../rules/lookups.ts";
import { NotStored } from "../storage/disk-watch.ts";
import { DataDirectoryError, newMesh, saveMesh } from "../storage/identity.ts";
import { damaged } from "../storage/store.ts";
import { FOUNDS } from "../storage/stored-node.ts";
import { type Ground, giveUpIdentity, openGround, openHistory, otherLocality, placeOf, readStore } from "./ground.ts";
import { ListenError } from "./listening.ts";
import { listenMesh } from "./mesh-link.ts";
import type { NodeEnd } from "./node-end.ts";
import type { NodeOptions } from "./node-options.ts";
import { nodeWarnings, sayAtStart } from "./node-warnings.ts";
import { openSockets } from "./serving.ts";
import { NodeShell } from "./shell.ts";
import type { Scheduler } from "./shell-parts.ts";

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
const SCHEDULER: Scheduler = { every: PROCESS_CLOCK.every, atTurnEnd: setImmediate };

/** Starts a node. Throws `DataDirectoryError`, `ListenError`, or `RoomsRefused` for rooms that `rooms` refuses. */
export async function startNode(options: NodeOptions): Promise<RunningNode> {
  const { settings } = options;
  const ground = await openGround(settings);
  const { files, storePath } = ground;
  try {
    return await startOn(options, ground);
  } catch (error) {
    for (const file of files) file.close();
    throw isForeseen(error) ? error : damaged(storePath, `the node cannot start on it: ${messageOf(error)}`, error);
  }
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
  const proxyOf = options.proxyOf ?? (() => false);
  const trustedProxies = settings.trustedProxies.map(parseCidr);
  const proxies = new ProxyWatch({ trusted: trustedProxies, log });
  const loopName = loopNameOf(mesh.meshId);
  const passes = new PassMaker(mesh);
  const laneKeys = new LaneKeys(mesh);
  const visitorKeys = new VisitorKeys(mesh);
  const otlp =
    settings.otlpEndpoint === undefined
      ? undefined
      : {
          endpoint: settings.otlpEndpoint,
          resource: {
            "service.name": "anteroom",
            "service.version": version,
            "service.instance.id": nodeNameOf(settings),
          },
          version,
          proxyOf,
          log,
          later: (ms: number, act: () => void): void => void setTimeout(act, ms).unref(),
        };
  const traces = tracesOf(otlp, { sample: settings.otlpSample, clock, steadyMs: options.steadyClock });
  const defaultOrigin = settings.origin === undefined ? undefined : originTarget(settings.origin);
  const history = openHistory(options, mesh.meshId);
  ground.files.push(history);
  const seal = new CookieSeal(new JweCipher(new KeyRing(mesh)));
  const shell = new NodeShell({
    peer: {
      self: identity.nodeKey.node,
      // Another process may have been this node between the making of its key and the lock on its store.
      isFirstRun: identity.nodeKey.isNew && restored.size === 0,
      locality: settings.locality,
      name: nodeNameOf(settings),
      meshId: mesh.meshId,
      founder: mesh.founder,
      founds,
      minuteMs,
      leaseMs: settings.leaseMs,
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
      contactSeal: new ContactSeal(mesh),
      pushKeys: new PushKeys(mesh),
      surroundings: PROCESS,
      defaultOrigin,
      loopName,
      trustedProxies,
      clientAddressField: settings.clientAddressField,
      crawlerLookup: crawlerDns(),
      lookups: options.lookups ?? (() => NO_LOOKUPS),
      proxies,
      originSecret: settings.originSecret,
      connectors: (parts) => new QueueIt({ ...parts, account: queueItAccount(settings.queueIt) }),
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
  const tokens = new Tokens({ registers: shell.registers, roomMs: () => peer.roomMs });
  const notices = new Notices({
    mesh,
    node: identity.nodeKey.node,
    version,
    registers: shell.registers,
    tokens,
    proxyOf,
    clock,
    log,
    knowsRegisters: () => peer.knowsRegisters,
    formerOf: (node) => (peer.members.reach.state(node as NodeId, peer.now) === "left" ? "left" : "removed"),
  });
  const warnings = nodeWarnings(options, { shell, proxies, history, notices });
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
  let metricsReadMs: number | undefined;
  const status = new RecentStatus({
    read: () =>
      statusOf({
        version,
        peer,
        meshId,
        startedMs,
        addresses: transport.addresses,
        pressure: shell.pressure,
        nowMs: clock(),
        warnings,
        roomsFile: shell.declared.status,
        metricsReadMs,
        rooms: rooms.all(),
      }),
    changes: () => shell.changes,
    steadyMs,
  });
  const token = settings.token ?? identity.adminToken;
  const sockets = await openSockets(options, {
    shell,
    transport,
    token,
    status,
    metricsRead: () => {
      metricsReadMs = clock();
    },
    loopName,
    passes,
    laneKeys,
    visitorKeys,
    timeline,
    traces,
    otlp,
    history,
    tokens,
    notices,
    seal,
  });

  async function stop(deadlineMs: number): Promise<void> {
    shell.drain();
    await sockets.drain(deadlineMs);
    await Promise.all([traces?.queue.close(), sockets.lastMetrics()]);
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
    status: () => status.now(),
    applyRooms: (declared) => shell.applyRooms(declared),
    replaceTls: sockets.replaceTls,
    reloaded: sockets.reloaded,
    drain: async (deadlineMs) => {
      shell.drain();
      await stopOnce(deadlineMs);
    },
  };
}

/** What a start may throw that says by itself what is wrong. */
function isForeseen(error: unknown): boolean {
  return [DataDirectoryError, ListenError, RoomsRefused, NotStored].some((kind) => error instanceof kind);
}

/** Rooms that cannot be used, with everything that is wrong with them. */
export class RoomsRefused extends Error {
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[]) {
    super("Cannot start with these rooms");
    this.name = "RoomsRefused";
    this.problems = problems;
  }
}
