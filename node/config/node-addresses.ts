/**
 * Reads the addresses of other nodes, or of this one as others see it: `host:port`, or a multiaddr of TCP.
 *
 * `mesh/seed-addresses.ts` defines an address; this file says what is wrong with a text that is not one. Addresses stay
 * as they were written: a name is resolved each time it is dialled.
 */

import { PEERS_FILE, parseAddress, peersFileOf, toMultiaddr } from "../../mesh/seed-addresses.ts";
import type { Complaint } from "./problem.ts";
import { listOf, type Reader, type Reading, textThat } from "./readers.ts";

/** Far above the nodes of any mesh: a list that is longer was not meant as one. */
const ADDRESSES_MAX = 200;

const REPAIR = "write HOST:PORT, such as 10.0.0.1:8082, [fd00::1]:8082 or name:8082, or /dns4/name/tcp/8082";

/** Addresses with commas between them; `portMin` is 0 where the system may choose the port. */
export function nodeAddressesFrom(portMin: 0 | 1): Reader<readonly string[]> {
  const read = listOf(textThat((address) => complaintOf(address, portMin)));
  return (text) =>
    text.split(",").length <= ADDRESSES_MAX
      ? read(text)
      : { complaint: { problem: `has more than ${ADDRESSES_MAX} addresses`, repair: "give fewer: one is enough" } };
}

/** `HOST=HOST:PORT`: a host, and the multiaddr to dial in place of those at it. */
export function readDivert(text: string): Reading<readonly [host: string, to: string]> {
  const [host = "", to = ""] = text.split("=");
  const address = parseAddress(to);
  if (host !== "" && address !== undefined) return { value: [host, toMultiaddr(address)] };
  return { complaint: { problem: "is not HOST=HOST:PORT", repair: "write such as 10.0.0.2=127.0.0.1:4001" } };
}

function complaintOf(text: string, portMin: number): Complaint {
  if (portMin === 1 && text.startsWith(PEERS_FILE)) {
    if (peersFileOf(text) !== undefined) return undefined;
    const repair = `write ${PEERS_FILE}/etc/anteroom/peers`;
    return { problem: "is not the absolute path of a file", repair };
  }
  const address = parseAddress(text);
  if (address !== undefined) {
    return address.port >= portMin
      ? undefined
      : { problem: "has port 0, to which no node can connect", repair: REPAIR };
  }
  if (text === "") return { problem: "is empty", repair: REPAIR };
  if (/^\w+:\/\//.test(text)) return { problem: "is a URL, not an address", repair: withoutScheme(text) };
  if (text.startsWith("/")) {
    return {
      problem: "is not a multiaddr to which a node can connect",
      repair: "write /ip4/10.0.0.1/tcp/8082, /ip6/fd00::1/tcp/8082 or /dns4/name/tcp/8082",
    };
  }
  if (/^\d+$/.test(text)) return { problem: "has no host", repair: `write HOST:${text}` };
  const port = /:(\d+)$/.exec(text)?.[1];
  if (port !== undefined && Number(port) > 65_535) return { problem: "has a port above 65535", repair: REPAIR };
  if (parseAddress(`${text}:1`) !== undefined) return { problem: "has no port", repair: `write ${text}:8082` };
  return { problem: "is not an address", repair: REPAIR };
}

function withoutScheme(text: string): string {
  const host = URL.parse(text)?.hostname;
  return host === undefined || host === "" ? REPAIR : `write ${host}:8082, with the port that --mesh has there`;
}
