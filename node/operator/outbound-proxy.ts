/**
 * By which proxy a node reaches receivers of webhooks, push services and the collector of traces: the one that the
 * environment names, as curl reads `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`.
 *
 * This host itself is never asked for through a proxy. Nothing else that a node sends goes through one.
 */

import { isIP } from "node:net";
import { isIn, parseCidr } from "../http/client.ts";
import { leadsHere } from "../outside.ts";

/** The proxy for `url`; false for none, as `fetch` has it. */
export type ProxyOf = (url: string) => string | false;

export function proxyRule(environment: Readonly<Record<string, string | undefined>>): ProxyOf {
  const said = (name: string): string => environment[name.toLowerCase()] || environment[name] || "";
  const proxies = { "http:": said("HTTP_PROXY"), "https:": said("HTTPS_PROXY") };
  const exceptions = said("NO_PROXY")
    .split(/[\s,]+/)
    .filter((entry) => entry !== "");
  return (text) => {
    const { protocol, hostname, port } = new URL(text);
    const host = hostname.replace(/^\[|\]$/g, "");
    if (
      leadsHere(host) ||
      exceptions.some((entry) => covers(entry, host, port || (protocol === "https:" ? "443" : "80")))
    )
      return false;
    const proxy = proxies[protocol === "https:" ? protocol : "http:"] || said("ALL_PROXY");
    return proxy === "" ? false : proxy.includes("://") ? proxy : `http://${proxy}`;
  };
}

/** Whether an entry of `NO_PROXY` covers a host: `*`, an address, a network, or a name with all below it. */
function covers(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  const [, name = "", onlyPort = port] =
    /^\[?(.*?)\]?(?::(\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? [];
  if (onlyPort !== port) return false;
  const [network = ""] = name.split("/");
  if (isIP(network) !== 0) return isIn(host, cidrOf(name));
  const domain = name.toLowerCase().replace(/^\*?\./, "");
  return host === domain || host.endsWith(`.${domain}`);
}

function cidrOf(text: string): ReturnType<typeof parseCidr>[] {
  try {
    return [parseCidr(text)];
  } catch {
    // A network that is none covers nothing.
    return [];
  }
}
