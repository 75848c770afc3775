/**
 * Whether requests for hosts that no room names pass to the origin without a limit: then the rooms may limit nobody.
 *
 * It happens where a proxy in front replaces `Host`. A few such requests are no reason to worry: scanners ask every
 * address. Paths beside the rooms of a host do not count, because an operator chose them.
 */

import type { Log } from "../log.ts";
import { WarningSpan } from "./warning-span.ts";

export interface UnmatchedWatchOptions {
  readonly log: Log;
  /** Whether such requests pass. */
  readonly pass: boolean;
}

/** In a span. Scanners ask a few times in an hour; a shop behind a wrong proxy reaches this in its first minutes. */
const REQUESTS_MIN = 100;

/** Hosts that a warning names. */
const HOSTS_MAX = 4;

export class UnmatchedWatch {
  readonly #options: UnmatchedWatchOptions;
  readonly #hosts = new Set<string>();
  readonly #span = new WarningSpan();
  #requests = 0;
  /** Of the span before, and said in this one. */
  #warning: string | undefined;

  constructor(options: UnmatchedWatchOptions) {
    this.#options = options;
  }

  /** Notes a request for a host without a room. */
  note(host: string, nowMs: number): void {
    if (!this.#options.pass) return;
    this.#turn(nowMs);
    this.#requests += 1;
    if (this.#hosts.size < HOSTS_MAX) this.#hosts.add(host);
    if (this.#requests === REQUESTS_MIN) this.#options.log.warn({ hosts: [...this.#hosts] }, this.#words());
  }

  /** The warning for the status; none while there is nothing to report. */
  warnings(nowMs: number): string[] {
    this.#turn(nowMs);
    if (this.#requests >= REQUESTS_MIN) return [this.#words()];
    return this.#warning === undefined ? [] : [this.#warning];
  }

  #turn(nowMs: number): void {
    const turned = this.#span.turn(nowMs);
    if (turned === undefined) return;
    this.#warning = turned === "next" && this.#requests >= REQUESTS_MIN ? this.#words() : undefined;
    this.#requests = 0;
    this.#hosts.clear();
  }

  #words(): string {
    const hosts = [...this.#hosts].map((host) => (host === "" ? "no host" : host)).join(", ");
    return (
      `${this.#requests} requests within ten minutes were for hosts that no room names (${hosts}), and passed without a limit: ` +
      "if a proxy in front replaces Host, let it keep it, or send X-Forwarded-Host and be named in --trusted-proxies; " +
      'otherwise give a room host "*", or name origins in the rooms alone, without --origin'
    );
  }
}
