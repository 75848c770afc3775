/**
 * The Hosts under which the admin address answers.
 *
 * A page of a stranger's site can make its name resolve to an operator's loopback address (DNS rebinding), and then
 * read what needs no token: names of rooms and how full they are. Its requests carry that name in Host. A request by IP
 * address cannot be forged this way, nor one by a name that only this host has. Nor can one without Host: browsers
 * always send it, but HTTP/1.0 health checks may not (HTTP/1.1 requires it: RFC 9112, section 3.2, and Bun refuses
 * others).
 */

import { isIP } from "node:net";
import { hostname } from "node:os";
import type { Settings } from "../../config/settings.ts";
import { failure } from "../calls/api-answers.ts";

/** By which the process of a host with workers tells a worker where a request came from. */
export const ADMIN_FROM_FIELD = "Anteroom-Admin-From";

/** By which it tells a worker the Host of the request. */
export const ADMIN_HOST_FIELD = "Anteroom-Admin-Host";

type Fetch = (request: Request) => Response | Promise<Response>;

/** `fetch` for requests to a known Host; others get 421. */
export function withKnownHost({ admin, adminHosts }: Pick<Settings, "admin" | "adminHosts">, fetch: Fetch): Fetch {
  const names = new Set(["localhost", hostname(), admin.host, ...adminHosts].map((name) => name.toLowerCase()));
  return (request) => {
    const host = request.headers.get("host");
    // Its URL is only a path, which is not a URL.
    if (host === null) return fetch(new Request(`http://localhost/${request.url.replace(/^\//, "")}`, request));
    const name = nameIn(host);
    if (names.has(name) || isIP(name) !== 0 || name.endsWith(".localhost")) return fetch(request);
    const message = `Cannot answer for the host ${JSON.stringify(name)} as the admin address is not known by this name`;
    return failure("misdirected", message, { hint: "ask by IP address, or name it with --admin-host" });
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
