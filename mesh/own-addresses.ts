/**
 * Under which addresses others can dial this node: what the operator advertises, else where it listens.
 */

import { networkInterfaces } from "node:os";
import { type Address, parseAddress, toMultiaddr } from "./seed-addresses.ts";

/** All of a host's addresses of one family, as what is listened on. */
const ANY = { "0.0.0.0": "IPv4", "::": "IPv6" } as const;

/**
 * Multiaddrs for `advertise` as given by the operator, or for `listen` if nothing is. A host left out means what is listened on, and so
 * does port 0. Addresses that only this host can reach are left out, unless it has no others.
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
  // An address that begins with fe80 counts on one wire only, and needs the wire's name.
  const usable = all.filter((each) => each.family === family && !each.address.startsWith("fe80:"));
  const outside = usable.filter(({ internal }) => !internal);
  return (outside.length > 0 ? outside : usable).map(({ address }) => address);
}
