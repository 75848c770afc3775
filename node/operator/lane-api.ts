/** The part of the admin API about the fast lane: what a proxy's snippet is made of, and the rotation of its keys. */

import type { Hono } from "hono";
import type { RoomId } from "../../mesh/core/ids.ts";
import { type LaneKeys, laneCookieName, laneHeader } from "../cookie/lane-keys.ts";
import { passCookieName } from "../gate/shown-pass.ts";
import { type LaneHost, laneHosts, laneObstacle, lanePin } from "../rooms/lane-table.ts";
import type { LiveRoom } from "../rooms/live-room.ts";
import type { Rooms } from "../rooms/rooms.ts";
import { unread } from "./api-answers.ts";
import { type AdminEnv, type AuditLog, actorOf } from "./audit.ts";
import { jsonBody } from "./json-body.ts";
import { needs } from "./principal.ts";

/** What a node knows that a snippet needs, besides its rooms. */
export interface LanePlace {
  readonly version: string;
  /** Where its gate listens, as `host:port`. */
  readonly gate: string;
  /** Whether its gate speaks TLS. */
  readonly isTls: boolean;
  /** Base URL of the origin of rooms that name none. */
  readonly origin: string | undefined;
  readonly hasOriginSecret: boolean;
}

export interface LaneRoom {
  readonly id: RoomId;
  readonly name: string;
  /** Name of the cookie with its tokens. */
  readonly cookie: string;
  /** Names of the cookies that the gate itself sets: of the session or place, and of the pass. */
  readonly gateCookies: readonly string[];
  /** Base URL of its origin; undefined if there is none. */
  readonly origin: string | undefined;
  /** Why the lane takes none of its visitors; undefined if it takes them. */
  readonly obstacle: string | undefined;
  /** Whether the gate lowers the rate of new visitors by what it sees of the origin's answers. */
  readonly isThrottled: boolean;
  /** The key with which gates sign, and the next one. */
  readonly keys: readonly { readonly generation: number; readonly header: string; readonly key: string }[];
}

/** All that a snippet is made of. A reader of its keys can let visitors in. */
export interface LaneDocument extends LanePlace {
  readonly pin: string;
  /** What a proxy with this snippet sends to the gates in `Anteroom-Lane`. */
  readonly snippet: string;
  readonly generation: number;
  readonly hosts: readonly LaneHost[];
  readonly rooms: readonly LaneRoom[];
}

export interface LaneParts {
  readonly rooms: Rooms;
  readonly keys: LaneKeys;
  readonly place: LanePlace;
}

/** Nothing but a switch. */
const ORDER_BYTES_MAX = 1_024;

/** Snippets have two keys: after a leak, neither may be signed with. */
const STEPS = { rotated: 1, leaked: 2 };

export function laneRoutes(app: Hono<AdminEnv>, { audit, ...parts }: LaneParts & { readonly audit: AuditLog }): void {
  const { rooms } = parts;
  app.get("/v1/lane", needs("mesh"), (c) => c.json({ lane: laneDocument(parts) }));
  app.post("/v1/lane/rotate", needs("mesh"), async (c) => {
    const body = await jsonBody(c.req, ORDER_BYTES_MAX);
    if (!body.ok) return unread(body);
    const { leaked } = Object(body.value) as Record<string, unknown>;
    rooms.rotateLane(leaked === true ? STEPS.leaked : STEPS.rotated);
    const generation = rooms.laneGeneration;
    audit.note(actorOf(c), "keys of the fast lane rotated", { generation, leaked: leaked === true });
    return c.json({ generation });
  });
}

export function laneDocument({ rooms, keys, place }: LaneParts): LaneDocument {
  const all = rooms.all();
  const pin = lanePin(all);
  const generation = rooms.laneGeneration;
  const keysOf = (room: RoomId) =>
    [generation, generation + 1].map((each) => ({
      ...{ generation: each, header: laneHeader(each) },
      key: keys.key({ room, pin, generation: each }),
    }));
  return {
    ...place,
    ...{ pin, generation, snippet: keys.snippetText({ pin, generation }), hosts: laneHosts(rooms.routes) },
    rooms: all.map((live) => ({ ...laneRoom(live, place), keys: keysOf(live.id) })),
  };
}

function laneRoom(
  { id, room, declared, cookieName }: LiveRoom,
  { origin: fallback }: LanePlace,
): Omit<LaneRoom, "keys"> {
  const { origin: own, throttle } = declared;
  const origin = typeof own === "object" ? own[0]?.url : (own ?? fallback);
  const obstacle = laneObstacle({ ...room, origin: own ?? fallback });
  return {
    ...{ id, name: room.name, cookie: laneCookieName(id), origin },
    gateCookies: [cookieName, passCookieName(cookieName)],
    obstacle,
    isThrottled: throttle.k > 0 || throttle.latency > 0,
  };
}
