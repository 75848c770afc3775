/**
 * What must hold between rooms: unique names, and no route in two rooms.
 *
 * With two rooms on one route, chance would decide which limits apply. Routes are compared as the gate matches them:
 * hosts and paths without regard to case, a slash at the end ignored. A longer path within another room's is not a
 * clash, because the longest path wins.
 */

import { type Problem, problemAt, sameValues } from "./problem.ts";
import type { Room, Route } from "./room.ts";

/** What a room claims: everything on which two rooms can clash. Undefined stands for what could not be read. */
export interface RoomClaim {
  readonly name: string | undefined;
  /** Host and path first, then the additional routes. */
  readonly routes: readonly (Route | undefined)[];
}

/** How problems refer to the room at `index`. */
export type PlaceOfRoom = (index: number) => string;

/** All clashes within `rooms`; each is reported at the later room and names the earlier. */
export function checkRooms(rooms: readonly Room[], placeOf: PlaceOfRoom = (index) => `rooms[${index}]`): Problem[] {
  const claims = rooms.map((room) => ({ name: room.name, routes: routesOf(room) }));
  const eventIds = rooms.map(({ queueIt }) => queueIt?.eventId);
  const sameIds = sameValues(eventIds, { placeOf, field: "queue_it.event_id", what: "event id" });
  return [...checkClaims(claims, placeOf), ...sameIds];
}

/** The same for rooms that may be only partly readable. */
export function checkClaims(claims: readonly RoomClaim[], placeOf: PlaceOfRoom): Problem[] {
  const names = claims.map(({ name }) => name);
  return [...sameValues(names, { placeOf, field: "name", what: "name" }), ...sameRoutes(claims, placeOf)];
}

/** The rooms that have nowhere to send visitors: no `origin` of their own and none of the node. */
export function checkOrigins(
  rooms: readonly Room[],
  nodeOrigin: string | undefined,
  placeOf: PlaceOfRoom = (index) => `rooms[${index}]`,
): Problem[] {
  if (nodeOrigin !== undefined) return [];
  return rooms.flatMap((room, index) =>
    room.origin === undefined && room.queueIt === undefined
      ? [
          {
            path: `${placeOf(index)}.origin`,
            problem: `is missing, and no --origin is given: room ${room.name} has nowhere to send visitors`,
            repair: "add origin: http://… to the room, or start with --origin URL",
          },
        ]
      : [],
  );
}

/** All routes of a room, the first one first. */
export function routesOf(room: Room): Route[] {
  return [{ host: room.host, path: room.path }, ...room.additionalRoutes];
}

function sameRoutes(claims: readonly RoomClaim[], placeOf: PlaceOfRoom): Problem[] {
  const taken = new Map<string, { claim: RoomClaim; place: string }>();
  return claims.flatMap((claim, index) => {
    const own = new Set<string>();
    return claim.routes.flatMap((route, routeIndex) => {
      if (route === undefined) return [];
      const written = keyOf(route);
      const isNew = !own.has(written);
      own.add(written);
      const key = written.toLowerCase();
      const place = routeIndex === 0 ? placeOf(index) : `${placeOf(index)}.additional_routes[${routeIndex - 1}]`;
      const earlier = taken.get(key);
      if (earlier === undefined) {
        taken.set(key, { claim, place });
        return [];
      }
      // Capitals may make a difference within a room: its additional routes may have other spellings.
      if (earlier.claim === claim && isNew) return [];
      const problem =
        earlier.claim === claim
          ? `is twice among the routes of ${roomText(claim)} (${earlier.place})`
          : `is a route of two rooms, ${roomText(earlier.claim)} (${earlier.place}) and ${roomText(claim)}`;
      const repair = "give each host and path to one room";
      return [problemAt(place, route.host + route.path, { problem, repair })];
    });
  });
}

function keyOf({ host, path }: Route): string {
  return `${host}${path.endsWith("/") ? path : `${path}/`}`;
}

function roomText({ name }: RoomClaim): string {
  return name ?? "one without a name";
}
