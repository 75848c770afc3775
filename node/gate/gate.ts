/**
 * The gate: one request from its head to its decision.
 *
 * Room by host and longest path → suspended, bypass → cookie → inside, in line or new → origin or page. Every admission
 * and every extension of a stay is on disk before a cookie tells of it; the request goes on once its cookie is sealed.
 * Bad input never throws: a cookie that does not open makes a new visitor. Sockets and HTTP are node/gate/http's.
 */

import { randomBytes } from "node:crypto";
import type { AccountId, Minute } from "../../mesh/core/ids.ts";
import { minuteOf } from "../../mesh/core/minute.ts";
import type { MeshDecision } from "../admission/mesh/mesh-room.ts";
import type { CookieSeal, InsideCookie, VisitorCookie, WaitingCookie } from "../cookie/seal.ts";
import type { CommitQueue } from "../group-commit.ts";
import type { LiveRoom } from "../live-room.ts";
import type { Log, LogLevel } from "../log.ts";
import type { Target } from "../origin/target.ts";
import { LEVELS, type PressureLevel } from "../pressure.ts";
import type { Outcome } from "../room-counts.ts";
import type { Rooms } from "../rooms.ts";
import { addressGroup, type Cidr, type Client, clientOf, isIn } from "./client.ts";
import { withSetCookie } from "./cookie-header.ts";
import { GATE_ERRORS, type GateError } from "./error-page.ts";
import { FirstOnly } from "./first-only.ts";
import type { Exchange, HeaderList, OriginTarget } from "./http/message.ts";
import { markedTarget, sendTo } from "./marked-target.ts";
import { CONTESTED } from "./match.ts";
import type { ProxyWatch } from "./proxy-watch.ts";
import { Refusals } from "./refusals.ts";
import { type RequestKind, requestKind } from "./request-kind.ts";
import { ToOrigin } from "./to-origin.ts";
import { VisitorCookies } from "./visitor-cookies.ts";
import { JSON_HEADERS, waitingAnswer, waitingView } from "./waiting-answer.ts";
import { admittedJson } from "./waiting-json.ts";

export interface GateOptions {
  readonly rooms: Rooms;
  readonly seal: CookieSeal;
  readonly commit: CommitQueue;
  /** Whether this node knows the mesh's rooms. */
  readonly isReady: () => boolean;
  /** Called before each decision: what is asked of the mesh is asked as of then. */
  readonly beforeStep: () => void;
  readonly clock: () => number;
  readonly minuteMs: number;
  readonly defaultOrigin: OriginTarget | undefined;
  readonly trustedProxies: readonly Cidr[];
  /** Told of each request, to notice proxies that are not trusted. */
  readonly proxies: ProxyWatch;
  readonly originSecret: string | undefined;
  /** By which a request is known that was here before (`loop.ts`). */
  readonly loopName: string;
  readonly log: Log;
  /** Whether the log takes lines of a level. */
  readonly isLogged: (level: LogLevel) => boolean;
  /** Whether each request has a line in the access log. */
  readonly hasAccessLog: boolean;
  /** How hard-pressed this node is. */
  readonly pressure: () => PressureLevel;
  /** Unix ms at which a node was last alive on this data directory; undefined on the first start. */
  readonly lastAliveMs: number | undefined;
}

/** A request on its way through the gate. */
interface Visit {
  readonly exchange: Exchange;
  readonly live: LiveRoom;
  readonly client: Client;
  readonly kind: RequestKind;
  readonly nowMs: number;
}

interface LetIn {
  readonly id: string;
  readonly home: AccountId;
  readonly target: Target | undefined;
  readonly cookie: string | undefined;
  readonly late?: { readonly cookie?: string | undefined };
  readonly outcome: "admitted" | "inside";
}

type Told = Exclude<MeshDecision, { kind: "used" }>;

const ID_BYTES = 16;

/** How much later than usual a visitor is to ask again whom a hard-pressed node sent away. At 1 they would be back before it is over. */
const SHED_REFRESH_FACTOR = 2;

/** Joining takes a second or two. */
const NOT_READY_RETRY_SECONDS = 2;

/**
 * Longest wait for the check-in of a session whose home is another node, once a minute: an ocean and back. Doubled, a dead home
 * is felt; halved, visitors of a far home get their cookie with a later request of the minute more often.
 */
const CHECK_IN_WAIT_MS = 100;

