/** The admin API of a node in memory, with its room `shop`. */

import { CLOUDFLARE } from "../../../node/adapters/cloudflare/routes.ts";
import type { SettingRow } from "../../../node/config/settings.ts";
import { LaneKeys } from "../../../node/cookie/lane-keys.ts";
import { PassMaker } from "../../../node/cookie/pass.ts";
import { VisitorKeys } from "../../../node/keys/visitor-keys.ts";
import type { People } from "../../../node/operator/access/people.ts";
import { adminApi } from "../../../node/operator/admin-api.ts";
import { RoomAnalytics } from "../../../node/operator/analytics/analytics.ts";
import type { MeshOrders } from "../../../node/operator/api/mesh.ts";
import { Logins } from "../../../node/operator/dashboard/session.ts";
import { Timeline } from "../../../node/operator/dashboard/timeline.ts";
import { Notices } from "../../../node/operator/notices/notices.ts";
import type { NodeStatus } from "../../../node/operator/status/status.ts";
import { statusOf } from "../../../node/operator/status/status-of.ts";
import { Tokens } from "../../../node/operator/tokens/tokens.ts";
import { Rollouts } from "../../../node/rooms/rollouts.ts";
import type { RoomRegisters } from "../../../node/rooms/room-registers.ts";
import type { Lookups } from "../../../node/rules/lookups.ts";
import { GateWorld, MINUTE_MS, START_MS } from "../gate/gate-world.ts";
import { storeAt } from "../history/history-world.ts";
import { MESH } from "../peer/lone-peer.ts";

export const TOKEN = "the-token";

export interface AdminExtras {
  readonly people?: People;
  /** Hears what is logged. */
  readonly note?: (fields: object) => void;
  readonly lookups?: Lookups;
  readonly mesh?: MeshOrders;
  /** The node's status as the API is to have it. */
  readonly seen?: (status: NodeStatus) => NodeStatus;
  readonly notReady?: () => string | undefined;
  readonly knowsTokens?: () => boolean;
  readonly onFault?: (error: unknown) => void;
  readonly settingRows?: readonly SettingRow[];
}

/** Leaves once, and forgets all. */
function obedientMesh(): MeshOrders {
  let leaves = 0;
  return {
    leave: async () => {
      leaves += 1;
      if (leaves > 1) return { isRefused: true, problem: "Cannot leave a second time" };
      return { left: true, heir: "12D3KooWbbbbTwo2", message: "left" };
    },
    former: () => ["12D3KooWccccLost"],
    forget: async (nodes) => ({ ok: true, forgotten: nodes, already: [] }),
  };
}

export function adminWorld(world = new GateWorld(), extras: AdminExtras = {}) {
  const { people, lookups, note = nothing, mesh = obedientMesh(), seen = (status) => status } = extras;
  const log = { error: nothing, warn: nothing, info: note, debug: nothing };
  const status = () => {
    const { peer, rooms, nowMs } = world;
    peer.at({ wallMs: nowMs, steadyMs: nowMs });
    const about = { version: "1.2.3", meshId: MESH.meshId, startedMs: START_MS, warnings: () => ["something"] };
    return seen(statusOf({ ...about, peer, nowMs, rooms: rooms.all() }));
  };
  const { replica } = world.peer;
  const clock = () => world.nowMs;
  const registers: RoomRegisters = {
    all: () => replica.registers(),
    get: (key) => replica.register(key),
    set: (values) => replica.setRegisters(values, world.nowMs),
  };
  const tokens = new Tokens({ registers, roomMs: clock });
  const dashboard = { logins: new Logins(clock), timeline: new Timeline(clock), ...(people && { people }) };
  const notices = new Notices({
    ...{ tokens, proxyOf: () => false as const },
    ...{ mesh: MESH, node: world.peer.roomNode.self, version: "1.2.3", clock, log },
    registers,
    knowsRegisters: () => true,
    formerOf: () => "removed",
  });
  const app = adminApi({
    dashboard,
    ...(lookups && { lookups: () => lookups }),
    adapters: [CLOUDFLARE],
    clock,
    tokens: { tokens, roomMs: clock, knowsTokens: extras.knowsTokens ?? (() => true) },
    ...{ rooms: world.rooms, passes: new PassMaker(MESH), visitorKeys: new VisitorKeys(MESH) },
    lane: {
      keys: new LaneKeys(MESH),
      place: {
        ...{ version: "1", gate: "127.0.0.1:8080", isTls: false, hasOriginSecret: false },
        origin: "http://origin.internal:3000",
      },
    },
    ...{ token: TOKEN, status, mesh, log },
    analytics: new RoomAnalytics({
      ...{ store: storeAt().store, minuteMs: MINUTE_MS, roomMs: () => world.nowMs },
      ...{ running: () => new Set(), nameOf: nothing, roomOf: (name) => world.rooms.byName(name) },
    }),
    metrics: async () => "anteroom_inside 1\n",
    notReady: extras.notReady ?? nothing,
    onFault: extras.onFault ?? thrown,
    rollouts: new Rollouts({
      ...{ rooms: world.rooms, clock, minuteMs: MINUTE_MS, rank: () => 0, log },
      probe: async () => undefined,
    }),
    draws: {
      rooms: world.rooms,
      draws: world.peer.draws,
      self: world.peer.roomNode.self,
      notary: world.peer.roomNode.notary,
      roomMs: () => world.nowMs,
      voters: () => world.peer.roomNode.self,
    },
    notices,
    settingRows: extras.settingRows ?? [{ setting: "listen", value: ":8080", source: "default" }],
    nodeNames: () => ({ "12D3KooWccccLost": "gate3" }),
  });
  const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    app.request(path, {
      method,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  return { world, app, ask, status, dashboard, registers, tokens };
}

function thrown(error: unknown): void {
  throw error;
}

function nothing(): undefined {
  return undefined;
}
