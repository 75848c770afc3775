/**
 * Whether there is a proxy in front of the gate that `--trusted-proxies` does not name.
 *
 * Behind one, all visitors have one address, and a site behind a TLS proxy sees http as its visitors' protocol: many
 * then redirect them to https for ever. Only peers on private addresses and on this host are suspected, because anyone
 * on the internet can send such fields. A suspected proxy is not trusted: the operator decides that.
 */

import { type Cidr, isPrivate } from "../http/client.ts";
import type { Log } from "../log.ts";

export interface ProxyWatchOptions {
  readonly trusted: readonly Cidr[];
  readonly log: Log;
}

/** More proxies than one gate has in front of it; each is reported once. */
const PROXIES_MAX = 8;

export class ProxyWatch {
  readonly #options: ProxyWatchOptions;
  readonly #proxies = new Set<string>();

  constructor(options: ProxyWatchOptions) {
    this.#options = options;
  }

  /** Checks the sender of a request, who is not trusted and sends this field. */
  look(remoteAddress: string, field: string): void {
    if (this.#proxies.has(remoteAddress) || this.#proxies.size >= PROXIES_MAX || !isPrivate(remoteAddress)) return;
    this.#proxies.add(remoteAddress);
    this.#options.log.warn({ proxy: remoteAddress, field }, this.#words([remoteAddress]));
  }

  /** The warning for the status; none while there is nothing to report. */
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
