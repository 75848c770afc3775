/**
 * Whether a proxy stands in front of the gate that `--trusted-proxies` does not name.
 *
 * Behind one all visitors have one address, and a site behind a TLS proxy is told that its visitors came by http: many then send
 * them to https for ever. Only peers on private addresses and on this host are suspected, as anybody on the internet can send
 * such fields. What a suspected proxy says is not believed: that stays the operator's choice.
 */

import ipaddr from "ipaddr.js";
import { type Cidr, isIn } from "../http/client.ts";
import type { Exchange } from "../http/message.ts";
import type { Log } from "../log.ts";

export interface ProxyWatchOptions {
  readonly trusted: readonly Cidr[];
  readonly log: Log;
}

/** More proxies than stand in front of one gate; each is told of once. */
const PROXIES_MAX = 8;

/** What `ipaddr` calls the addresses of an own network. */
const OWN_NETWORKS = new Set(["private", "loopback", "linkLocal", "uniqueLocal", "carrierGradeNat"]);

const FORWARDED = /^(?:forwarded|x-forwarded-(?:for|proto|host))$/i;

export class ProxyWatch {
  readonly #options: ProxyWatchOptions;
  readonly #proxies = new Set<string>();

  constructor(options: ProxyWatchOptions) {
    this.#options = options;
  }

  /** Looks at who sent a request. */
  look({ remoteAddress, request: { headers } }: Exchange): void {
    if (this.#proxies.has(remoteAddress) || this.#proxies.size >= PROXIES_MAX) return;
    const says = headers.find((name, at) => at % 2 === 0 && FORWARDED.test(name));
    if (says === undefined || !isOwnNetwork(remoteAddress) || isIn(remoteAddress, this.#options.trusted)) return;
    this.#proxies.add(remoteAddress);
    this.#options.log.warn({ proxy: remoteAddress, field: says }, this.#words([remoteAddress]));
  }

  /** The warning for the status; none while there is nothing to tell. */
  warnings(): string[] {
    return this.#proxies.size === 0 ? [] : [this.#words([...this.#proxies])];
  }

  #words(proxies: readonly string[]): string {
    const { trusted } = this.#options;
    const known = trusted.map(([network, bits]) => `${network.toString()}/${bits}`);
    const flag = `--trusted-proxies ${[...known, ...this.#proxies].join(",")}`;
    const one = proxies.length === 1;
    return (
      `${proxies.join(", ")} ${one ? "sends" : "send"} X-Forwarded-* fields but ${one ? "is not a trusted proxy" : "are not trusted proxies"}: ` +
      `all visitors behind ${one ? "it" : "them"} count as one address, and the origin sees http as their protocol; ` +
      `if ${one ? "it is your proxy" : "they are your proxies"}, start with ${flag}`
    );
  }
}

function isOwnNetwork(address: string): boolean {
  return ipaddr.isValid(address) && OWN_NETWORKS.has(ipaddr.process(address).range());
}
