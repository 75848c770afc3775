/**
 * The integration config of Queue-it's connectors, made from the rooms: which addresses of their sites need a visit to
 * which queue.
 *
 * A connector takes the first integration with a trigger that matches, so longer paths come first, as in the gate's own
 * match. Triggers have no operator for the beginning of a path: one trigger matches the path itself, the other one all
 * addresses that contain host, path and a slash. That may queue an address too many, never one too few.
 */

import type { QueueItRoom, Room } from "../../config/room.ts";
import { sha256Hex } from "../../sha256.ts";

/** Digits of a hash that make a version: connectors keep it in 32 bits with a sign. */
const VERSION_DIGITS = 7;

/** As JSON. */
export function integrationConfig(rooms: readonly Room[], customer: string): string {
  const integrations = rooms
    .flatMap((room) => sitesOf(room).map((url) => ({ room, url })))
    .sort((one, other) => byPath(one.url, other.url) || (one.room.name < other.room.name ? -1 : 1))
    .map(({ room, url }) => integrationOf(room, url));
  const version = 1 + Number.parseInt(sha256Hex(JSON.stringify(integrations)).slice(0, VERSION_DIGITS), 16);
  return JSON.stringify({
    Description: "anteroom",
    Integrations: integrations,
    CustomerId: customer,
    AccountId: customer,
    Version: version,
    ConfigDataVersion: "1.0.0.1",
  });
}

/** Where the room's connectors send visitors, below its host. */
export function pathPrefix({ path }: Room): string {
  const trimmed = path.replace(/^\/+|\/+$/g, "");
  return trimmed.isWellFormed() ? encodeURI(trimmed) : trimmed;
}

function sitesOf({ queueIt, suspended }: Room): URL[] {
  return queueIt === undefined || suspended ? [] : sites(queueIt);
}

export function sites({ protects }: QueueItRoom): URL[] {
  return protects.flatMap((site) => URL.parse(site) ?? []);
}

function byPath(one: URL, other: URL): number {
  return other.pathname.length - one.pathname.length || (one.href < other.href ? -1 : Number(one.href > other.href));
}

function integrationOf(room: Room, url: URL) {
  return {
    Name: room.name,
    ActionType: "Queue",
    EventId: room.queueIt?.eventId ?? "",
    CookieDomain: "",
    IsCookieHttpOnly: true,
    IsCookieSecure: url.protocol === "https:",
    LayoutName: null,
    Culture: "",
    ExtendCookieValidity: false,
    // Each token says it too, and has the last word.
    CookieValidityMinute: Math.max(1, Math.floor(room.sessionDuration / 2)),
    QueueDomain: room.host,
    QueuePathPrefix: pathPrefix(room),
    RedirectLogic: "AllowTParameter",
    ForcedTargetUrl: "",
    Triggers: triggersOf(url),
  };
}

function triggersOf({ host, pathname }: URL) {
  const atHost = part("HostName", "Equals", host);
  if (pathname === "/") return [trigger([atHost])];
  return [
    trigger([atHost, part("PagePath", "Equals", pathname)]),
    trigger([atHost, part("PageUrl", "Contains", `//${host}${pathname}/`)]),
  ];
}

function trigger(parts: readonly object[]) {
  return { TriggerParts: parts, LogicalOperator: "And" };
}

function part(urlPart: string, operator: string, value: string) {
  return {
    ValidatorType: "UrlValidator",
    UrlPart: urlPart,
    Operator: operator,
    ValueToCompare: value,
    ValuesToCompare: null,
    // Servers differ in whether case matters in a path: both readings are protected.
    IsIgnoreCase: true,
    IsNegative: false,
    VariableName: null,
    CookieName: null,
    HttpHeaderName: null,
  };
}
