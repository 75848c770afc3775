/**
 * A room: a host and path prefixes with limits, and the origin behind them.
 *
 * The fields are those of Cloudflare's Waiting Room API where a field has that meaning; the ones after `origin` are
 * ours. Documents (YAML, JSON, API) write them in snake_case, code in camelCase.
 */

import type { Language } from "../languages/texts.ts";
import type { Rule } from "../rules/rules.ts";
import type { RoomEvent } from "./event.ts";
import type { QueueingMethod } from "./queueing-method.ts";
import type { Ramp } from "./ramp.ts";

/** When new visitors are asked for a proof of work: when their network, or the room, is not quiet; or always. */
export type ProofMode = "off" | "auto" | "always";
/** What happens to visitors who owe their proof: they are counted; or they stay in line until it comes. */
export type ProofAction = "log" | "infinite_queue";
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
  /** Its share of the sessions, relative to the others' weights; at 0 it gets no new ones. */
  readonly weight: number;
}

/** How each node probes the targets of a room. */
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
  /** `stopped`: new sessions continue to be split as at `percent`. `reversed`: they go to the old origin. */
  readonly state: "running" | "stopped" | "reversed";
  /** The percentage at which it was stopped or reversed; 0 while it runs. */
  readonly percent: number;
  /** Why it was stopped or reversed; empty while it runs. */
  readonly reason: string;
}

/** The built-in page as a brand's own. Texts are empty where the room does not set them. */
export interface BrandPage {
  /** Name of the brand; without it the page names the host. */
  readonly title: string;
  /** Address of an image, or the image as `data:`. */
  readonly logo: string;
  /** Colour of links, buttons and the bar, as `#rrggbb` or `#rgb`. */
  readonly accent: string;
  /** Colour around the card that holds all text. */
  readonly background: string;
  /** What the operator tells everybody who waits. */
  readonly message: string;
  /** Unix ms at which the message ends; undefined for no end. */
  readonly messageUntilMs: number | undefined;
  /** Where a visitor gets help. */
  readonly supportUrl: string;
  readonly theme: "auto" | "light" | "dark";
}

/** A room whose visitors come from sites behind Queue-it's connectors, and go back there. */
export interface QueueItRoom {
  /** By which connectors name the room. */
  readonly eventId: string;
  /** Base URLs of the sites, without a slash at the end of a path: visitors go nowhere else. At least one. */
  readonly protects: readonly string[];
}

/** An event in a room as it works at a moment. */
export interface EventNow {
  readonly name: string;
  /** `prequeue`: it has not started, and all new visitors are held in line. */
  readonly phase: "prequeue" | "active";
  /** Unix ms. */
  readonly startMs: number;
  readonly endMs: number;
  readonly shuffles: boolean;
}

/** A draw in a room as it works at a moment. */
export interface DrawNow {
  /** Names the draw among those of all rooms. */
  readonly key: string;
  /** All who joined before it are drawn, in Unix ms. */
  readonly startMs: number;
  /** What the order follows from; undefined until it is known. */
  readonly seed: string | undefined;
}

/**
 * What happens to requests that call themselves a crawler. `wait`: they are treated like visitors. `bypass`: those
 * proven by DNS pass, others are treated like visitors. `refuse`: those proven pass, others are refused.
 */
export const CRAWLER_HANDLINGS = ["wait", "bypass", "refuse"] as const;
export type CrawlerHandling = (typeof CRAWLER_HANDLINGS)[number];

/**
 * What an origin may order about a session in its answers. `revoke` and `complete` end it; `extend` gives it a new
 * term, also where sessions are not renewed.
 */
export const ORIGIN_COMMANDS = ["revoke", "extend", "complete"] as const;
export type OriginCommandName = (typeof ORIGIN_COMMANDS)[number];

export interface Room {
  readonly name: string;
  readonly description: string;
  readonly host: string;
  readonly path: string;
  readonly additionalRoutes: readonly Route[];
  /** Most sessions at once, 1 to 10,000,000. */
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
  readonly page: BrandPage;
  /** Of the built-in page, for visitors who ask for no language that it has. */
  readonly defaultTemplateLanguage: Language;
  readonly cookieAttributes: {
    readonly samesite: "auto" | "lax" | "none" | "strict";
    readonly secure: "auto" | "always" | "never";
  };
  /** Parent domain of all hosts of the room, which share its cookie; empty for a cookie of each host. */
  readonly cookieDomain: string;
  readonly cookieSuffix: string;
  readonly enabledOriginCommands: readonly OriginCommandName[];
  /** Whether the origin gets a signed header about each visitor inside. */
  readonly visitorHeader: boolean;
  /** Names the key that signs it. */
  readonly visitorKeyGeneration: number;

  /** Base URL of the origin behind this room, or several of them; undefined for the node's own `--origin`. */
  readonly origin: string | readonly OriginShare[] | undefined;
  /** The name by which the origin is asked, as Host and in TLS; empty for the visitor's Host. */
  readonly originHost: string;
  /** Undefined if only visitors' requests show the origin's health. */
  readonly healthCheck: HealthCheck | undefined;
  /** Undefined if there is none, and no recent one to report. */
  readonly rollout: Rollout | undefined;
  readonly slotPolicy: SlotPolicy;
  /** Seconds between two polls of a visitor far from the front, 1 to 600. */
  readonly refreshIntervalSeconds: number;
  /** Seconds within which a visitor whose turn it is must enter, on the waiting page; 0 to enter at once. */
  readonly enterWithinSeconds: number;
  /** Minutes for which a place is kept for a visitor who does not ask, beyond the estimated wait, 1 to 240. */
  readonly placeKeptMinutes: number;
  /** Most visitors in line, 1 to 10,000,000; others see that the line is full. */
  readonly queueMax: number;
  /** Addresses (CIDR) that pass without a session and without being counted. */
  readonly bypassCidrs: readonly string[];
  /** Which requests pass without a session and without being counted: the first that applies decides. */
  readonly rules: readonly Rule[];
  readonly crawlers: CrawlerHandling;
  /** How fast admissions may grow from cold; undefined for no bound. */
  readonly ramp: Ramp | undefined;
  /** Whether a minute's slots are released evenly over it. */
  readonly pace: boolean;
  readonly throttle: {
    /** Requests sent for each one that the origin accepts, above which new visitors are held back; 0 for no bound. */
    readonly k: number;
    /** Multiple of its usual time that an origin may take before new visitors are held back; 0 for no bound. */
    readonly latency: number;
  };
  /** Most new places (in line or with a session) for one client address in one minute; 0 for no limit. */
  readonly newPlacesPerAddressPerMinute: number;
  /** Whether only visitors with a pass may join the line or enter. */
  readonly inviteOnly: boolean;
  /**
   * Part of the slots in percent by lane of a pass; at 0 the part of all visitors without a lane. Empty without lanes.
   */
  readonly lanes: readonly number[];
  /** Passes of another generation are withdrawn. */
  readonly passGeneration: number;
  /** The same for all addresses of one network together (IPv4 /24, IPv6 /48). */
  readonly newPlacesPerPrefixPerMinute: number;
  readonly proofOfWorkMode: ProofMode;
  readonly proofOfWorkAction: ProofAction;
  /** Undefined for a room with an origin. */
  readonly queueIt: QueueItRoom | undefined;
  /** Undefined where the document says nothing about events. */
  readonly events?: readonly RoomEvent[] | undefined;
  /** Of a room as it works now, not as it is declared: the event that applies. */
  readonly event?: EventNow | undefined;
  /** Likewise: the draw whose order its line is in, or waits for. */
  readonly draw?: DrawNow | undefined;
}
