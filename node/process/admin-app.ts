/**
 * The admin API of a node: what it is given of the node's parts.
 */

import type { Transport } from "../../mesh/transport.ts";
import { CLOUDFLARE } from "../adapters/cloudflare/routes.ts";
import { addressText } from "../config/readers.ts";
import type { LaneKeys } from "../cookie/lane-keys.ts";
import type { PassMaker } from "../cookie/pass.ts";
import type { CookieSeal } from "../cookie/seal.ts";
import type { VisitorKeys } from "../keys/visitor-keys.ts";
import { People } from "../operator/access/people.ts";
import { adminApi } from "../operator/admin-api.ts";
import { RoomAnalytics } from "../operator/analytics/analytics.ts";
import type { LanePlace } from "../operator/api/lane.ts";
import { Logins } from "../operator/dashboard/session.ts";
import type { Timeline } from "../operator/dashboard/timeline.ts";
import { forgetOrders } from "../operator/forget/forget.ts";
import { faultHandler } from "../operator/logs/faults.ts";
import type { Notices } from "../operator/notices/notices.ts";
import type { Otlp } from "../operator/otlp-collector.ts";
import type { RecentStatus } from "../operator/status/recent-status.ts";
import type { Tokens } from "../operator/tokens/tokens.ts";
import type { Traces } from "../operator/tracing/traces.ts";
import type { Rollouts } from "../rooms/rollouts.ts";
import type { HistoryStore } from "../storage/history-store.ts";
import type { NodeOptions } from "./node-options.ts";
import type { NodeShell } from "./shell.ts";

/** A node that is up, with what its sockets need of it. */
export interface Served {
  readonly shell: NodeShell;
  readonly seal: CookieSeal;
  readonly transport: Transport;
  readonly token: string;
  readonly status: RecentStatus;
  /** Somebody reads the metrics. */
  readonly metricsRead: () => void;
  readonly loopName: string;
  readonly passes: PassMaker;
  readonly laneKeys: LaneKeys;
  readonly visitorKeys: VisitorKeys;
  readonly timeline: Timeline;
  readonly traces: Traces | undefined;
  /** Left out without `--otlp-endpoint`. */
  readonly otlp: Otlp | undefined;
  readonly history: HistoryStore;
  readonly tokens: Tokens;
  readonly notices: Notices;
}

export interface AdminParts {
  readonly metrics: () => Promise<string>;
  readonly rollouts: Rollouts;
  readonly gatePort: number;
}

export function nodeAdmin(options: NodeOptions, served: Served, { metrics, rollouts, gatePort }: AdminParts) {
  const { settings, log, clock, people, proxyOf = () => false } = options;
  const { shell, token, status, passes, laneKeys, visitorKeys, timeline, tokens, notices, history } = served;
  const { peer, rooms } = shell;
  const forgetting = forgetOrders({
    members: peer.members,
    now: () => {
      peer.at(shell.now);
      return peer.now;
    },
    wake: () => shell.commit.wake(),
  });
  return adminApi({
    rooms,
    passes,
    lane: { keys: laneKeys, place: lanePlace(options, gatePort) },
    visitorKeys,
    token,
    tokens: {
      tokens,
      roomMs: () => peer.roomMs,
      knowsTokens: () => peer.knowsRegisters,
    },
    clock,
    status: () => status.now(),
    recentStatus: () => status.recent(),
    metrics,
    notReady: () => shell.notReady,
    onFault: faultHandler(log, options.endNow),
    mesh: { leave: () => new Promise((resolve) => shell.leave(resolve)), ...forgetting },
    rollouts,
    draws: {
      rooms,
      draws: peer.draws,
      self: peer.roomNode.self,
      notary: peer.roomNode.notary,
      roomMs: () => peer.roomMs,
      voters: () => (peer.members.view?.voters ?? []).join(", "),
    },
    log,
    ...(options.lookups && { lookups: options.lookups }),
    ...(options.settingRows && { settingRows: options.settingRows }),
    nodeNames: () => Object.fromEntries(peer.names.all),
    analytics: analyticsOf(shell, history, settings.minuteMs),
    dashboard: {
      logins: new Logins(clock),
      timeline,
      ...(people && {
        people: new People(people, { clock, fetch: (url, init) => fetch(url, { ...init, proxy: proxyOf(url) }) }),
      }),
    },
    notices,
    adapters: [CLOUDFLARE],
  });
}

function analyticsOf({ peer, rooms }: NodeShell, store: HistoryStore, minuteMs: number): RoomAnalytics {
  return new RoomAnalytics({
    store,
    minuteMs,
    roomMs: () => peer.roomMs,
    running: () => new Set([peer.roomNode.self, ...peer.members.status(peer.now).map(({ node }) => node)]),
    nameOf: (node) => peer.names.all.get(node),
    roomOf: (name) => rooms.byName(name),
  });
}

/** What a proxy in front must know of this node. */
function lanePlace({ version, settings }: NodeOptions, port: number): LanePlace {
  const { listen, tls, origin, originSecret } = settings;
  const place = { version, isTls: tls !== undefined, origin, hasOriginSecret: originSecret !== undefined };
  if (listen.unix !== undefined) return { ...place, gate: addressText(listen) };
  const host = ["", "::", "0.0.0.0"].includes(listen.host) ? "127.0.0.1" : listen.host;
  return { ...place, gate: addressText({ host, port }) };
}
