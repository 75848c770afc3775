/**
 * One node, put together: store, ledger, rooms, gate and admin API, and the clockwork that keeps them.
 *
 * Order at the start: identity and store (refused if another process uses them), rooms as stored, then those of the
 * rooms file, and only then the sockets. Flags, files and signals are the process edge's (cmd/).
 */

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { AccountId } from "../mesh/core/ids.ts";
import { Ledger } from "../mesh/core/ledger.ts";
import { adminApi } from "./admin/api.ts";
import { ClockWatch } from "./clock-watch.ts";
import { type Problem, problemText } from "./config/problem.ts";
import { type Address, addressText } from "./config/readers.ts";
import type { Room } from "./config/room.ts";
import type { Settings } from "./config/settings.ts";
import { KeyRing } from "./cookie/keys.ts";
import { CookieSeal } from "./cookie/seal.ts";
import { DiskWatch } from "./disk-watch.ts";
import { clientOf, parseCidr } from "./gate/client.ts";
import { Gate } from "./gate/gate.ts";
import { type HttpListener, listen } from "./gate/http/listener.ts";
import type { Exchange, ExchangeEnd } from "./gate/http/message.ts";
import { GroupCommit } from "./group-commit.ts";
import { ephemeralIdentity, type Identity, loadIdentity, looseSecrets } from "./identity.ts";
import { originTarget } from "./live-room.ts";
import type { Log } from "./log.ts";
import { createMetrics } from "./metrics.ts";
import { type Applied, type Changed, Rooms } from "./rooms.ts";
import type { NodeStatus } from "./status.ts";
import { statusOf } from "./status-of.ts";
import { Store } from "./store.ts";

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
  readonly memoryBytes: () => number;
}

export interface RunningNode {
  readonly gatePort: number;
  readonly adminPort: number;
  readonly meshId: string;
  /** The token of the admin API. */
  readonly token: string;
  readonly status: () => NodeStatus;
  /** Declares rooms, as `room apply` does. */
  readonly applyRooms: (rooms: readonly Room[]) => Changed<readonly Applied[]>;
  /** Takes nothing new, finishes what runs within `deadlineMs`, saves, and lets go of everything. */
  readonly drain: (deadlineMs: number) => Promise<void>;
}

/** A port or address that cannot be listened on. */
export class ListenError extends Error {
  readonly code: string;
  constructor(message: string, code: string, cause: unknown) {
    super(message, { cause });
    this.name = "ListenError";
    this.code = code;
  }
}

/** Housekeeping: gone visitors, ended sessions, and what may lag on disk. Twice a second, so that calls are not late. */
const TICK_MS = 500;

