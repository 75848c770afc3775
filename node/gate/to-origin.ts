/**
 * The path of an admitted request: to the origin, and its answer back to the visitor.
 *
 * Adds the session's cookie to the answer, obeys the origin's commands (`origin-orders.ts`), and turns an origin's
 * failure into a page: the session stays, whatever the origin does. `origin-headers.ts` changes the header fields.
 */

import { keepsCookies, withSetCookie } from "../cookie/cookie-header.ts";
import type { InsideCookie } from "../cookie/seal.ts";
import { type Client, hasPassed } from "../http/client.ts";
import { fieldValue, NO_STORE } from "../http/fields.ts";
import type { Exchange, ForwardFailure, HeaderList, OriginTarget } from "../http/message.ts";
import { staysBelow } from "../http/path-reading.ts";
import type { Target } from "../origin/target.ts";
import type { LiveRoom } from "../rooms/live-room.ts";
import { GATE_ERRORS } from "./error-page.ts";
import type { GateContext } from "./gate-context.ts";
import { LongLived, type LongLivedOptions, type Look } from "./long-lived.ts";
import { cleanTarget, isResent, markedTarget, sendOn, withoutPass } from "./marked-target.ts";
import { originHeaders, privateAnswer, withoutCommands } from "./origin-headers.ts";
import { OriginOrders } from "./origin-orders.ts";
import { answeredFields } from "./preflight.ts";
import type { Refusals } from "./refusals.ts";
import { RequestAccounting } from "./request-accounting.ts";
import type { VisitorCookies } from "./visitor-cookies.ts";
import type { VisitorHeader } from "./visitor-header.ts";

interface Session {
  readonly live: LiveRoom;
  readonly cookie: InsideCookie;
}

/** Where a request of a room goes: the target, and how it was chosen. */
export interface RoomWay {
  readonly live: LiveRoom;
  readonly target: Target;
  readonly key: string;
}

/** An admitted request, and what goes with it. */
export interface ForwardedRequest {
  readonly exchange: Exchange;
  readonly client: Client;
  /** A room's target, or an address for requests without a room; undefined for none. */
  readonly to: RoomWay | OriginTarget | undefined;
  /** Whether only a preflight's question is passed on, and only its answer comes back. */
  readonly isPreflight?: boolean;
  /** The session, for the origin's commands; undefined for requests without one. */
  readonly session?: Session;
  /** The room that lets the request pass without a session, as long as nobody waits there. */
  readonly passes?: LiveRoom | undefined;
  /** Set-Cookie values for the answer. */
  readonly cookies?: readonly (string | undefined)[];
}

/** Where a request is sent, and with what. */
interface Destination {
  readonly origin: OriginTarget;
  /** Undefined for a request without a room. */
  readonly way: RoomWay | undefined;
  /** What is asked for there: without marks of ours and passes. */
  readonly target: string;
  /** The header about the visitor; undefined for none. */
  readonly visitor: string | undefined;
}

export interface ToOriginOptions
  extends Pick<GateContext, "rooms" | "minuteMs" | "commit" | "clock" | "surroundings" | "log"> {
  readonly passLost: LongLivedOptions["passLost"];
  readonly cookies: VisitorCookies;
  readonly originSecret: string | undefined;
  readonly clientAddressField?: string | undefined;
  readonly loopName: string;
  readonly refusals: Refusals;
  readonly visitors: VisitorHeader;
}

/**
 * Halved, an origin that comes back meets twice as many pages at once; doubled, visitors see the error twice as long.
 */
const ORIGIN_RETRY_SECONDS = 10;

/** Only the operator can repair it. */
const LOOP_RETRY_SECONDS = 60;

export class ToOrigin {
  readonly #options: ToOriginOptions;
  readonly #orders: OriginOrders;
  readonly #longLived: LongLived;
  readonly failures: Record<ForwardFailure["kind"], number> = { unreachable: 0, timeout: 0, "bad-response": 0 };

  constructor(options: ToOriginOptions) {
    this.#options = options;
    this.#orders = new OriginOrders(options);
    this.#longLived = new LongLived(options);
  }

  /** Whether a request came from a gate of this mesh; it is answered then, because it would loop for ever. */
  refusesLoop(exchange: Exchange): boolean {
    const { loopName, refusals } = this.#options;
    if (!hasPassed(exchange.request.headers, loopName)) return false;
    refusals.answer(exchange, GATE_ERRORS.loop, {
      level: "error",
      retryAfterSeconds: LOOP_RETRY_SECONDS,
      message: "a request looped: the origin of this host leads to a gate of the same mesh",
      fields: { from: exchange.remoteAddress },
    });
    return true;
  }

  /** Answers a proxy's question so that it sends the request here: the gate has a say in it. */
  sendHere(exchange: Exchange): void {
    exchange.answer(401, NO_STORE, "");
  }

