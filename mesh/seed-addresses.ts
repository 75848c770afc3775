/**
 * Addresses of nodes as people and nodes write them.
 *
 * A person writes `host:port`, `[v6]:port`, `:port` (any address of this host) or a multiaddr, to --join, --mesh and
 * --advertise. Nodes tell each other multiaddr text without a peer id; where a person adds one it is ignored, because
 * the mesh key proves which nodes belong to the mesh. A DNS name stays a name in both, and is resolved at each try to
 * all addresses that it has then.
 */

import { isIP } from "node:net";

export interface Address {
  /** An IP address or a DNS name; empty for any address of this host. */
  readonly host: string;
  readonly port: number;
}

/** What the path of a file of addresses begins with. */
export const PEERS_FILE = "file:";

/** The path of the file of addresses that `text` means; undefined if it means no file. */
export function peersFileOf(text: string): string | undefined {
  return text.startsWith(`${PEERS_FILE}/`) ? text.slice(PEERS_FILE.length) : undefined;
}

/**
 * The addresses in a file: one in each line; empty lines and what follows a # are ignored, as is what is no address.
 */
export function peersIn(file: string): readonly string[] {
  const lines = file.split("\n").map((line) => line.replace(/#.*/, "").trim());
  return lines.filter((line) => parseAddress(line) !== undefined);
}

/** All IP addresses of a DNS name; throws or is empty if there are none now. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** Addresses of one name that are tried: more than any mesh has nodes. */
const ADDRESSES_MAX = 128;
const NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?)*\.?$/i;
const MULTIADDR = /^\/(?:ip4|ip6|dns|dns4|dns6)\/([^/%]+)\/tcp\/(\d+)(?:\/p2p\/[1-9A-HJ-NP-Za-km-z]{20,80})?$/;
const HOST_AND_PORT = /^(?:\[([^\]%]*)\]|([^:[\]/]*)):(\d+)$/;

/**
 * The address that `text` means; undefined if it is not one. Port 0 is an address: when listening, the system chooses
 * the port.
 */
export function parseAddress(text: string): Address | undefined {
  const multiaddr = MULTIADDR.exec(text);
  const [, v6, plain] = HOST_AND_PORT.exec(text) ?? [];
  const host = multiaddr?.[1] ?? v6 ?? plain;
  const port = Number(multiaddr?.[2] ?? HOST_AND_PORT.exec(text)?.[3]);
  if (host === undefined || port > 65_535) return undefined;
  if (v6 !== undefined ? isIP(host) !== 6 : !(isIP(host) > 0 || NAME.test(host) || (host === "" && !multiaddr)))
    return undefined;
  // 10.0.0.300 would be accepted as a name, but no name's last part is a number.
  if (isIP(host) === 0 && /(^|\.)\d+\.?$/.test(host)) return undefined;
  return { host, port };
}

/** As nodes send it to each other. */
export function toMultiaddr({ host, port }: Address): string {
  const kind = { 0: "dns", 4: "ip4", 6: "ip6" }[isIP(host)];
  return `/${kind}/${host}/tcp/${port}`;
}

/** As people read it; text that cannot be read as an address stays as it is. */
export function toText(multiaddr: string): string {
  const address = parseAddress(multiaddr);
  if (address === undefined) return multiaddr;
  return isIP(address.host) === 6 ? `[${address.host}]:${address.port}` : `${address.host}:${address.port}`;
}

/** Multiaddrs without names for what is written in `text`; empty if it means no address, or its name has none now. */
export async function resolveAddress(text: string, resolve: Resolve): Promise<readonly string[]> {
  const address = parseAddress(text);
  if (address === undefined) return [];
  const { port } = address;
  if (address.host === "") return [toMultiaddr({ host: "127.0.0.1", port })];
  if (isIP(address.host) > 0) return [toMultiaddr(address)];
  try {
    const hosts = await resolve(address.host);
    return hosts.slice(0, ADDRESSES_MAX).map((host) => toMultiaddr({ host, port }));
  } catch {
    // The name server does not know it, or does not answer: this attempt is lost, the next one asks again.
    return [];
  }
}