/** Starts a node. Throws `DataDirectoryError`, `ListenError`, or what `rooms` refuses as `RoomsRefused`. */
export function startNode(options: NodeOptions): RunningNode {
  const { settings, log, clock, version } = options;
  const identity = identityOf(settings);
  const store = new Store(settings.ephemeral ? ":memory:" : join(settings.data, "anteroom.db"), settings.durability);
  const lastAliveMs = store.aliveMs;
  const account = store.account(() => randomBytes(16).toString("hex"));
  const ledger = restoredLedger(account, store);
  const { minuteMs, locality } = settings;
  store.requireMinuteMs(minuteMs);
  const defaultOrigin = settings.origin === undefined ? undefined : originTarget(settings.origin);
  const rooms = new Rooms(store, { ledger, locality, minuteMs, defaultOrigin }, clock);
  const watch = new ClockWatch(lastAliveMs);
  const disk = new DiskWatch(log, clock);
  const lasting = [
    ...rooms.unreadable.map(unreadableRoom),
    ...(settings.ephemeral ? [] : looseSecrets(settings.data)).map(looseSecret),
  ];
  const warnings = (): string[] => [watch.look(clock()) ?? [], disk.look(clock()) ?? [], lasting].flat();
  for (const warning of warnings()) log.warn({}, warning);
  const applied = rooms.apply(options.rooms);
  if (!applied.ok) {
    store.close();
    throw new RoomsRefused(applied.refusal.problems);
  }

  const commit = new GroupCommit(
    (records) => store.commit(records),
    (error) => disk.failed(error),
  );
  const gate = new Gate({
    rooms,
    seal: new CookieSeal(new KeyRing(identity)),
    commit,
    clock,
    minuteMs,
    defaultOrigin,
    trustedProxies: settings.trustedProxies.map(parseCidr),
    originSecret: settings.originSecret,
    log,
    lastAliveMs,
  });

  const startedMs = clock();
  let isDraining = false;
  const status = (): NodeStatus =>
    statusOf({
      version,
      account,
      meshId: identity.meshId,
      locality,
      minuteMs,
      startedMs,
      nowMs: clock(),
      warnings: warnings(),
      rooms: rooms.all(),
    });
  const listener = listenGate(options, gate);
  const metrics = createMetrics({
    version,
    gate,
    rooms: () => rooms.all(),
    clock,
    connections: () => listener.connections,
    memoryBytes: options.memoryBytes,
  });
  const token = settings.token ?? identity.adminToken;
  const app = adminApi({ rooms, token, status, metrics, isReady: () => !isDraining, log });
  const admin = listenAdmin(settings, app.fetch, () => listener.stop());

  function save(): void {
    const lines = rooms.kept().map((live) => [live.id, live.admission.lineSummary] as const);
    store.saveSoft({ aliveMs: clock(), row: ledger.row(account), lines });
  }

  let wasBehind = watch.look(clock()) !== undefined;
  const timer = setInterval(() => {
    const behind = watch.look(clock());
    if (behind !== undefined && !wasBehind) log.warn({}, behind);
    wasBehind = behind !== undefined;
    try {
      for (const live of rooms.kept()) live.admission.tick(clock());
      save();
    } catch (error) {
      // Saves the gate; what was to be saved is tried again at the next tick.
      log.error({ error: String(error) }, "housekeeping failed");
    }
  }, TICK_MS);

  return {
    gatePort: listener.port,
    adminPort: admin.port ?? 0,
    meshId: identity.meshId,
    token,
    status,
    applyRooms: (declared) => rooms.apply(declared),
    drain: async (deadlineMs) => {
      isDraining = true;
      await listener.drain(deadlineMs);
      clearInterval(timer);
      await admin.stop(true);
      commit.flush();
      save();
      store.close();
    },
  };
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

function identityOf({ ephemeral, data }: Settings): Identity {
  return ephemeral ? ephemeralIdentity() : loadIdentity(data);
}

function restoredLedger(account: AccountId, store: Store): Ledger {
  const ledger = new Ledger({ self: account, founder: account });
  const row = store.ledgerRow(account);
  if (row !== undefined) ledger.merge(row);
  return ledger;
}

function unreadableRoom(problem: Problem): string {
  return `a stored room is not in force, visitors pass it by: ${problemText(problem)}`;
}

function looseSecret(path: string): string {
  return `${path} can be read by others on this host: chmod 600 ${path}`;
}

function listenGate(options: NodeOptions, gate: Gate): HttpListener {
  const { settings, tls, originCa, connectionsMax, log } = options;
  const { listen: address, connectTimeoutMs, originTimeoutMs, accessLog } = settings;
  const trusted = settings.trustedProxies.map(parseCidr);
  return listening(address, "gate", (hostname) =>
    listen({
      hostname,
      port: address.port,
      ...(tls !== undefined && { tls }),
      ...(originCa !== undefined && { originTls: { ca: originCa } }),
      limits: { connectionsMax, connectMs: connectTimeoutMs, originMs: originTimeoutMs },
      onExchange: (exchange) => gate.handle(exchange),
      onError: (error) => log.error({ error: String(error) }, "request failed inside"),
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
    return listening(settings.admin, "admin", (hostname) =>
      Bun.serve({ hostname, port: settings.admin.port, development: false, fetch }),
    );
  } catch (error) {
    undo();
    throw error;
  }
}

/** Listens on `address`; one without a host means every interface, by IPv6 and IPv4, or IPv4 alone where there is no other. */
function listening<Server>(address: Address, what: "gate" | "admin", start: (hostname: string) => Server): Server {
  const [hostname = "", otherwise] = address.host === "" ? ["::", "0.0.0.0"] : [address.host];
  try {
    return start(hostname);
  } catch (cause) {
    const code = (cause as { code?: string }).code ?? "";
    const reason = LISTEN_REASONS[code];
    if (reason === undefined && otherwise !== undefined) return listening({ ...address, host: otherwise }, what, start);
    throw new ListenError(
      `Cannot listen for the ${what} on ${addressText(address)} as ${reason ?? String(cause)}`,
      code,
      cause,
    );
  }
}

const LISTEN_REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "the port is taken",
  EACCES: "this user may not use the port",
  EADDRNOTAVAIL: "this host has no such address",
};
