/**
 * What somebody who does not see all rooms may not do by a change of rooms: claim a host of a room out of sight, or send
 * requests to the node itself.
 *
 * A path below another room's, one above it, a cookie domain around its host, and a site whose connector is to send its
 * visitors all reach that site's visitors. So nothing new of such an author may share a host with a room that the author
 * does not see, and `*`, which shares every host, is for those who see all rooms. What a room has already, it keeps.
 *
 * Nor may an origin that such an author names be a socket or an address of a node. Each is remembered with its room, as
 * a name may lead there later: then the gate refuses the connection (`outside.ts`).
 */

import type { RoomId } from "../../mesh/core/ids.ts";
import type { Register } from "../../mesh/core/replica/registers.ts";
import { ROOMS_MAX } from "../../mesh/core/wire/shapes.ts";
import { routesOf } from "../config/check-rooms.ts";
import type { Problem } from "../config/problem.ts";
import type { Room, Route } from "../config/room.ts";
import { ALL_ROOMS_BYTES_MAX } from "../config/room-size.ts";
import { UNIX_PREFIX } from "../http/origin-target.ts";
import { sharesOf } from "../origin/room-origin.ts";
import { LEADS_HERE, leadsHere } from "../outside.ts";
import { amountAfter, type Placed, type RoomChange } from "./room-changes.ts";
import { isBeyondShare, SHARE } from "./share.ts";

/** Who changes rooms, where it is somebody who does not see all of them. */
export interface Author {
  readonly sees: (room: string) => boolean;
}

/** A room of which the routes are known, and maybe no more. */
export interface ClaimedRoom {
  readonly name: string;
  readonly routes: readonly Route[];
  readonly cookieDomain: string;
  /** Sites whose connectors send their visitors there, as URLs. */
  readonly sites: readonly string[];
}

interface Claim {
  /** A host, `*`, or a domain with all hosts in it, written with a dot in front. */
  readonly ground: string;
  /** With the path, to tell it from what the room had before. */
  readonly written: string;
  readonly field: string;
}

export const UNSEEN = {
  problem: "clashes with a room that this token does not see",
  repair: "choose another, or ask those who have a token for all rooms",
};

const UNSEEN_SITE = {
  problem: "is not the name of a room that this token sees",
  repair: "write the name of such a room, or leave it out",
};

const EVERY_HOST = {
  problem: "is for tokens that see all rooms",
  repair: "name the hosts of the room, or ask those who have such a token",
};

/** What is more than the share of an author who sees the rooms in `own`, and `all` there are. */
export function shareProblems(
  changes: readonly Placed[],
  { own, all }: Readonly<Record<"own" | "all", ReadonlyMap<RoomId, Register>>>,
): Problem[] {
  const [before, after, together] = [amountAfter([], own), amountAfter(changes, own), amountAfter(changes, all)];
  const maxima = { rooms: ROOMS_MAX, bytes: ALL_ROOMS_BYTES_MAX };
  return (["rooms", "bytes"] as const).flatMap((what) => {
    const isMore = after[what] > before[what];
    if (!isMore || !isBeyondShare(maxima[what], { own: after[what], all: together[what] })) return [];
    const problem = `would be ${after[what]} ${what}, of ${maxima[what]} in a mesh: ${SHARE}`;
    return [{ path: "rooms", problem, repair: "delete or shorten rooms, or ask those who have a token for all rooms" }];
  });
}

export function claimedRoom(room: Room): ClaimedRoom {
  const { name, cookieDomain, queueIt } = room;
  return { name, routes: routesOf(room), cookieDomain, sites: queueIt?.protects ?? [] };
}

/** What `changes` claim of the hosts that rooms among `others` have which their author does not see. */
export function claimProblems(
  { sees }: Author,
  changes: readonly RoomChange[],
  others: readonly ClaimedRoom[],
): Problem[] {
  const unseen = others.filter(({ name }) => !sees(name)).flatMap(claimsOf);
  const unseenSites = changes.flatMap(({ live, room: { name, site } }): Problem[] => {
    const isNew = site !== "" && site !== live?.declared.site;
    return isNew && !sees(site) ? [{ path: `room ${name}.site`, value: site, ...UNSEEN_SITE }] : [];
  });
  const claims = changes.flatMap(({ live, room }) => {
    const had = new Set(live === undefined ? [] : claimsOf(claimedRoom(live.declared)).map(({ written }) => written));
    return claimsOf(claimedRoom(room)).flatMap(({ ground, written, field }): Problem[] => {
      const place = { path: `room ${room.name}${field}`, value: written };
      if (had.has(written)) return [];
      if (ground === "*") return [{ ...place, ...EVERY_HOST }];
      return unseen.some((other) => isShared(ground, other.ground)) ? [{ ...place, ...UNSEEN }] : [];
    });
  });
  return [...unseenSites, ...claims];
}

/** The origins of a changed room, by URL, that may not lead to a node: named by `author` now, or so before. */
export function outsideOrigins(author: Author | undefined, { live, room }: RoomChange): readonly string[] {
  const before = live === undefined ? [] : originsOf(live.declared);
  const isOutside = (url: string): boolean =>
    before.includes(url) ? live?.outside.includes(url) === true : author !== undefined;
  return originsOf(room).filter(isOutside);
}

/** Origins that lead to the node itself. */
export function reachProblems(author: Author, change: RoomChange): Problem[] {
  const { name } = change.room;
  return outsideOrigins(author, change).flatMap((url) =>
    reachesNode(url) ? [{ path: `room ${name}.origin`, value: url, ...LEADS_HERE }] : [],
  );
}

/** Whether an origin is a socket or an address of the node, as far as its URL says. */
export function reachesNode(url: string): boolean {
  return url.startsWith(UNIX_PREFIX) || leadsHere(URL.parse(url)?.hostname ?? "");
}

function originsOf({ origin, rollout }: Room): readonly string[] {
  const shares = [...sharesOf(origin ?? []), ...(rollout?.from ?? [])];
  return [...new Set(shares.map(({ url }) => url))];
}

function claimsOf({ routes, cookieDomain, sites }: ClaimedRoom): Claim[] {
  const hosts = routes.map(({ host, path }, index) => {
    return { ground: host, written: host + path, field: index === 0 ? "" : `.additional_routes[${index - 1}]` };
  });
  const domain = { ground: `.${cookieDomain}`, written: cookieDomain, field: ".cookie_domain" };
  const led = sites.map((site, index) => {
    return { ground: URL.parse(site)?.hostname ?? site, written: site, field: `.queue_it.protects[${index}]` };
  });
  return [...hosts, ...(cookieDomain === "" ? [] : [domain]), ...led];
}

function isShared(one: string, other: string): boolean {
  return one === "*" || other === "*" || isWithin(one, other) || isWithin(other, one);
}

function isWithin(ground: string, other: string): boolean {
  return ground === other || (other.startsWith(".") && `.${ground}`.endsWith(other));
}
