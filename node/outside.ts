/**
 * Whether an address leads to this host, and a `fetch` that never goes there.
 *
 * What listens on loopback or at the host's own addresses, the admin API first of all, trusts whoever comes from there.
 * Somebody who names an origin or a receiver, but does not see all rooms, may not send the node to it. A name can lead
 * elsewhere each time it is resolved: so the address that was checked is the one that is asked, under the name.
 */

import { lookup } from "node:dns/promises";
import ipaddr from "ipaddr.js";
import { messageOf } from "./message-of.ts";
import { ownHosts } from "./own-hosts.ts";

export const LEADS_HERE = {
  problem: "leads to the node itself, which is for tokens that see all rooms",
  repair: "name an address outside of the node, or ask those who have such a token",
};

/** Ranges in which every address is one of the host that asks, or of what is plugged into it. */
const OWN_RANGES: readonly string[] = ["loopback", "unspecified", "linkLocal"];

/** Whether a host name or an address, maybe in brackets, is this host by itself; `own` are names and addresses of it. */
export function leadsHere(host: string, own: readonly string[] = ownHosts()): boolean {
  const name = host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
  if (name === "" || name === "localhost" || name.endsWith(".localhost") || own.includes(name)) return true;
  if (!ipaddr.isValid(name)) return false;
  const address = ipaddr.process(name);
  return OWN_RANGES.includes(address.range()) || own.includes(address.toString());
}

export type Fetch = (url: string, init: BunFetchRequestInit) => Promise<Response>;

/** The addresses of a name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** `fetch` to anywhere but this host. */
export function outside(fetch: Fetch, resolve: Resolve = addressesOf): Fetch {
  return async (url, init) => {
    const { protocol, host, hostname } = new URL(url);
    const name = hostname.replace(/^\[(.*)\]$/, "$1");
    const addresses = ipaddr.isValid(name) ? [name] : await resolve(name);
    const [address] = addresses;
    if (address === undefined || addresses.some((each) => leadsHere(each))) throw new Error(`it ${LEADS_HERE.problem}`);
    const pinned = new URL(url);
    pinned.hostname = address.includes(":") ? `[${address}]` : address;
    const headers = new Headers(init.headers);
    if (!headers.has("Host")) headers.set("Host", host);
    const isNamed = protocol === "https:" && name !== address;
    const tls = { ...(isNamed && { serverName: name }), ...init.tls };
    try {
      return await fetch(pinned.href, { ...init, headers, ...(protocol === "https:" && { tls }) });
    } catch (error) {
      // The runtime names what it was given; callers know the address as they gave it.
      const text = messageOf(error);
      throw text.includes(pinned.href) ? new Error(text.replaceAll(pinned.href, url), { cause: error }) : error;
    }
  };
}

async function addressesOf(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}