  forward(request: ForwardedRequest): void {
    const { exchange, to, session, cookies = [] } = request;
    const { question } = exchange;
    const { refusals, visitors, clock } = this.#options;
    if (to === undefined) {
      if (question === undefined) refusals.answer(exchange, GATE_ERRORS.notFound);
      else question.allow(present(cookies));
      return;
    }
    if (exchange.gone) return;
    const { target } = exchange.request;
    const way = "live" in to ? to : undefined;
    const clean = cleanTarget(target);
    const passless = way === undefined ? clean : withoutPass(clean);
    // A pass stays neither in a browser's address bar nor in what pages tell others about it.
    // A form that our page has sent again would be lost by that.
    const isMarked = clean !== target && (question !== undefined || !isResent(exchange.request.method, target));
    if (isMarked || (passless !== clean && (isNavigation(exchange) || question !== undefined))) {
      const keeps = way === undefined || keepsCookies(exchange.request.headers, way.live.cookieName);
      sendOn(exchange, passless === clean || keeps ? passless : markedTarget(passless, ["again"]), cookies);
      return;
    }
    const origin = "live" in to ? to.target.address : to;
    if (!isWithin(origin, target)) {
      // Outside the path of a base URL there may be pages that another room guards.
      refusals.answer(exchange, GATE_ERRORS.contested, {
        headers: withSetCookie([], ...cookies),
        ...(way && { room: way.live.room }),
      });
      return;
    }
    if (question !== undefined) {
      question.allow(present(cookies));
      return;
    }
    const visitor = session?.live.room.visitorHeader
      ? visitors.value(session.cookie, session.live, clock())
      : undefined;
    this.#send(request, { origin, way, target: passless, visitor });
  }

  #send(request: ForwardedRequest, { origin, way, target, visitor }: Destination): void {
    const { exchange, client, isPreflight = false, session, cookies = [] } = request;
    const { clock, surroundings, originSecret, loopName, clientAddressField: addressField } = this.#options;
    // It opens the origins of all rooms. A retry may go to another origin of this one.
    const secret = way === undefined || way.live.outside.length === 0 ? originSecret : undefined;
    const accounting = way && new RequestAccounting({ ...way, clock, steadyMs: surroundings.steadyMs });
    const sentMs = surroundings.steadyMs();
    const trace = exchange.trail?.trace;
    const timed = (result: number | ForwardFailure["kind"]): void => {
      const tookMs = surroundings.steadyMs() - sentMs;
      way?.live.counts.origin.observe(tookMs);
      if (exchange.trail !== undefined) exchange.trail.originMs = tookMs;
      trace?.answered(result);
    };
    const retry = (failure: ForwardFailure): OriginTarget | undefined => {
      const next = accounting?.retry(failure);
      if (next === undefined || !isWithin(next, exchange.request.target)) return undefined;
      trace?.sentAgain(next);
      return next;
    };
    const fields = originHeaders(exchange, client, { secret, loopName, isPreflight, addressField, visitor });
    const ordered = session && { cookie: session.cookie, client };
    let look: Look | undefined;
    let answeredWith = 0;
    exchange.forward({
      origin,
      ...(accounting && { retry, onAbandoned: () => accounting.abandoned() }),
      headers: trace?.sent(origin, target, fields) ?? fields,
      ...(target !== exchange.request.target && { target }),
      dropsBody: isPreflight,
      whileOpen: (open) => {
        look ??= this.#lookAt(request);
        look?.(open);
      },
      onResponse: (head) => {
        timed(head.status);
        accounting?.answered(head.status);
        answeredWith = head.status;
        if (isPreflight) return answeredFields(head.headers, exchange.request.headers);
        const headers = withoutCommands(head.headers);
        if (headers === head.headers) return withOurCookies(headers, ...cookies);
        const removal = way && this.#orders.obey(head.headers, way.live, ordered);
        return withOurCookies(headers, ...(removal ?? cookies));
      },
      onBroken: (failure) => {
        this.failures[failure.kind] += 1;
        accounting?.brokenOff(answeredWith, failure);
        const { authority } = accounting?.address ?? origin;
        const room = way && { room: way.live.room.name };
        this.#options.refusals.note(exchange, "origin broke off its answer", {
          origin: authority,
          ...room,
          ...failure,
        });
      },
      onFailure: (failure) => {
        timed(failure.kind);
        accounting?.failed(failure);
        this.#failed(request, failure, { way, authority: (accounting?.address ?? origin).authority });
      },
    });
  }

  #lookAt({ exchange, session, passes }: ForwardedRequest): Look | undefined {
    if (session !== undefined) return this.#longLived.ofSession(exchange, session.live, session.cookie);
    return passes && this.#longLived.ofRoom(exchange, passes);
  }

  /** Answers with a page: the session stays. */
  #failed(
    { exchange, cookies = [] }: ForwardedRequest,
    failure: ForwardFailure,
    { way, authority }: { readonly way: RoomWay | undefined; readonly authority: string },
  ): void {
    this.failures[failure.kind] += 1;
    const { refusals, clock } = this.#options;
    const error = failure.kind === "timeout" ? GATE_ERRORS.timeout : GATE_ERRORS.unreachable;
    const isDown = way?.live.origin.isReachable(clock()) === false;
    refusals.answer(exchange, isDown ? { ...GATE_ERRORS.originDown, status: error.status } : error, {
      headers: withSetCookie([], ...cookies),
      retryAfterSeconds: ORIGIN_RETRY_SECONDS,
      ...(way && { room: way.live.room }),
      level: "warn",
      message: "origin failed",
      fields: { origin: authority, ...failure },
    });
  }
}

/** Whether a request for `target` lies within the path of the origin's base URL. */
function isWithin({ basePath }: OriginTarget, target: string): boolean {
  return basePath === "" || staysBelow(target);
}

/** `headers` of the origin with cookies of ours, which are for this visitor alone; the same list if there are none. */
function withOurCookies(headers: HeaderList, ...cookies: readonly (string | undefined)[]): HeaderList {
  const all = withSetCookie(headers, ...cookies);
  return all === headers ? headers : privateAnswer(all);
}

function present(cookies: readonly (string | undefined)[]): readonly string[] {
  return cookies.filter((cookie) => cookie !== undefined);
}

/** Whether a browser navigates, and will follow a redirect with the cookies that it was given. */
function isNavigation({ request: { method, headers } }: Exchange): boolean {
  return method === "GET" && fieldValue(headers, "sec-fetch-mode") === "navigate";
}
