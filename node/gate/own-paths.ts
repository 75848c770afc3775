/**
 * The addresses of a room that the gate answers itself, for everybody: `/.anteroom/receipt`, `/.anteroom/log` and
 * `/.anteroom/draw`, below any path of the room.
 *
 * Only this one way of writing them counts. Any other goes the way of all requests, so nothing gets past the line by it.
 */

import type { Room, Route } from "../config/room.ts";
import type { RequestHead } from "../http/message.ts";

export type OwnPath = "receipt" | "log" | "draw";

const FOLDER = "/.anteroom/";
const PATHS: readonly OwnPath[] = ["receipt", "log", "draw"];

/** Which of them a request of the room asks for; undefined for all other addresses. */
export function ownPathOf(target: string, room: Room): OwnPath | undefined {
  const at = target.indexOf(FOLDER);
  if (at < 0) return undefined;
  const [path = ""] = target.split("?");
  const found = PATHS.find((name) => path.slice(at) === FOLDER + name);
  const prefix = path.slice(0, at);
  return routesOf(room).some((route) => [prefixOf(route), inUri(prefixOf(route))].includes(prefix)) ? found : undefined;
}

/** The address of one of them for a visitor of the room, as a reference that stays on the same host. */
export function ownAddress(name: OwnPath, room: Room, { host, target }: Pick<RequestHead, "host" | "target">): string {
  const routes = routesOf(room).filter((route) => route.host === host || route.host === "*");
  const below = routes.filter(
    (route) => target.startsWith(prefixOf(route)) || target.startsWith(inUri(prefixOf(route))),
  );
  const [route = room] = below.sort((one, other) => other.path.length - one.path.length);
  return inUri(prefixOf(route)) + FOLDER + name;
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
