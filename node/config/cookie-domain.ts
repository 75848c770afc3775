/**
 * Whether a room's cookie may be one for several hosts: `cookie_domain`, the `Domain` attribute of RFC 6265.
 *
 * A visitor of two hosts of one room counts once only if both hosts share one cookie. Browsers drop a cookie whose
 * domain is not a parent of the host, or is one where anyone can register names: its visitors would never keep a place.
 */

import ipaddr from "ipaddr.js";
import type { Complaint } from "./problem.ts";
import { registeredDomain } from "./site-of-host.ts";
import { HOST } from "./text-checks.ts";

const REPAIR = "write a domain that all hosts of the room are in, such as example.com; or leave it out for one host";

/** What is wrong with the text itself; empty text is valid. */
export function cookieDomainComplaint(domain: string): Complaint {
  if (domain === "") return undefined;
  if (domain.startsWith(".")) return { problem: "begins with a dot", repair: `write ${domain.replace(/^\.+/, "")}` };
  if (!HOST.test(domain)) return { problem: "is not a domain", repair: REPAIR };
  if (ipaddr.isValid(domain)) return { problem: "is an address, which has no domain", repair: "leave it out" };
  if (registeredDomain(domain.toLowerCase()) === undefined) {
    return { problem: "is a domain in which anyone can register names: browsers refuse such a cookie", repair: REPAIR };
  }
  return undefined;
}

/** What is wrong with a valid domain (lower case) for a room of these hosts. */
export function hostsComplaint(domain: string, hosts: readonly string[]): Complaint {
  if (domain === "") return undefined;
  if (hosts.includes("*")) {
    return { problem: 'cannot hold for host "*"', repair: "name the hosts of the room, or leave cookie_domain out" };
  }
  const outside = [...new Set(hosts.filter((host) => host !== domain && !host.endsWith(`.${domain}`)))];
  if (outside.length === 0) return undefined;
  return { problem: `is no parent domain of ${outside.slice(0, 5).join(", ")}`, repair: REPAIR };
}