export class Gate {
  readonly #options: GateOptions;
  readonly #cookies: VisitorCookies;
  readonly #toOrigin: ToOrigin;
  readonly #refusals: Refusals;
  /** Requests that matched no room. */
  unmatched = 0;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#cookies = new VisitorCookies({ ...options, startedMs: options.clock() });
    this.#refusals = new Refusals(options);
    this.#toOrigin = new ToOrigin({ ...options, cookies: this.#cookies, refusals: this.#refusals });
  }

  /** Requests that an origin failed, by how. */
  get failures(): ToOrigin["failures"] {
    return this.#toOrigin.failures;
  }

  /** Decides what happens to a request, and does it. */
  handle(exchange: Exchange): void {
    if (this.#toOrigin.refusesLoop(exchange)) return;
    this.#options.beforeStep();
    const { rooms, clock, trustedProxies, defaultOrigin, proxies } = this.#options;
    proxies.look(exchange);
    const client = clientOf(exchange, trustedProxies);
    const live = rooms.find(exchange.request.host, exchange.request.target);
    if (live === CONTESTED) {
      this.#refusals.answer(exchange, GATE_ERRORS.contested);
      return;
    }
    if (live === undefined && !this.#options.isReady()) {
      // Which rooms there are is not known yet: keeps out.
      this.#refusals.answer(exchange, GATE_ERRORS.busy, { retryAfterSeconds: NOT_READY_RETRY_SECONDS });
      return;
    }
    if (live === undefined) {
      this.unmatched += 1;
      this.#toOrigin.forward({ exchange, client, to: defaultOrigin });
      return;
    }
    const visit = { exchange, live, client, kind: requestKind(exchange, live.room), nowMs: clock() };
    if (live.room.suspended) this.#pass(visit, "passed");
    else if (isIn(client.address, live.bypass)) this.#pass(visit, "bypassed");
    else this.#visit(visit, this.#cookies.read(visit));
  }

  #visit(visit: Visit, cookie: VisitorCookie | undefined): void {
    const { live, kind, nowMs } = visit;
    if (cookie?.kind === "inside") this.#inside(visit, cookie);
    else if (this.#isShed(cookie)) this.#shed(visit);
    else if (!kind.takesPlace) this.#passWhileOpen(visit);
    else if (cookie === undefined && this.#isCookieless(visit)) this.#askForCookies(visit);
    else if (cookie === undefined) this.#arrive(visit);
    else {
      this.#options.commit.wake();
      live.mesh.poll(cookie.id, cookie.key, nowMs, (decision) => {
        if (decision.kind !== "used") this.#decided(visit, { decision, id: cookie.id, before: cookie });
        else {
          live.counts.badCookies.used += 1;
          this.#arrive(visit);
        }
      });
    }
  }

  #inside(visit: Visit, cookie: InsideCookie): void {
    const { live, nowMs } = visit;
    const { id, home, lastGood, lastCheckInTime } = cookie;
    let restsAt = home;
    const target = live.origin.keep(id, cookie.target, nowMs);
    // Of a check-in that is answered while the request is at the origin: its cookie goes out with the answer.
    const late: { cookie?: string | undefined } = {};
    const end = new FirstOnly();
    const goOn = (value?: string): void =>
      end.take(() => this.#letIn(visit, { id, home: restsAt, target, cookie: value, late, outcome: "inside" }));
    if (minuteOf(lastCheckInTime, this.#options.minuteMs) >= live.admission.minuteAt(nowMs)) {
      goOn();
      return;
    }
    target?.seen(nowMs);
    let isAnswered = false;
    this.#options.commit.wake();
    // Not beside the request to the origin: a fast one would win each time, and an active visitor's stay would end.
    live.mesh.checkIn({ id, home, lastGood }, nowMs, (stay) => {
      isAnswered = true;
      if (stay.kind === "acknowledged") {
        restsAt = stay.home;
        const { target: _, ...kept } = cookie;
        const extended = {
          ...kept,
          home: stay.home,
          lastCheckInTime: nowMs,
          lastGood: stay.lastGood,
          ...targetOf(live, target),
        };
        this.#options.commit.afterCommit((isOnDisk) => {
          if (!isOnDisk) goOn();
          else
            this.#cookies.write(visit, extended, (value) => {
              late.cookie = value;
              goOn(value);
            });
        });
      } else if (stay.kind === "unchanged") goOn();
      else if (stay.kind === "unsure") end.take(() => this.#turnAway(visit, GATE_ERRORS.busy));
      else
        end.take(() => {
          // Nobody holds a slot for this session, or its origin ended it.
          live.counts.badCookies[stay.kind] += 1;
          this.#visit(visit, undefined);
        });
    });
    // A home far away or gone: the visitor does not wait for it; a later request of this minute gets the cookie.
    if (!isAnswered) setTimeout(goOn, CHECK_IN_WAIT_MS);
  }

  /** Whether a waiting page asks whose browser keeps no cookies: each of its questions would take another slot or place. */
  #isCookieless(visit: Visit): boolean {
    const { queueingMethod, queueAll } = visit.live.room;
    const takes = queueingMethod === "fifo" || queueAll;
    return takes && visit.kind.asksAgain && !this.#cookies.isKept(visit);
  }

  #askForCookies(visit: Visit): void {
    visit.live.counts.requests.cookieless += 1;
    this.#answerWaiting(visit, { kind: "cookieless" }, ["Set-Cookie", this.#cookies.probe(visit)]);
  }

  #arrive(visit: Visit): void {
    const { live, client, nowMs } = visit;
    const { newPlacesPerAddressPerMinute } = live.room;
    const minute = live.admission.minuteAt(nowMs);
    if (!live.addressLimit.take(addressGroup(client.address), minute, newPlacesPerAddressPerMinute)) {
      this.#turnAway(visit, GATE_ERRORS.addressLimited, "address_limited");
      return;
    }
    const id = randomBytes(ID_BYTES).toString("base64url");
    this.#options.commit.wake();
    live.mesh.arrive(id, nowMs, (decision) => {
      if (decision.kind === "used") this.#turnAway(visit, GATE_ERRORS.busy);
      else this.#decided(visit, { decision, id, before: undefined });
    });
  }

  #decided(visit: Visit, told: { decision: Told; id: string; before: WaitingCookie | undefined }): void {
    const { decision, id, before } = told;
    const { live, nowMs } = visit;
    if (decision.kind === "admitted") {
      this.#admit(visit, { id, home: decision.home, lastGood: decision.lastGood });
      return;
    }
    const outcome = decision.kind === "waiting" ? (before === undefined ? "joined" : "polled") : decision.kind;
    live.counts.requests[outcome] += 1;
    const isCookieFresh = before !== undefined && this.#cookies.isFresh(before, live, nowMs);
    if (decision.kind !== "waiting" || isCookieFresh) {
      // Who has no place has no cookie: without another one the page's next question would look like a cookieless one.
      this.#answerWaiting(visit, decision, before === undefined ? ["Set-Cookie", this.#cookies.probe(visit)] : []);
      return;
    }
    const bucketId = before?.bucketId ?? this.#cookies.bucketOf(nowMs);
    const cookie: WaitingCookie = {
      kind: "waiting",
      room: live.id,
      id,
      key: decision.place.key,
      bucketId,
      lastCheckInTime: nowMs,
    };
    this.#cookies.write(visit, cookie, (value) => {
      if (value === undefined) this.#turnAway(visit, GATE_ERRORS.busy);
      else this.#answerWaiting(visit, decision, ["Set-Cookie", value]);
    });
  }

  #admit(visit: Visit, { id, home, lastGood }: { id: string; home: AccountId; lastGood: Minute }): void {
    const { live, nowMs } = visit;
    const target = live.origin.choose(id, nowMs);
    target?.seen(nowMs);
    const cookie: InsideCookie = {
      kind: "inside",
      room: live.id,
      id,
      home,
      bucketId: this.#cookies.bucketOf(nowMs),
      lastCheckInTime: nowMs,
      acceptedAt: nowMs,
      lastGood,
      ...targetOf(live, target),
    };
    this.#options.commit.afterCommit((isOnDisk) => {
      if (!isOnDisk) {
        live.mesh.withdraw(id);
        this.#turnAway(visit, GATE_ERRORS.busy);
      } else
        this.#cookies.write(visit, cookie, (value) => {
          if (value === undefined) this.#turnAway(visit, GATE_ERRORS.busy);
          else this.#letIn(visit, { id, home, target, cookie: value, outcome: "admitted" });
        });
    });
  }

  /** Passes a request of a session on; `cookie` is the Set-Cookie value of one that is new or extended. */
  #letIn(visit: Visit, told: LetIn): void {
    const { live, exchange, client, kind, nowMs } = visit;
    const { id, home, target, cookie, late, outcome } = told;
    live.counts.requests[outcome] += 1;
    if (kind.isPagePoll) {
      const json = admittedJson(live.origin.isReachable(nowMs));
      exchange.answer(200, withSetCookie(JSON_HEADERS, cookie), json);
    } else {
      const to = target && { live, target, key: id };
      this.#toOrigin.forward({ exchange, client, to, session: { live, id, home }, cookie, late });
    }
  }

  #answerWaiting(visit: Visit, decision: Parameters<typeof waitingView>[0], headers: HeaderList): void {
    const { live, kind, nowMs, exchange } = visit;
    const { wantsJson, isPosted: posted } = kind;
    const view = waitingView(decision, live.room, { nowMs, posted, isOriginDown: !live.origin.isReachable(nowMs) });
    const answer = waitingAnswer(view, live.room, {
      wantsJson,
      isPlain: this.#options.pressure() >= LEVELS.plain,
      isNew: decision.kind === "waiting" && headers.length > 0,
      again: markedTarget(exchange.request.target, posted ? ["again", "posted"] : ["again"]),
    });
    if (answer.templateProblem !== undefined) {
      this.#options.log.warn(
        { room: live.room.name, problem: answer.templateProblem },
        "template not rendered, built-in page used",
      );
    }
    exchange.answer(answer.status, [...answer.headers, ...headers], answer.body);
  }

  /** A request without a session that takes neither slot nor place: an asset, a HEAD, a frame of another site. */
  #passWhileOpen(visit: Visit): void {
    const isPreflight = visit.kind.isPreflight && this.#takePreflight(visit);
    if (isPreflight || visit.live.mesh.isOpen(visit.nowMs)) this.#pass(visit, "passed", isPreflight);
    else if (visit.kind.isForeignForm) this.#askAgain(visit);
    else this.#turnAway(visit, GATE_ERRORS.busy);
  }

  /** The same by GET, for which the browser sends the cookie: its visitor may be inside, or have a place in line. */
  #askAgain({ live, exchange }: Visit): void {
    live.counts.requests.sent_back += 1;
    const { target, method } = exchange.request;
    const { status, headers } = sendTo(markedTarget(target, ["posted"]), method);
    exchange.answer(status, headers, "");
  }

  #takePreflight({ live, client, nowMs }: Visit): boolean {
    const { room, preflights, admission } = live;
    return preflights.take(addressGroup(client.address), admission.minuteAt(nowMs), room.totalActiveUsers);
  }

  /** Lets a request through that has no session and takes none. */
  #pass({ exchange, live, client, kind, nowMs }: Visit, outcome: Outcome, isPreflight = false): void {
    live.counts.requests[outcome] += 1;
    if (kind.isPagePoll) {
      exchange.answer(200, JSON_HEADERS, admittedJson(live.origin.isReachable(nowMs)));
      return;
    }
    const key = client.address;
    const target = live.origin.choose(key, nowMs);
    this.#toOrigin.forward({ exchange, client, to: target && { live, target, key }, isPreflight });
  }

  /** Whether this node is too hard-pressed for who is not inside: first those who are new, last those in line. */
  #isShed(cookie: VisitorCookie | undefined): boolean {
    const level = this.#options.pressure();
    if (level < LEVELS.closed) return false;
    return cookie === undefined || level >= LEVELS.bare;
  }

  /** The cheapest answer there is: keeps out, and a place in line is kept, as it is in the cookie. */
  #shed({ live, exchange }: Visit): void {
    live.counts.requests.shed += 1;
    const retryAfterSeconds = live.room.refreshIntervalSeconds * SHED_REFRESH_FACTOR;
    this.#refusals.answer(exchange, GATE_ERRORS.shed, { retryAfterSeconds, fields: { room: live.room.name } });
  }

  /** Keeps out without a place in line; nothing reaches the origin. */
  #turnAway(visit: Visit, error: GateError, outcome: Outcome = "turned_away"): void {
    const { live, exchange } = visit;
    live.counts.requests[outcome] += 1;
    const retryAfterSeconds = live.room.refreshIntervalSeconds;
    this.#refusals.answer(exchange, error, { retryAfterSeconds, fields: { room: live.room.name } });
  }
}

/** What a cookie says of its session's target: nothing where the room has one only. */
function targetOf({ origin }: LiveRoom, target: Target | undefined): Pick<InsideCookie, "target"> {
  return target !== undefined && origin.isSeveral ? { target: target.id } : {};
}
