/**
 * What a room would clash with, looked up before it is stored: so one answer has its clashes and its wrong values.
 */

import { checkClaims, routesOf } from "../../config/check-rooms.ts";
import type { Problem } from "../../config/problem.ts";
import { claimOf, roomDocument } from "../../config/room-document.ts";
import type { LiveRoom } from "../../rooms/live-room.ts";
import type { Rooms } from "../../rooms/rooms.ts";

/** The clashes of `document`, as far as it can be read, with all rooms but `live`, which it changes. */
export function clashesOf(document: object, live: LiveRoom | undefined, rooms: Rooms): Problem[] {
  const others = rooms.all().filter((each) => each !== live);
  const claims = others.map(({ declared }) => ({ name: declared.name, routes: routesOf(declared) }));
  const changed = { ...(live && roomDocument(live.declared)), ...document };
  const place = "room new";
  const placeOf = (index: number): string => (index === others.length ? place : `room ${claims[index]?.name}`);
  return checkClaims([...claims, claimOf(changed)], placeOf)
    .filter(({ path }) => path === place || path.startsWith(`${place}.`))
    .map((problem) => (problem.path === `${place}.name` ? { ...problem, ...TAKEN } : problem));
}

/** What is wrong with a name that another room of the zone has. */
export const TAKEN = { problem: "is taken by another room of this zone", repair: "choose another name" };
