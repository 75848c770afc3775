/**
 * The gate: one request from its head to its decision.
 *
 * Room by host and longest path → suspended, bypass → cookie → inside, in line or new → origin or page. Every admission
 * and every extension of a stay is on disk before a cookie tells of it; the request goes on once its cookie is sealed.
 * Bad input never throws: a cookie that does not open makes a new visitor. Sockets and HTTP are node/gate/http's.
 */

import { randomBytes } from "node:crypto";
import type { Minute } from "../../mesh/core/ids.ts";
import { minuteOf } from "../../mesh/core/minute.ts";
import type { Decision } from "../admission/admission.ts";
import type { CheckIn } from "../admission/sessions.ts";
import type { CookieSeal, InsideCookie, VisitorCookie, WaitingCookie } from "../cookie/seal.ts";
import type { GroupCommit } from "../group-commit.ts";
import type { LiveRoom } from "../live-room.ts";
import type { Log } from "../log.ts";
import type { Outcome } from "../room-counts.ts";
import type { Rooms } from "../rooms.ts";
import { addressGroup, type Cidr, type Client, clientOf, isIn } from "./client.ts";
import { withSetCookie } from "./cookie-header.ts";
import { answerError, GATE_ERRORS, type GateError } from "./error-page.ts";
import type { Exchange, HeaderList, OriginTarget } from "./http/message.ts";
import { CONTESTED } from "./match.ts";
import { type RequestKind, requestKind } from "./request-kind.ts";
import { ToOrigin } from "./to-origin.ts";
import { VisitorCookies } from "./visitor-cookies.ts";
import { JSON_HEADERS, waitingAnswer, waitingView } from "./waiting-answer.ts";
import { admittedJson } from "./waiting-json.ts";

export interface GateOptions {
  readonly rooms: Rooms;
  readonly seal: CookieSeal;
  readonly commit: GroupCommit;
  readonly clock: () => number;
  readonly minuteMs: number;
  readonly defaultOrigin: OriginTarget | undefined;
  readonly trustedProxies: readonly Cidr[];
  readonly originSecret: string | undefined;
  readonly log: Log;
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

const ID_BYTES = 16;

export class Gate {
  readonly #options: GateOptions;
  readonly #cookies: VisitorCookies;
  readonly #toOrigin: ToOrigin;
  /** Requests that matched no room. */
  unmatched = 0;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#cookies = new VisitorCookies({ ...options, startedMs: options.clock() });
    this.#toOrigin = new ToOrigin({ ...options, cookies: this.#cookies });
  }

  /** Requests that an origin failed, by how. */
  get failures(): ToOrigin["failures"] {
    return this.#toOrigin.failures;
  }

