/**
 * The addresses at which others can dial this node: those the operator advertises, otherwise where it listens.
 */

import { networkInterfaces } from "node:os";
import { type Address, parseAddress, toMultiaddr } from "./seed-addresses.ts";

/** All of a host's addresses of one family, as a listen address. */
const ANY = { "0.0.0.0": "IPv4", "::": "IPv6" } as const;

/**
 * Multiaddrs for `advertise` as given by the operator, or for `listen` if nothing is. A missing host or port 0 means
 * the one listened on. Addresses that only this host can reach are left out, unless it has no others.
 */
export function ownAddresses(advertise: readonly string[], listen: Address): string[] {
  const told = advertise.flatMap((text) => parseAddress(text) ?? []);
  const all = (told.length > 0 ? told : [listen]).flatMap((address) => {
    const host = address.host === "" ? listen.host : address.host;
    const port = address.port === 0 ? listen.port : address.port;
    const hosts = host === "0.0.0.0" || host === "::" ? hostAddresses(ANY[host]) : [host];
    return hosts.map((each) => toMultiaddr({ host: each, port }));
  });
  return [...new Set(all)];
}

function hostAddresses(family: "IPv4" | "IPv6"): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  // A link-local address (fe80) is valid on one interface only, and needs the interface's name.
  const usable = all.filter((each) => each.family === family && !each.address.startsWith("fe80:"));
  const outside = usable.filter(({ internal }) => !internal);
  return (outside.length > 0 ? outside : usable).map(({ address }) => address);
}
