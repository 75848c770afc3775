/** The part of the admin API about the fast lane: what a proxy's snippet is made of, and the rotation of its keys. */

import { z } from "zod";
import type { RoomId } from "../../../mesh/core/ids.ts";
import type { Shape } from "../../config/document-fields.ts";
import { type LaneKeys, laneCookieName, laneHeader } from "../../cookie/lane-keys.ts";
import { ROOM_ID } from "../../rooms/api-room.ts";
import { LANE_HOST, laneHosts, laneObstacle, lanePin } from "../../rooms/lane-table.ts";
import type { LiveRoom } from "../../rooms/live-room.ts";
import type { Rooms } from "../../rooms/rooms.ts";
import { operation } from "../calls/operation.ts";
import type { Serve } from "../calls/serve.ts";
import { type AuditLog, actorOf } from "../logs/audit.ts";
import { named } from "./common-shapes.ts";

export interface LaneParts {
  readonly rooms: Rooms;
  readonly keys: LaneKeys;
  readonly place: LanePlace;
}

/** Nothing but a switch. */
const ORDER_BYTES_MAX = 1_024;

/** Snippets have two keys: after a leak, neither may be signed with. */
const STEPS = { rotated: 1, leaked: 2 };

const PLACE = z.object({
  version: z.string().describe("the release"),
  gate: z.string().describe("where the gate listens, as host:port"),
  isTls: z.boolean().describe("whether the gate speaks TLS"),
  origin: z.string().optional().describe("base URL of the origin of rooms that name none"),
  hasOriginSecret: z.boolean().describe("whether requests to the origin carry a secret"),
});

const LANE_ROOM = z.object({
  id: ROOM_ID,
  name: z.string().describe("the room's name"),
  cookie: z.string().describe("the cookie with its tokens"),
  origin: z.string().optional().describe("base URL of its origin; left out for none"),
  obstacle: z.string().optional().describe("why the lane takes none of its visitors"),
  isThrottled: z.boolean().describe("whether the gate slows new visitors by what it sees of the origin"),
  keys: z
    .array(
      z.object({
        generation: z.int().describe("of the keys"),
        header: z.string().describe("the beginning of its tokens"),
        key: z.string().describe("secret: it lets visitors in"),
      }),
    )
    .describe("the key with which gates sign, and the next one"),
});

const LANE = z.object({
  ...PLACE.shape,
  pin: z.string().describe("changes when the routes or rooms of the snippet do"),
  snippet: z.string().describe("what a proxy with this snippet sends to the gates in Anteroom-Lane"),
  generation: z.int().describe("of the keys"),
  hosts: z.array(LANE_HOST).describe("the routes of all rooms"),
  rooms: z.array(LANE_ROOM).describe("all rooms"),
});

/** What a node knows that a snippet needs, besides its rooms. */
export type LanePlace = Shape<typeof PLACE>;
export type LaneRoom = Shape<typeof LANE_ROOM>;
/** All that a snippet is made of. A reader of its keys can let visitors in. */
export type LaneDocument = Shape<typeof LANE>;

const READ = operation({
  id: "getLane",
  method: "GET",
  path: "/v1/lane",
  topic: "lane",
  scope: "mesh",
  summary: "what a snippet of the [fast lane](proxies.md) is made of, with its keys",
  answer: {
    description: "the parts of a snippet",
    schema: named(
      "LaneAnswer",
      z.object({ lane: LANE.describe("all that a snippet is made of; its keys can let visitors in") }),
    ),
  },
});

const ROTATE = operation({
  id: "rotateLaneKeys",
  method: "POST",
  path: "/v1/lane/rotate",
  topic: "lane",
  scope: "mesh",
  summary: "makes all gates sign with the next key; after a leak with the one after it",
  body: {
    schema: named(
      "LaneRotation",
      z.strictObject({
        leaked: z.boolean().default(false).describe("true: a snippet is known to others; neither of its keys is used"),
      }),
    ),
    bytesMax: ORDER_BYTES_MAX,
    repairs: { leaked: "write true or false" },
    read: "here",
    example: { leaked: false },
  },
  answer: {
    description: "the generation that applies now",
    schema: named("LaneRotated", z.object({ generation: z.int().describe("of the keys") })),
  },
});

export const LANE_OPERATIONS = [READ, ROTATE];

export function laneRoutes(serve: Serve, { audit, ...parts }: LaneParts & { readonly audit: AuditLog }): void {
  const { rooms } = parts;
  serve(READ, ({ c }) => c.json({ lane: laneDocument(parts) }));
  serve(ROTATE, ({ c, body: { leaked } }) => {
    rooms.rotateLane(leaked ? STEPS.leaked : STEPS.rotated);
    const generation = rooms.laneGeneration;
    audit.note(actorOf(c), "keys of the fast lane rotated", { generation, leaked });
    return c.json({ generation });
  });
}

export function laneDocument({ rooms, keys, place }: LaneParts): LaneDocument {
  const all = rooms.all();
  const pin = lanePin(all);
  const generation = rooms.laneGeneration;
  const keysOf = (room: RoomId) =>
    [generation, generation + 1].map((each) => ({
      generation: each,
      header: laneHeader(each),
      key: keys.key({ room, pin, generation: each }),
    }));
  return {
    ...place,
    pin,
    generation,
    snippet: keys.snippetText({ pin, generation }),
    hosts: laneHosts(rooms.routes),
    rooms: all.map((live) => ({ ...laneRoom(live, place), keys: keysOf(live.id) })),
  };
}

function laneRoom({ id, room, declared }: LiveRoom, { origin: fallback }: LanePlace): Omit<LaneRoom, "keys"> {
  const { origin: own, throttle } = declared;
  const origin = typeof own === "object" ? own[0]?.url : (own ?? fallback);
  const obstacle = laneObstacle({ ...room, origin: own ?? fallback });
  return {
    id,
    name: room.name,
    cookie: laneCookieName(id),
    origin,
    obstacle,
    isThrottled: throttle.k > 0 || throttle.latency > 0,
  };
}
