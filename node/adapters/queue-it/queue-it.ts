/**
 * The gate as the queue of Queue-it's connectors: it keeps the line, and sends admitted visitors back with a token.
 *
 * A connector in front of a site sends each visitor without a cookie of its own here: to the host and path of a room,
 * or to its host alone, with the room's event id in the query. The visitor waits there as in any room. Once inside, the
 * visitor goes back to the address in `t` with a token, instead of a request to an origin. When the connector's cookie
 * ends, it sends the visitor here again, and the session goes on.
 *
 * The gate does not see requests behind the connector. So it holds the slot of a session until all cookies that its
 * tokens can give have ended (`tokenTimes`), also after a visitor gives the session up.
 */

import type { Minute } from "../../../mesh/core/ids.ts";
import { minutePlus, startOfMinuteMs } from "../../../mesh/core/minute.ts";
import type { Room } from "../../config/room.ts";
import type { QueueItSettings } from "../../config/settings.ts";
import { withSetCookie } from "../../cookie/cookie-header.ts";
import type { ConnectorParts, Connectors, ConnectorVisit } from "../../gate/connectors.ts";
import { GATE_ERRORS } from "../../gate/error-page.ts";
import { PerSecond } from "../../gate/per-second.ts";
import { supportId } from "../../gate/support-id.ts";
import type { Client } from "../../http/client.ts";
import { fieldValue, NO_STORE } from "../../http/fields.ts";
import type { Exchange, HeaderList } from "../../http/message.ts";
import type { LiveRoom } from "../../rooms/live-room.ts";
import type { Rooms } from "../../rooms/rooms.ts";
import { integrationConfig, pathPrefix } from "./integration-config.ts";
import { targetOf, withToken } from "./target.ts";
import { QueueItKeys, tokenTimes } from "./token.ts";

/** The account that the connectors have. */
export interface QueueItAccount {
  readonly customer: string;
  readonly keys: QueueItKeys;
}

/** The account in the settings of a node. */
export function queueItAccount(settings: QueueItSettings | undefined): QueueItAccount | undefined {
  return settings && { customer: settings.customer, keys: new QueueItKeys(settings) };
}

export interface QueueItOptions extends ConnectorParts {
  /** Undefined where the node has none: then nobody comes in by a room with `queue_it`. */
  readonly account: QueueItAccount | undefined;
}

/**
 * Configs that a node sends in a second. Connectors fetch one every five minutes; a flood costs no more than pages do.
 */
export const CONFIGS_PER_SECOND = 20;

/** When a visitor may ask again whose session was not extended in time. */
const RETRY_SECONDS = 2;

/** Where a connector asks for its configuration, at any host with a room for one. */
const CONFIG_PATH = "/status/integrationconfig/";

/** A request that is read: the room that it means, and its query. */
interface Asked {
  readonly exchange: Exchange;
  readonly client: Client;
  readonly nowMs: number;
  readonly live: LiveRoom;
  readonly query: URLSearchParams;
  /** Its path below the room's, beginning with a slash. */
  readonly below: string;
}

export class QueueIt implements Connectors {
  readonly ownPath = CONFIG_PATH;
  readonly #options: QueueItOptions;
  readonly #configs = new PerSecond(CONFIGS_PER_SECOND);
  #byHost: { readonly routes: Rooms["routes"]; readonly rooms: ReadonlyMap<string, readonly LiveRoom[]> } | undefined;

  constructor(options: QueueItOptions) {
    this.#options = options;
  }

  answers(by: Pick<Asked, "exchange" | "client" | "nowMs">, found: LiveRoom | undefined): boolean {
    const { exchange, nowMs } = by;
    const { host, target } = exchange.request;
    const here = this.#roomsAt(host);
    if (here === undefined) return false;
    if (target.startsWith(CONFIG_PATH)) {
      this.#config(exchange, nowMs);
      return true;
    }
    if (found !== undefined && found.declared.queueIt === undefined) return false;
    const { query, path } = readTarget(target);
    const eventId = (query.get("e") ?? query.get("wrl")?.split(/[~_]/)[0])?.toLowerCase();
    const live = eventId === undefined ? found : here.find(({ declared }) => declared.queueIt?.eventId === eventId);
    const isOurs = query.get("c") === null || query.get("c") === this.#options.account?.customer;
    if (live === undefined || !isOurs) {
      this.#options.refusals.answer(exchange, GATE_ERRORS.notFound, { message: "no room for a connector's visitor" });
      return true;
    }
    const below = path.slice(found === undefined ? 0 : prefixOf(found.declared).length);
    return this.#visit({ ...by, live, query, below }, found);
  }

