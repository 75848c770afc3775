/**
 * Where the fast lane leads: which plain paths of a host belong to which room, and the pin of it all.
 *
 * A proxy takes only paths that every origin reads alike, and finds their room by the routes in the gate's own order
 * (`match.ts`): the first route that covers the path in lower case must be written in it as it is. Everything else goes
 * to the gate. The pin is a hash of where all rooms lie and of their origins: tokens of other rooms have other keys.
 */

import { createHash } from "node:crypto";
import { z } from "zod";
import type { RoomId } from "../../mesh/core/ids.ts";
import { routesOf } from "../config/check-rooms.ts";
import type { Shape } from "../config/document-fields.ts";
import type { Room } from "../config/room.ts";
import { parseOrigin } from "../http/origin-target.ts";
import { ROOM_ID } from "./api-room.ts";
import type { LiveRoom } from "./live-room.ts";
import type { HostTable, RouteTable } from "./match.ts";

const LANE_ROUTE = z.object({
  read: z.string().describe("what a path of the room begins with in lower case, and a slash; empty for all"),
  written: z.string().optional().describe("the same as it must be written; left out if the lane takes none"),
  room: ROOM_ID,
});

export const LANE_HOST = z.object({
  host: z.string().describe("a host name, or * for all others"),
  isUniform: z.boolean().describe("whether every path is in the one room, however it is written"),
  routes: z.array(LANE_ROUTE).describe("the first that covers a path determines its room"),
});
export type LaneHost = Shape<typeof LANE_HOST>;

/**
 * Paths that the lane takes have only these characters, and no empty segment, dot segment, or segment that ends with a
 * dot.
 */
export const LANE_PATH_CHARACTERS = "A-Za-z0-9._~/@:+=,-";
const PLAIN = new RegExp(`^[${LANE_PATH_CHARACTERS}]*$`);

/** 96 bits. */
const PIN_CHARACTERS = 16;

export function laneHosts(table: RouteTable<RoomId>): readonly LaneHost[] {
  return table.hosts().map(laneHost);
}

function laneHost({ host, isUniform, routes }: HostTable<RoomId>): LaneHost {
  // No plain path is read as below a route of other characters.
  const reachable = routes.filter(({ read }) => PLAIN.test(read));
  return {
    host,
    isUniform,
    routes: reachable.map(({ read, written, value }) => ({
      read,
      written: PLAIN.test(written) ? written : undefined,
      room: value,
    })),
  };
}

/** Changes with the hosts, paths and origins of rooms, and with nothing else. */
export function lanePin(rooms: readonly Pick<LiveRoom, "id" | "declared">[]): string {
  const places = rooms.map(({ id, declared }) =>
    JSON.stringify([id, routesOf(declared), declared.origin ?? null, declared.originHost]),
  );
  return createHash("sha256").update(places.sort().join("\n")).digest("base64url").slice(0, PIN_CHARACTERS);
}

/** Why no visitor of a room may pass the gate by; undefined if they may. */
export function laneObstacle({
  enabledOriginCommands,
  visitorHeader,
  origin,
  originHost,
  rollout,
  rules,
  queueIt,
}: Room): string | undefined {
  if (queueIt !== undefined) return "only the gate sends its visitors back to their site";
  if (enabledOriginCommands.length > 0) return "its origin may give commands, and only the gate obeys them";
  if (rules.some(({ action, enabled }) => enabled && action === "block"))
    return "it has a rule that blocks, and only the gate reads rules";
  if (visitorHeader) return "its origin gets the header Anteroom-Visitor, which only the gate makes";
  if (rollout !== undefined || (typeof origin === "object" && origin.length > 1))
    return "it has several origins, and only the gate keeps a session at one of them";
  if (originHost !== "") return "its origin has a name of its own, by which only the gate asks";
  const [address] = typeof origin === "object" ? origin.map(({ url }) => url) : [origin];
  const target = address === undefined ? undefined : parseOrigin(address);
  return target !== undefined && target.basePath !== ""
    ? "its origin has a path, which only the gate puts before a request's own"
    : undefined;
}
