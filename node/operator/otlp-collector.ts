/**
 * The way to an OpenTelemetry collector: OTLP over HTTP in JSON, in the background, and never at a visitor's cost. What
 * it does not take is lost.
 */

import type { Log } from "../log.ts";
import { messageOf } from "../message-of.ts";
import type { ProxyOf } from "./outbound-proxy.ts";

/** What is sent, as the path of OTLP/HTTP has it. */
export type Signal = "traces" | "metrics";

export type Refusal = "unreachable" | "refused";

/** Where everything goes, and of whom it is. */
export interface Otlp {
  /** Base URL of the collector, or the whole URL for one of the signals. */
  readonly endpoint: string;
  /** The process, by OpenTelemetry's names. */
  readonly resource: Readonly<Record<string, string>>;
  readonly version: string;
  readonly proxyOf: ProxyOf;
  readonly log: Log;
  /** Calls `act` later; a process may end before. */
  readonly later: (ms: number, act: () => void) => void;
}

/** What the end of a process may wait for the collector. */
export const LAST_EXPORT_MAX_MS = 2_000;

export class OtlpCollector {
  readonly url: string;
  readonly #otlp: Otlp;
  readonly #signal: Signal;
  #isFailing = false;

  constructor(otlp: Otlp, signal: Signal) {
    this.#otlp = otlp;
    this.#signal = signal;
    const base = otlp.endpoint.replace(/\/+$/, "").replace(/\/v1\/(?:traces|metrics)$/, "");
    this.url = `${base}/v1/${signal}`;
  }

  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** The text of the collector's answer, or why it did not take what was sent: the log says so once. */
  async send(body: Uint8Array | undefined, waitMs: number): Promise<{ readonly text: string } | Refusal> {
    try {
      const response = await fetch(this.url, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        ...(body && { body: Buffer.from(body) }),
        redirect: "manual",
        proxy: this.#otlp.proxyOf(this.url),
        signal: AbortSignal.timeout(waitMs),
      });
      const text = await response.text();
      if (!response.ok) return this.#lost("refused", `status ${response.status}`);
      if (this.#isFailing) this.#otlp.log.info({ collector: this.url }, `the collector takes ${this.#signal} again`);
      this.#isFailing = false;
      return { text };
    } catch (error) {
      // What was sent is lost; no visitor notices.
      return this.#lost("unreachable", messageOf(error));
    }
  }

  #lost(refusal: Refusal, why: string): Refusal {
    if (!this.#isFailing)
      this.#otlp.log.warn(
        { collector: this.url, error: why },
        `the collector does not take ${this.#signal}: they are dropped until it does`,
      );
    this.#isFailing = true;
    return refusal;
  }
}
