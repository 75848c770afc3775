/**
 * Where a visitor of a room for Queue-it's connectors goes back to: an address of a site that the room names.
 *
 * The address comes with the request, so anybody may write it. Only its path and query are used, below the scheme, host
 * and port in the room's document: a link to the queue never leads to another site.
 */

import type { QueueItRoom } from "../../config/room.ts";
import { sites } from "./integration-config.ts";

/** No page in a browser has a longer address. */
const TARGET_CHARS_MAX = 4_096;

const TOKEN_NAME = "queueittoken";

/** The address for `asked`; for none, the room's first site. Undefined if it is of no site of the room. */
export function targetOf(room: QueueItRoom, asked: string | null): URL | undefined {
  const all = sites(room);
  if (asked === null || asked === "") return all[0];
  if (asked.length > TARGET_CHARS_MAX || !/^https?:\/\//i.test(asked)) return undefined;
  const url = URL.parse(asked);
  if (url === null || url.username !== "" || url.password !== "") return undefined;
  // Behind a proxy that ends TLS, connectors may take the visitor's https for http.
  const site = all.find(({ hostname, port }) => hostname === url.hostname && port === url.port);
  if (site === undefined) return undefined;
  const target = new URL(site.origin);
  target.pathname = url.pathname;
  target.search = url.search;
  target.hash = url.hash;
  return target;
}

/** `target` with `token` in its query, in place of any other one. */
export function withToken(target: URL, token: string): string {
  const pairs = target.search
    .slice(1)
    .split("&")
    .filter((pair) => pair !== "" && pair.split("=")[0]?.toLowerCase() !== TOKEN_NAME);
  return `${target.origin}${target.pathname}?${[...pairs, `${TOKEN_NAME}=${token}`].join("&")}${target.hash}`;
}
