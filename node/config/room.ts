/**
 * A room: a host and path prefixes with limits, and the origin behind them.
 *
 * The fields are those of Cloudflare's Waiting Room API where a field has that meaning; the ones after `origin` are
 * ours. Documents (YAML, JSON, API) write them in snake_case, code in camelCase.
 */

export type QueueingMethod = "fifo" | "passthrough" | "reject";
export type SlotPolicy = "counter" | "even" | "adaptive";

export interface Route {
  /** Lower-case host name without port, or `*` for every host. */
  readonly host: string;
  /** Path prefix, starting with `/`; it covers all paths below it. */
  readonly path: string;
}

export interface Room {
  readonly name: string;
  readonly description: string;
  readonly host: string;
  readonly path: string;
  readonly additionalRoutes: readonly Route[];
  /** Most sessions inside at once, 1 to 10,000,000. */
  readonly totalActiveUsers: number;
  /** Most admissions in one minute, 1 to 10,000,000. */
  readonly newUsersPerMinute: number;
  /** Minutes that a session lasts after its last request, 1 to 30. */
  readonly sessionDuration: number;
  readonly disableSessionRenewal: boolean;
  readonly queueingMethod: QueueingMethod;
  readonly queueAll: boolean;
  readonly suspended: boolean;
  /** Status of waiting answers: 200, 202 or 429. */
  readonly queueingStatusCode: 200 | 202 | 429;
  readonly jsonResponseEnabled: boolean;
  /** Mustache template of the waiting page; empty for the built-in page. */
  readonly customPageHtml: string;
  readonly defaultTemplateLanguage: string;
  readonly cookieAttributes: {
    readonly samesite: "auto" | "lax" | "none" | "strict";
    readonly secure: "auto" | "always" | "never";
  };
  readonly cookieSuffix: string;
  readonly enabledOriginCommands: readonly "revoke"[];

  /** Base URL of the origin behind this room; undefined for the node's own `--origin`. */
  readonly origin: string | undefined;
  readonly slotPolicy: SlotPolicy;
  /** Exponent of the adaptive policy's curve, above 0 to 10. */
  readonly curveFactor: number;
  /** Seconds between two polls of a visitor far from the front, 1 to 600. */
  readonly refreshIntervalSeconds: number;
  /** Most visitors in line, 1 to 10,000,000; the next one is told that the queue is full. */
  readonly queueMax: number;
  /** Addresses (CIDR) that pass without a session and without being counted. */
  readonly bypassCidrs: readonly string[];
  /** Most new places (in line or inside) for one client address in one minute; 0 for no such limit. */
  readonly newPlacesPerAddressPerMinute: number;
}
