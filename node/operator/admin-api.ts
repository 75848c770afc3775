/**
 * The admin API: rooms, status and orders to the mesh under `/v1/` with a bearer token; metrics and health without one.
 *
 * It is a function from Request to Response (hono), so tests need no sockets. Each call is declared in `api/`, by
 * topic; errors are problem details (RFC 9457), and a refused change leaves everything as it was.
 */

import { Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { SettingRow } from "../config/settings.ts";
import type { PassMaker } from "../cookie/pass.ts";
import type { VisitorKeys } from "../keys/visitor-keys.ts";
import type { Log } from "../log.ts";
import type { Rollouts } from "../rooms/rollouts.ts";
import type { Rooms } from "../rooms/rooms.ts";
import type { Lookups } from "../rules/lookups.ts";
import { NotStored } from "../storage/disk-watch.ts";
import { Identity } from "./access/identity.ts";
import { identified, needs, type Scope } from "./access/principal.ts";
import type { RoomAnalytics } from "./analytics/analytics.ts";
import { analyticsRoutes } from "./api/analytics.ts";
import { type DrawRoutes, drawRoutes } from "./api/draws.ts";
import { eventRoutes } from "./api/events.ts";
import { type LaneParts, laneRoutes } from "./api/lane.ts";
import { type MeshOrders, meshRoutes } from "./api/mesh.ts";
import { nodeRoutes } from "./api/node.ts";
import { openRoutes } from "./api/open-calls.ts";
import { OPERATIONS } from "./api/operations.ts";
import { passRoutes } from "./api/passes.ts";
import { previewRoutes } from "./api/preview.ts";
import { roomOrderRoutes } from "./api/room-orders.ts";
import { APPLY_BYTES_MAX, roomRoutes } from "./api/rooms.ts";
import { tokenRoutes } from "./api/tokens.ts";
import { trialRoutes } from "./api/trial.ts";
import { visitorKeyRoutes } from "./api/visitor-keys.ts";
import { visitorRoutes } from "./api/visitors.ts";
import { webhookRoutes } from "./api/webhooks.ts";
import { failure, withInstance } from "./calls/api-answers.ts";
import { noSuchCall, servingOn } from "./calls/serve.ts";
import { type DashboardParts, dashboardRoutes } from "./dashboard/dashboard.ts";
import { type AdminEnv, AuditLog } from "./logs/audit.ts";
import type { OnFault } from "./logs/faults.ts";
import type { Notices } from "./notices/notices.ts";
import type { NodeStatus } from "./status/status.ts";
import type { Tokens } from "./tokens/tokens.ts";

export interface AdminOptions {
  readonly rooms: Rooms;
  readonly passes: PassMaker;
  readonly lane: Omit<LaneParts, "rooms">;
  readonly visitorKeys: VisitorKeys;
  /** The host's own token. */
  readonly token: string;
  readonly tokens: {
    readonly tokens: Tokens;
    readonly roomMs: () => number;
    /** Whether this node has heard what the mesh has decided about tokens. */
    readonly knowsTokens: () => boolean;
  };
  /** Unix ms. */
  readonly clock: () => number;
  readonly status: () => NodeStatus;
  /** One that may be a second old, where that is enough; left out, the same. */
  readonly recentStatus?: () => NodeStatus;
  readonly metrics: () => Promise<string>;
  /** Why this node should get no new requests; undefined while it should. */
  readonly notReady: () => string | undefined;
  readonly onFault: OnFault;
  readonly mesh: MeshOrders;
  readonly rollouts: Pick<Rollouts, "start" | "stop" | "back" | "finish">;
  /** Left out where there are none. */
  readonly draws?: Omit<DrawRoutes, "audit" | "onFault">;
  /** Left out where no history is kept. */
  readonly analytics?: RoomAnalytics;
  readonly log: Log;
  /** The settings of this node as text, without secrets. */
  readonly settingRows?: readonly SettingRow[];
  /** What the operator's files say about addresses, for rules; left out where there are none. */
  readonly lookups?: () => Lookups;
  /** What nodes are called, by id, former members included. */
  readonly nodeNames: () => Readonly<Record<string, string>>;
  readonly dashboard: DashboardParts;
  /** Left out where there are none. */
  readonly notices?: Pick<Notices, "webhooks" | "sender">;
  /** APIs in the forms of other services. */
  readonly adapters?: readonly Adapter[];
}

/** An API in the form of another service, for clients that people have already. */
export interface Adapter {
  /** All its routes are below. */
  readonly path: string;
  /** Around everything there, what is refused before its routes too. */
  readonly around: MiddlewareHandler;
  readonly routes: (app: Hono<AdminEnv>, parts: AdapterParts) => void;
}

export interface AdapterParts {
  readonly rooms: Rooms;
  readonly audit: AuditLog;
  readonly status: () => NodeStatus;
}

export function adminApi(options: AdminOptions): Hono<AdminEnv> {
  const { rooms, clock, status, recentStatus = status, analytics, adapters = [], log, onFault } = options;
  const { tokens, roomMs, knowsTokens } = options.tokens;
  const app = new Hono<AdminEnv>();
  const audit = new AuditLog(rooms, log);

  app.use("/v1/*", async (c, next) => {
    await next();
    const answer = await withInstance(c.res, new URL(c.req.url).pathname);
    if (answer !== c.res) c.res = answer;
  });
  openRoutes(app, { metrics: options.metrics, notReady: options.notReady, operations: OPERATIONS });
  const roomNames = () => [...rooms.all().map(({ room }) => room.name), ...rooms.unreadable.map(({ name }) => name)];
  const { logins } = options.dashboard;
  const identity = new Identity({ rootToken: options.token, tokens, logins, knowsTokens, clock, audit });
  dashboardRoutes(app, { ...options.dashboard, identity, status: recentStatus, roomNames });
  const known = identified<AdminEnv>((c) => identity.identify(c), roomNames);
  app.use("/v1/*", known);
  const serve = servingOn(app, needs);
  // Its body is a stream of any size, so it comes before the limit of all others.
  const parts = { rooms, audit, nowMs: clock };
  passRoutes(serve, { ...parts, passes: options.passes, identify: (c) => identity.identify(c), onFault });
  const limited = bodyLimit({
    maxSize: APPLY_BYTES_MAX,
    onError: () => failure("too-large", `Cannot read a body of more than ${APPLY_BYTES_MAX} bytes`),
  });
  app.use("/v1/*", limited);
  for (const { path, around } of adapters) app.use(`${path}/*`, around, known, limited);

  nodeRoutes(serve, { status, settingRows: options.settingRows ?? [], roomNames });
  roomRoutes(serve, parts);
  roomOrderRoutes(serve, { ...parts, rollouts: options.rollouts });
  tokenRoutes(serve, { tokens, roomMs, members: () => recentStatus().members, audit });
  eventRoutes(serve, parts);
  if (analytics !== undefined) {
    const past = (scope: Scope) => needs<AdminEnv>(scope, (name) => analytics.wasThere(name));
    analyticsRoutes(servingOn(app, past), rooms, analytics);
  }
  laneRoutes(serve, { ...options.lane, rooms, audit });
  visitorRoutes(serve, parts);
  visitorKeyRoutes(serve, { ...parts, keys: options.visitorKeys });
  if (options.draws !== undefined) drawRoutes(serve, { ...options.draws, audit, onFault });
  if (options.notices !== undefined) webhookRoutes(serve, { ...options.notices, ...parts });
  previewRoutes(serve, parts);
  trialRoutes(serve, options);
  for (const { routes } of adapters) routes(app, { rooms, audit, status: recentStatus });
  meshRoutes(serve, { mesh: options.mesh, audit, status, nodeNames: options.nodeNames });

  app.notFound((c) => noSuchCall(c, OPERATIONS));
  app.onError((error) => {
    if (error instanceof NotStored) return failure("not-stored", error.message, { hint: error.hint });
    onFault(error, "admin request failed");
    return failure("internal", "Cannot answer because of an internal error: see the log");
  });
  return app;
}
