/**
 * The addresses of a room that the gate answers itself, for everybody: `/.anteroom/receipt`, `/.anteroom/log` and
 * `/.anteroom/draw`, below any path of the room.
 *
 * Only this one way of writing them counts. Any other goes the way of all requests, so nothing gets past the line by
 * it.
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
  const isBelow = ({ route, prefix, inUri }: Prefix): boolean =>
    (route.host === host || route.host === "*") && (target.startsWith(prefix) || target.startsWith(inUri));
  return prefixesOf(room).find(isBelow)?.addresses[name] ?? addressesBelow(inUri(prefixOf(room)))[name];
}

/** Where the addresses of a route begin: as it is configured, and as browsers write it. */
interface Prefix {
  readonly route: Route;
  readonly prefix: string;
  readonly inUri: string;
  readonly addresses: Addresses;
}

type Addresses = Readonly<Record<OwnPath, string>>;

/** By the room's object, which a change replaces: every page has such an address. */
const prefixes = new WeakMap<Room, readonly Prefix[]>();

/** The prefixes of all routes of a room, the longest first. */
function prefixesOf(room: Room): readonly Prefix[] {
  return prefixes.getOrInsertComputed(room, () =>
    routesOf(room)
      .toSorted((one, other) => other.path.length - one.path.length)
      .map((route) => {
        const prefix = prefixOf(route);
        return { route, prefix, inUri: inUri(prefix), addresses: addressesBelow(inUri(prefix)) };
      }),
  );
}

function addressesBelow(prefix: string): Addresses {
  const folder = prefix + FOLDER;
  return { receipt: `${folder}receipt`, log: `${folder}log`, draw: `${folder}draw` };
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