  letIn(
    visit: ConnectorVisit,
    session: { readonly id: string; readonly lastGood: Minute },
    cookies: readonly (string | undefined)[],
  ) {
    const endMs = startOfMinuteMs(minutePlus(session.lastGood, 1), this.#options.minuteMs);
    this.#send(visit, { endMs, queueId: supportId(session.id), redirectType: "queue" }, cookies);
  }

  pass(visit: ConnectorVisit, cookies: readonly (string | undefined)[]): void {
    const endMs = visit.nowMs + visit.live.room.sessionDuration * this.#options.minuteMs;
    this.#send(visit, { endMs, queueId: visit.exchange.id, redirectType: "disabled" }, cookies);
  }

  /** The rooms for connectors at a host; undefined for none. */
  #roomsAt(host: string): readonly LiveRoom[] | undefined {
    const { rooms } = this.#options;
    if (this.#byHost?.routes !== rooms.routes) {
      const all = rooms.all().filter(({ declared }) => declared.queueIt !== undefined);
      this.#byHost = { routes: rooms.routes, rooms: Map.groupBy(all, ({ declared }) => declared.host) };
    }
    return this.#byHost.rooms.get(host);
  }

  #visit(asked: Asked, found: LiveRoom | undefined): boolean {
    const { exchange, nowMs, live, query, below } = asked;
    const { refusals, account } = this.#options;
    const { queueIt } = live.declared;
    if (queueIt === undefined) return false;
    const isCancelled = below.startsWith("/cancel/");
    const target = targetOf(queueIt, query.get(isCancelled ? "r" : "t"));
    if (target === undefined) {
      refusals.answer(exchange, GATE_ERRORS.notFound, {
        room: live.room,
        message: "a visitor was to be sent to a site that is not in queue_it.protects",
        fields: { room: live.room.name },
      });
      return true;
    }
    if (isCancelled) {
      this.#cancel(asked, target);
      return true;
    }
    const queue = `${prefixOf(live.declared) || "/"}?${withoutToken(query)}`;
    if (below.startsWith("/error/")) {
      const token = query.get("queueittoken");
      const isGood = token !== null && account?.keys.isGood(token, queueIt.eventId, nowMs) === true;
      if (isGood) this.#refusedByConnector(exchange, live, below);
      else exchange.answer(302, redirectTo(queue), "");
      return true;
    }
    if (found === live) return false;
    exchange.answer(302, redirectTo(queue), "");
    return true;
  }

  /**
   * The connector refuses a token that is good: its secret, its event or its clock is not ours. Going back would loop.
   */
  #refusedByConnector(exchange: Exchange, { room }: LiveRoom, below: string): void {
    const [, , reason = ""] = below.split("/");
    this.#options.refusals.answer(exchange, GATE_ERRORS.unreachable, {
      room,
      level: "warn",
      message: "a Queue-it connector refuses a good token: compare its secret key, event id and clock with this node's",
      fields: { room: room.name, reason: reason.slice(0, 20).replaceAll(/[^a-z]/gi, "") },
    });
  }

  /**
   * A visitor has left the site, and goes on to `r`. The cookie here ends; the slot is held as long as before, because
   * a copy of the connector's cookie would still be good.
   */
  #cancel(asked: Asked, target: URL): void {
    const { exchange, live, client } = asked;
    const { cookies } = this.#options;
    const { cookie, over } = cookies.read(asked);
    if (over !== undefined) live.counts.badCookies.expired += 1;
    // Otherwise any page could end the session of a visitor who looks at it.
    const isMeant =
      cookie?.kind === "inside" &&
      cancelledIn(asked).some(([event, id]) => event === live.declared.queueIt?.eventId && id === supportId(cookie.id));
    const headers = redirectTo(target.href);
    exchange.answer(302, isMeant ? withSetCookie(headers, ...cookies.removal(live, client)) : headers, "");
  }

  #send(
    { exchange, live, kind, nowMs }: ConnectorVisit,
    { endMs, queueId, redirectType }: { endMs: number; queueId: string; redirectType: "queue" | "disabled" },
    cookies: readonly (string | undefined)[],
  ): void {
    const { account, refusals } = this.#options;
    const { room } = live;
    const { queueIt } = live.declared;
    const headers = withSetCookie([], ...cookies);
    if (account === undefined || queueIt === undefined) {
      const message = "a room has queue_it, and this node has no --queue-it-customer and --queue-it-secret-file";
      refusals.answer(exchange, GATE_ERRORS.busy, {
        headers,
        room,
        message,
        level: "error",
        retryAfterSeconds: room.refreshIntervalSeconds,
        fields: { room: room.name },
      });
      return;
    }
    const target = targetOf(queueIt, readTarget(exchange.request.target).query.get("t"));
    // Only for somebody who navigates: an image of the queue's domain must not carry a token away.
    if (target === undefined || !kind.takesPlace) {
      refusals.answer(exchange, GATE_ERRORS.notFound, { headers, room, fields: { room: room.name } });
      return;
    }
    const isRenewable = !room.disableSessionRenewal;
    const times = tokenTimes(nowMs, endMs, isRenewable);
    if (times === undefined) {
      const retryAfterSeconds = isRenewable ? RETRY_SECONDS : Math.max(1, Math.ceil((endMs - nowMs) / 1_000));
      refusals.answer(exchange, GATE_ERRORS.busy, { headers, room, retryAfterSeconds, fields: { room: room.name } });
      return;
    }
    const token = account.keys.token({ eventId: queueIt.eventId, queueId, redirectType, times });
    exchange.answer(302, [...redirectTo(withToken(target, token)), ...headers], "");
  }

  #config(exchange: Exchange, nowMs: number): void {
    const { account, rooms, refusals } = this.#options;
    const { path } = readTarget(exchange.request.target);
    const customer = path.slice(CONFIG_PATH.length).replace(/^secure\//, "");
    const shown = fieldValue(exchange.request.headers, "api-key") ?? "";
    if (account === undefined || customer !== account.customer || !account.keys.isApiKey(shown))
      refusals.answer(exchange, GATE_ERRORS.notFound);
    else if (!["GET", "HEAD"].includes(exchange.request.method))
      exchange.answer(405, ["Allow", "GET, HEAD", ...NO_STORE], "");
    else if (!this.#configs.take(nowMs))
      refusals.answer(exchange, GATE_ERRORS.busy, { retryAfterSeconds: RETRY_SECONDS });
    else {
      const all = rooms.all().map(({ room }) => room);
      exchange.answer(200, CONFIG_HEADERS, integrationConfig(all, account.customer));
    }
  }
}

