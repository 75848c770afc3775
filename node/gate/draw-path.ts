/**
 * The address of a room that the gate answers itself, for everybody: `/.anteroom/draw`, below any path of the room.
 *
 * Only this one way of writing it counts. Any other goes the way of all requests, so nothing gets past the line by it.
 */

import type { Room, Route } from "../config/room.ts";
import type { RequestHead } from "../http/message.ts";

const DRAW = "/.anteroom/draw";

/** Whether a request of the room asks for it. */
export function isDrawPath(target: string, room: Room): boolean {
  if (!target.includes(DRAW)) return false;
  const [path = ""] = target.split("?");
  if (!path.endsWith(DRAW)) return false;
  const prefix = path.slice(0, -DRAW.length);
  return routesOf(room).some((route) => [prefixOf(route), inUri(prefixOf(route))].includes(prefix));
}

/** The address for a visitor of the room, as a reference that stays on the same host. */
export function drawAddress(room: Room, { host, target }: Pick<RequestHead, "host" | "target">): string {
  const isBelow = ({ route, prefix, inUri }: Prefix): boolean =>
    (route.host === host || route.host === "*") && (target.startsWith(prefix) || target.startsWith(inUri));
  return (prefixesOf(room).find(isBelow)?.inUri ?? inUri(prefixOf(room))) + DRAW;
}

/** Where the address of a route begins: as it is configured, and as browsers write it. */
interface Prefix {
  readonly route: Route;
  readonly prefix: string;
  readonly inUri: string;
}

/** By the room's object, which a change replaces: every page has such an address. */
const prefixes = new WeakMap<Room, readonly Prefix[]>();

/** The prefixes of all routes of a room, the longest first. */
function prefixesOf(room: Room): readonly Prefix[] {
  return prefixes.getOrInsertComputed(room, () =>
    routesOf(room)
      .toSorted((one, other) => other.path.length - one.path.length)
      .map((route) => {
        const prefix = prefixOf(route);
        return { route, prefix, inUri: inUri(prefix) };
      }),
  );
}

/** As browsers write it. */
function inUri(path: string): string {
  return path.isWellFormed() ? encodeURI(path) : path;
}

function routesOf({ host, path, additionalRoutes }: Room): readonly Route[] {
  return [{ host, path }, ...additionalRoutes];
}

function prefixOf({ path }: Route): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}
