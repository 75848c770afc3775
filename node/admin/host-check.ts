/**
 * Which Host the admin address answers to.
 *
 * A page of a stranger's site can make its name resolve to an operator's loopback address (DNS rebinding), and then read what
 * needs no token: names of rooms and how full they are. Its requests carry that name in Host. A request by IP address cannot be made so,
 * nor one by a name that only this host has.
 */

import { isIP } from "node:net";
import { hostname } from "node:os";
import type { Settings } from "../config/settings.ts";

/** Answers a request for a Host that is not known here with 421; undefined for one that may go on. */
export type HostCheck = (request: Request) => Response | undefined;

export function hostCheck({ admin, adminHosts }: Pick<Settings, "admin" | "adminHosts">): HostCheck {
  const names = new Set(["localhost", hostname(), admin.host, ...adminHosts].map((name) => name.toLowerCase()));
  return (request) => {
    const name = nameIn(request.headers.get("host") ?? "");
    if (names.has(name) || isIP(name) !== 0 || name.endsWith(".localhost")) return undefined;
    const message = `Cannot answer for the host ${JSON.stringify(name)} as the admin address is not known by this name`;
    const hint = "ask by IP address, or name it with --admin-host";
    return Response.json({ error: { code: "misdirected", message, hint } }, { status: 421 });
  };
}

/** The name or address of a Host field, without port and brackets. */
function nameIn(host: string): string {
  const name = host.replace(/:[0-9]*$/, "");
  return name
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "")
    .toLowerCase();
}
