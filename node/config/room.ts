/**
 * A room: a host and path prefixes with limits, and the origin behind them.
 *
 * The fields are those of Cloudflare's Waiting Room API where a field has that meaning; the ones after `origin` are
 * ours. Documents (YAML, JSON, API) write them in snake_case, code in camelCase.
 */

import type { Ramp } from "./ramp.ts";

export type QueueingMethod = "fifo" | "passthrough" | "reject";
export type SlotPolicy = "counter" | "even" | "adaptive";

export interface Route {
  /** Lower-case host name without port, or `*` for every host. */
  readonly host: string;
  /** Path prefix, starting with `/`; it covers all paths below it. */
  readonly path: string;
}

/** One of several origins behind a room. */
export interface OriginShare {
  /** Base URL. */
  readonly url: string;
  /** Its part of the sessions, beside the others' weights; at 0 it gets no new ones. */
  readonly weight: number;
}

/** How each node asks the targets of a room whether they are well. */
export interface HealthCheck {
  /** Put after the base URL; any answer below 500 is a healthy one. */
  readonly path: string;
  readonly intervalSeconds: number;
  readonly timeoutSeconds: number;
}

/** A move of new sessions to another origin, in steps (CT-4). */
export interface Rollout {
  /** Base URL of the new origin. */
  readonly to: string;
  /** Unix ms at which it began; where it is resumed, when it would have begun. */
  readonly startedMs: number;
  /** `stopped`: new sessions go on to be split as at `percent`. `reversed`: they go to the old origin. */
  readonly state: "running" | "stopped" | "reversed";
  /** Where it was when it was stopped or reversed; 0 while it runs. */
  readonly percent: number;
  /** Why it was stopped or reversed; empty while it runs. */
  readonly reason: string;
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
  /** Parent domain of all hosts of the room, which share its cookie; empty for a cookie of each host. */
  readonly cookieDomain: string;
  readonly cookieSuffix: string;
  readonly enabledOriginCommands: readonly "revoke"[];

  /** Base URL of the origin behind this room, or several of them; undefined for the node's own `--origin`. */
  readonly origin: string | readonly OriginShare[] | undefined;
  /** Undefined where only visitors' requests tell how the origin is. */
  readonly healthCheck: HealthCheck | undefined;
  /** Undefined where there is none, and none to tell of. */
  readonly rollout: Rollout | undefined;
  readonly slotPolicy: SlotPolicy;
  /** Exponent of the adaptive policy's curve, above 0 to 10. */
  readonly curveFactor: number;
  /** Seconds between two polls of a visitor far from the front, 1 to 600. */
  readonly refreshIntervalSeconds: number;
  /** Most visitors in line, 1 to 10,000,000; the next one is told that the queue is full. */
  readonly queueMax: number;
  /** Addresses (CIDR) that pass without a session and without being counted. */
  readonly bypassCidrs: readonly string[];
  /** How fast admissions may grow from cold; undefined for no bound. */
  readonly ramp: Ramp | undefined;
  /** Whether a minute's slots are released evenly over it. */
  readonly pace: boolean;
  readonly throttle: {
    /** Requests that are sent for each that the origin accepts, before new visitors are held back; 0 for no such bound. */
    readonly k: number;
    /** Times its usual time that an origin may take, before new visitors are held back; 0 for no such bound. */
    readonly latency: number;
  };
  /** Most new places (in line or inside) for one client address in one minute; 0 for no such limit. */
  readonly newPlacesPerAddressPerMinute: number;
}
