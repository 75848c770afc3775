/** What an operator should look at before a flood comes, although nothing is wrong with any one setting. */

import { parseOrigin } from "../http/origin-target.ts";
import { routesOf } from "./check-rooms.ts";
import { originKey } from "./origin-fields.ts";
import { PER_MINUTE } from "./ramp.ts";
import type { Room } from "./room.ts";
import type { Settings } from "./settings.ts";
import { registeredDomain } from "./site-of-host.ts";

type Looked = Pick<Settings, "origin" | "listen">;

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|0\.0\.0\.0|::)$/i;

/** All of them; `ownHosts` are the names and addresses of this machine. */
export function startWarnings(settings: Looked, rooms: readonly Room[], ownHosts: readonly string[]): string[] {
  const ofEach = rooms.flatMap((room) => [...splitVisitors(room), ...coldStarts(room)]);
  const ofAll = [
    ...ownOrigins(settings, rooms, ownHosts),
    ...unmatchedPass(settings, rooms),
    ...togetherTooMany(rooms),
  ];
  return [...ofAll, ...ofEach];
}

/** A node that serves nothing: it has no rooms, and no origin for other requests. */
export function servesNothing({ origin }: Pick<Settings, "origin">, rooms: number): string[] {
  if (rooms > 0 || origin !== undefined) return [];
  return [
    "there is no room and no --origin: every request gets 404. Make a room (anteroom room create, or --rooms FILE) with an origin",
  ];
}

/** Origins that are the gate itself. */
function ownOrigins({ origin, listen }: Looked, rooms: readonly Room[], ownHosts: readonly string[]): string[] {
  const given: [place: string, url: string][] = [
    ...(origin === undefined ? [] : [["--origin", origin] satisfies [string, string]]),
    ...rooms.flatMap((room) => urlsOf(room).map((url): [string, string] => [`the origin of room ${room.name}`, url])),
  ];
  const isOwn = (host: string): boolean => {
    if (host.toLowerCase() === listen.host.toLowerCase()) return true;
    const isOfMachine = LOOPBACK.test(host) || ownHosts.includes(host.toLowerCase());
    return isOfMachine && (listen.host === "" || LOOPBACK.test(listen.host) || ownHosts.includes(listen.host));
  };
  return given.flatMap(([place, url]) => {
    const target = parseOrigin(url);
    if (target === undefined) return [];
    const isOwnSocket = target.unix !== undefined && target.unix === listen.unix;
    if (!isOwnSocket && (target.unix !== undefined || target.port !== listen.port || !isOwn(target.hostname)))
      return [];
    return [
      `${place} is ${url}, the gate's own address: requests would loop and get 508. Name the site's own address and port`,
    ];
  });
}

/** Requests that no room limits. */
function unmatchedPass({ origin }: Looked, rooms: readonly Room[]): string[] {
  if (origin === undefined) return [];
  const routes = rooms.flatMap(routesOf);
  if (routes.some(({ host, path }) => host === "*" && path === "/")) return [];
  const limited = routes.map(({ host, path }) => host + path).join(", ");
  const covered = limited === "" ? "there is no room yet" : `rooms cover ${limited} only`;
  return [
    `${covered}: requests that match no room pass to ${origin} without a limit. Cover them with a room (host "*", path /), or name origins in the rooms alone, without --origin`,
  ];
}

/** A room that counts a visitor of two of its hosts as two, although one cookie could serve both. */
function splitVisitors(room: Room): string[] {
  const hosts = new Set(routesOf(room).map(({ host }) => host));
  const [site, ...others] = new Set([...hosts].map(registeredDomain));
  if (room.cookieDomain !== "" || hosts.size < 2 || site === undefined || others.length > 0) return [];
  return [
    `room ${room.name} has several hosts of ${site}, and each has a cookie of its own: a visitor of two of them counts as two. Set cookie_domain: ${site}`,
  ];
}

/** From how many new users a second a target, and a group of them, must not be cold (CT-1). */
const COLD_MAX = { target: 500, group: 2_000 };

/** Limits that an origin may have to bear from one second to the next. */
function coldStarts({ name, origin, ramp, newUsersPerMinute, events = [] }: Room): string[] {
  const weights = origin === undefined || typeof origin === "string" ? [1] : origin.map(({ weight }) => weight);
  const heaviest = Math.max(...weights) / weights.reduce((sum, weight) => sum + weight, 0);
  const spans = [
    { what: `room ${name}`, perMinute: newUsersPerMinute, ramp },
    ...events.map((event) => {
      const perMinute = event.newUsersPerMinute ?? newUsersPerMinute;
      return { what: `event ${event.name} of room ${name}`, perMinute, ramp: event.ramp ?? ramp };
    }),
  ];
  return spans.flatMap(({ what, perMinute, ramp: slows }) => {
    const perSecond = perMinute / PER_MINUTE.s;
    const isMuch = perSecond > COLD_MAX.group || perSecond * heaviest > COLD_MAX.target;
    if (slows !== undefined || !isMuch) return [];
    return [
      `${what} may send ${Math.floor(perSecond)} new users a second to an origin that is cold: set ramp: 500/s/50/5, or lower new_users_per_minute`,
    ];
  });
}

/** How many times the slots of its largest room an origin may get from all its rooms, where nobody has said so. */
const TOGETHER_MOST = 2;

/** Rooms that name one origin, and that no site bounds together. */
function togetherTooMany(rooms: readonly Room[]): string[] {
  const sites = new Set(rooms.map(({ site }) => site));
  const loose = rooms.filter(({ name, site }) => site === "" && !sites.has(name));
  const byOrigin = Map.groupBy(
    loose.flatMap((room) => urlsOf(room).map((url) => ({ url, room }))),
    ({ url }) => originKey(url),
  );
  return [...byOrigin.values()].flatMap((named) => {
    const slots = named.map(({ room }) => room.totalActiveUsers);
    const all = slots.reduce((sum, each) => sum + each, 0);
    if (named.length < 2 || all < TOGETHER_MOST * Math.max(...slots)) return [];
    const names = named.map(({ room }) => room.name).join(", ");
    return [
      `rooms ${names} may have ${all} visitors at ${named[0]?.url} together: if that is too much for it, let them name a site`,
    ];
  });
}

/** A draw, or a random line, of which anybody may take as many lots as a program can ask for. Status says it too. */
export function stuffedDraw(room: Room, nowMs: number): string[] {
  const { newPlacesPerAddressPerMinute: ofAddress, newPlacesPerPrefixPerMinute: ofPrefix, events = [] } = room;
  // With the action `log` a visitor without a proof takes part all the same.
  const owesProof = room.proofOfWorkMode !== "off" && room.proofOfWorkAction === "infinite_queue";
  if (ofAddress > 0 || ofPrefix > 0 || owesProof || room.inviteOnly) return [];
  const drawing = events.find(
    ({ shuffles, queueingMethod, suspended, endMs }) =>
      (shuffles || queueingMethod === "random") && !suspended && nowMs < endMs,
  );
  if (drawing === undefined && room.queueingMethod !== "random") return [];
  const what =
    drawing === undefined ? "draws places (queueing_method: random)" : `draws places (event ${drawing.name})`;
  return [
    `room ${room.name} ${what}, and one address may take any number of them: set new_places_per_address_per_minute, proof_of_work_mode with proof_of_work_action: infinite_queue, or invite_only`,
  ];
}

function urlsOf({ origin }: Room): string[] {
  if (origin === undefined) return [];
  return typeof origin === "string" ? [origin] : origin.map(({ url }) => url);
}