  /** Decides what happens to a request, and does it. */
  handle(exchange: Exchange): void {
    const { rooms, clock, trustedProxies, defaultOrigin } = this.#options;
    const client = clientOf(exchange, trustedProxies);
    const live = rooms.find(exchange.request.host, exchange.request.target);
    if (live === CONTESTED) {
      answerError(exchange, GATE_ERRORS.contested);
      return;
    }
    if (live === undefined) {
      this.unmatched += 1;
      this.#toOrigin.forward({ exchange, client, origin: defaultOrigin });
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
    else if (!kind.takesPlace) this.#passWhileOpen(visit);
    else if (cookie === undefined) this.#arrive(visit);
    else {
      const decision = live.admission.poll(cookie.id, cookie.key, nowMs);
      if (decision.kind !== "used") this.#decided(visit, { decision, id: cookie.id, before: cookie });
      else {
        live.counts.badCookies.used += 1;
        this.#arrive(visit);
      }
    }
  }

  #inside(visit: Visit, cookie: InsideCookie): void {
    const { live, nowMs } = visit;
    const goOn = (value?: string): void => this.#letIn(visit, { id: cookie.id, cookie: value, outcome: "inside" });
    const checkIn = this.#checkIn(visit, cookie);
    if (checkIn === undefined) {
      goOn();
      return;
    }
    if (checkIn.kind !== "acknowledged") {
      // Nobody holds a slot for this session, or its origin ended it.
      live.counts.badCookies[checkIn.kind] += 1;
      this.#visit(visit, undefined);
      return;
    }
    // Not beside the request to the origin: a fast one would win each time, and an active visitor's stay would end.
    const extended = { ...cookie, home: live.home, lastCheckInTime: nowMs, lastGood: checkIn.lastGood };
    this.#afterCommit(live, (isOnDisk) => {
      if (isOnDisk) this.#cookies.write(visit, extended, goOn);
      else goOn();
    });
  }

  /** The check-in that a session's first request in a minute is; undefined for its other requests. */
  #checkIn({ live, nowMs }: Visit, { id, home, lastGood, lastCheckInTime }: InsideCookie): CheckIn | undefined {
    if (home !== live.home) return live.admission.adopt(id, lastGood, nowMs);
    const isFirst = minuteOf(lastCheckInTime, this.#options.minuteMs) < live.admission.minuteAt(nowMs);
    return isFirst ? live.admission.checkIn(id, lastGood, nowMs) : undefined;
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
    this.#decided(visit, { decision: live.admission.arrive(id, nowMs), id, before: undefined });
  }

  #decided(visit: Visit, told: { decision: Decision; id: string; before: WaitingCookie | undefined }): void {
    const { decision, id, before } = told;
    const { live, nowMs } = visit;
    if (decision.kind === "admitted") {
      this.#admit(visit, id, decision.lastGood);
      return;
    }
    const outcome = decision.kind === "waiting" ? (before === undefined ? "joined" : "polled") : decision.kind;
    live.counts.requests[outcome] += 1;
    const isCookieFresh = before !== undefined && this.#cookies.isFresh(before, live, nowMs);
    if (decision.kind !== "waiting" || isCookieFresh) {
      this.#answerWaiting(visit, decision, []);
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

  #admit(visit: Visit, id: string, lastGood: Minute): void {
    const { live, nowMs } = visit;
    const cookie: InsideCookie = {
      kind: "inside",
      room: live.id,
      id,
      home: live.home,
      bucketId: this.#cookies.bucketOf(nowMs),
      lastCheckInTime: nowMs,
      acceptedAt: nowMs,
      lastGood,
    };
    this.#afterCommit(live, (isOnDisk) => {
      if (!isOnDisk) this.#turnAway(visit, GATE_ERRORS.busy);
      else
        this.#cookies.write(visit, cookie, (value) => {
          if (value === undefined) this.#turnAway(visit, GATE_ERRORS.busy);
          else this.#letIn(visit, { id, cookie: value, outcome: "admitted" });
        });
    });
  }

  /** Passes a request of a session on; `cookie` is the Set-Cookie value of one that is new or extended. */
  #letIn(visit: Visit, told: { id: string; cookie: string | undefined; outcome: "admitted" | "inside" }): void {
    const { live, exchange, client, kind } = visit;
    const { id, cookie, outcome } = told;
    live.counts.requests[outcome] += 1;
    if (kind.isPagePoll) exchange.answer(200, withSetCookie(JSON_HEADERS, cookie), admittedJson());
    else this.#toOrigin.forward({ exchange, client, origin: live.origin, session: { live, id }, cookie });
  }

  #answerWaiting(visit: Visit, decision: Exclude<Decision, { kind: "admitted" }>, headers: HeaderList): void {
    const { live, kind, nowMs, exchange } = visit;
    const answer = waitingAnswer(waitingView(decision, live.room, nowMs), live.room, kind.wantsJson);
    if (answer.templateProblem !== undefined) {
      this.#options.log.warn(
        { room: live.room.name, problem: answer.templateProblem },
        "template not rendered, built-in page used",
      );
    }
    exchange.answer(answer.status, [...answer.headers, ...headers], answer.body);
  }

  /** A request without a session that takes neither slot nor place: an asset, a HEAD, a POST. */
  #passWhileOpen(visit: Visit): void {
    if (visit.kind.isPreflight || visit.live.admission.isOpen(visit.nowMs)) this.#pass(visit, "passed");
    else this.#turnAway(visit, GATE_ERRORS.busy);
  }

  /** Lets a request through that has no session and takes none. */
  #pass({ exchange, live, client, kind }: Visit, outcome: Outcome): void {
    live.counts.requests[outcome] += 1;
    if (kind.isPagePoll) exchange.answer(200, JSON_HEADERS, admittedJson());
    else this.#toOrigin.forward({ exchange, client, origin: live.origin });
  }

  /** Keeps out without a place in line; nothing reaches the origin. */
  #turnAway(visit: Visit, error: GateError, outcome: Outcome = "turned_away"): void {
    const { live, exchange } = visit;
    live.counts.requests[outcome] += 1;
    answerError(exchange, error, ["Retry-After", String(live.room.refreshIntervalSeconds)]);
  }

  /** Goes on once the room's slots are on disk as they are now; with `false` if the disk refused. */
  #afterCommit(live: LiveRoom, then: (isOnDisk: boolean) => void): void {
    this.#options.commit.afterCommit(live.id, () => live.admission.record, then);
  }
}