const CONFIG_HEADERS: HeaderList = ["Content-Type", "application/json; charset=utf-8", ...NO_STORE];

/**
 * The events and visitors that a connector names: `/cancel/multiple/CUSTOMER?wrl=EVENT~VISITOR_EVENT~VISITOR`, or, in
 * older ones, `/cancel/CUSTOMER/EVENT/VISITOR`.
 */
function cancelledIn({ below, query }: Asked): readonly (readonly (string | undefined)[])[] {
  const [, , customer, event, visitor] = below.split("/");
  if (customer !== "multiple") return [[event, visitor]];
  return (query.get("wrl") ?? "").split("_").map((pair) => pair.split("~"));
}

function redirectTo(location: string): HeaderList {
  return ["Location", location, ...NO_STORE];
}

function readTarget(target: string): { readonly path: string; readonly query: URLSearchParams } {
  const at = target.indexOf("?");
  const path = at < 0 ? target : target.slice(0, at);
  return { path, query: new URLSearchParams(at < 0 ? "" : target.slice(at + 1)) };
}

/** The query with which a visitor joins the line: without the token that was refused. */
function withoutToken(query: URLSearchParams): string {
  const kept = [...query].filter(([name]) => !["queueittoken", "ts", "icr"].includes(name));
  return new URLSearchParams(kept).toString();
}

/** The room's path, without a slash at its end. */
function prefixOf(room: Room): string {
  const prefix = pathPrefix(room);
  return prefix === "" ? "" : `/${prefix}`;
}
