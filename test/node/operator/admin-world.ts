/** The admin API of a node in memory, with its room `shop`. */

import { CLOUDFLARE } from "../../../node/adapters/cloudflare/routes.ts";
import { PassMaker } from "../../../node/cookie/pass.ts";
import type { People } from "../../../node/operator/access/people.ts";
import { adminApi } from "../../../node/operator/admin-api.ts";
import { RoomAnalytics } from "../../../node/operator/analytics/analytics.ts";
import type { MeshOrders } from "../../../node/operator/api/mesh.ts";
import { Notices } from "../../../node/operator/notices/notices.ts";
import type { NodeStatus } from "../../../node/operator/status/status.ts";
import { statusOf } from "../../../node/operator/status/status-of.ts";
import { Rollouts } from "../../../node/rooms/rollouts.ts";
import type { Lookups } from "../../../node/rules/lookups.ts";
import { dashboardParts } from "../../cmd/dashboard-parts.ts";
import { LANE, VISITOR_KEYS } from "../../cmd/lane-parts.ts";
import { memoryRegisters, tokenParts } from "../../cmd/token-parts.ts";
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
  /** Asks an origin for a sign of life before a rollout. */
  readonly probe?: Probe;
  /** The node's status as the API is to have it. */
  readonly seen?: (status: NodeStatus) => NodeStatus;
  readonly notReady?: () => string | undefined;
  readonly knowsTokens?: () => boolean;
  readonly onFault?: (error: unknown) => void;
}

type Probe = ConstructorParameters<typeof Rollouts>[0]["probe"];

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
  const registers = memoryRegisters();
  const { clock, tokens } = tokenParts(() => world.nowMs, registers);
  const dashboard = { ...dashboardParts(clock), ...(people && { people }) };
  const notices = new Notices({
    ...{ tokens: tokens.tokens, proxyOf: () => false as const },
    ...{ mesh: MESH, node: world.peer.roomNode.self, version: "1.2.3", clock, log },
    registers: {
      all: () => replica.registers(),
      get: (key) => replica.register(key),
      set: (values) => replica.setRegisters(values, world.nowMs),
    },
    knowsRegisters: () => true,
    formerOf: () => "removed",
  });
  const app = adminApi({
    dashboard,
    ...(lookups && { lookups: () => lookups }),
    adapters: [CLOUDFLARE],
    clock,
    tokens: { ...tokens, knowsTokens: extras.knowsTokens ?? tokens.knowsTokens },
    ...{ rooms: world.rooms, passes: new PassMaker(MESH), lane: LANE, visitorKeys: VISITOR_KEYS },
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
      probe: extras.probe ?? (async () => undefined),
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
    settingRows: [{ setting: "listen", value: ":8080", source: "default" }],
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
  return { world, app, ask, status, dashboard, registers, tokens: tokens.tokens };
}

function thrown(error: unknown): void {
  throw error;
}

function nothing(): undefined {
  return undefined;
}
