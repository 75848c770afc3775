/**
 * The gate: carries out what `request-step.ts` decides about each request, and returns the results to it.
 *
 * It waits for the room's answer, the disk, the seal and the origin; timers and chance come from `gate-context.ts`.
 * Sockets and HTTP belong to node/http.
 */

import type { MeshDecision } from "../admission/mesh/entrance.ts";
import type { LaneKeys } from "../cookie/lane-keys.ts";
import type { PassMaker } from "../cookie/pass.ts";
import { CHALLENGE_MS, type ProofOfWork } from "../cookie/proof-of-work.ts";
import type { CookieSeal, InsideCookie, VisitorCookie, WaitingCookie } from "../cookie/seal.ts";
import { type Cidr, type Client, clientOf, forwardedField, forwardedHost } from "../http/client.ts";
import { NO_STORE } from "../http/fields.ts";
import type { Exchange, OriginTarget } from "../http/message.ts";
import type { ContactSeal } from "../keys/contact-seal.ts";
import type { PushKeys } from "../keys/push-keys.ts";
import type { MayPush } from "../keys/push-subscription.ts";
import type { VisitorKeys } from "../keys/visitor-keys.ts";
import { Recent } from "../recent.ts";
import { CONTESTED } from "../rooms/match.ts";
import { type Rooms, UNREADABLE } from "../rooms/rooms.ts";
import type { Lookups } from "../rules/lookups.ts";
import type { ConnectorParts, Connectors } from "./connectors.ts";
import type { CrawlerLookup, CrawlerStanding } from "./crawler-proofs.ts";
import { CrawlerStandings } from "./crawler-standing.ts";
import { DrawAnswers, isDrawPath } from "./draw-answers.ts";
import { Ends } from "./ends.ts";
import { GATE_ERRORS } from "./error-page.ts";
import { FastLane, mayPassBy } from "./fast-lane.ts";
import { isAuthTarget, questionOf } from "./forward-auth.ts";
import type { GateContext } from "./gate-context.ts";
import { tellOfSession } from "./help-desk.ts";
import { type Often, slotTakers, unmatchedHosts } from "./often.ts";
import { claimFor, claimPass, giveUpClaim, NO_PASS, passCookie, passSeen, renewClaim } from "./passes.ts";
import type { PressureLevel } from "./pressure.ts";
import type { ProxyWatch } from "./proxy-watch.ts";
import { answersWorker } from "./push-page.ts";
import { Refusals } from "./refusals.ts";
import { requestKind } from "./request-kind.ts";
import {
  afterCheckIn,
  afterCommit,
  afterCookie,
  afterDeadline,
  afterDecision,
  afterLane,
  afterProof,
  afterSeal,
  asksToEnter,
  endUnasked,
  passInUse,
  refuseBlocked,
  rulingOf,
} from "./request-step.ts";
import type { NewVisitor, Question, Request, Step } from "./steps.ts";
import { ToOrigin } from "./to-origin.ts";
import type { Tracing } from "./tracing.ts";
import { VisitorCookies } from "./visitor-cookies.ts";
import { VisitorHeader } from "./visitor-header.ts";
import { WaitingPages } from "./waiting-pages.ts";

export interface GateOptions extends GateContext {
  readonly seal: CookieSeal;
  readonly passes: PassMaker;
  readonly laneKeys: LaneKeys;
  readonly visitorKeys: VisitorKeys;
  readonly proof: ProofOfWork;
  readonly contactSeal: ContactSeal;
  readonly pushKeys: PushKeys;
  /** Left out: to the push services of browsers. */
  readonly mayPush?: MayPush | undefined;
  /** Whether this node knows the mesh's rooms. */
  readonly isReady: () => boolean;
  /** Whether new visitors should be sent here. */
  readonly isHealthy: () => boolean;
  readonly defaultOrigin: OriginTarget | undefined;
  readonly trustedProxies: readonly Cidr[];
  /** The field in which they name the client, in lower case; undefined for X-Forwarded-For. */
  readonly clientAddressField?: string | undefined;
  /** Finds out whose crawler an address is. */
  readonly crawlerLookup: CrawlerLookup;
  /** What an operator's files say of senders. */
  readonly lookups: () => Lookups;
  /** Sees each request that no trusted proxy sent, to notice proxies that are not trusted. */
  readonly proxies: ProxyWatch;
  readonly originSecret: string | undefined;
  readonly connectors: (parts: ConnectorParts) => Connectors;
  /** The mark by which a request that was here before is recognised (`client.ts`). */
  readonly loopName: string;
  /** Records some requests; undefined where traces are off. */
  readonly tracing?: Tracing | undefined;
  /** The pressure on this node. */
  readonly pressure: () => PressureLevel;
  /** Unix ms at which a node was last alive on this data directory; undefined on the first start. */
  readonly lastAliveMs: number | undefined;
}

/** In all addresses that the gate answers itself. */
const OWN = "/.anteroom/";

/** Where load balancers ask, at any host, whether to send visitors here; it is never a visit. */
export const HEALTH_TARGET = `${OWN}health`;

/** The field of that answer with the address that counts as the client's, so that an operator sees who a proxy hides. */
export const CLIENT_FIELD = "Anteroom-Client";

/** Joining takes a second or two. */
const NOT_READY_RETRY_SECONDS = 2;

/**
 * Longest wait for the check-in of a session whose home is another node, once a minute: a round trip across an ocean.
 * Doubled, a dead home is noticeable; halved, visitors of a far home more often get their cookie with a later request
 * of the minute.
 */
const CHECK_IN_WAIT_MS = 100;

/**
 * Visitors remembered whose proof came, about 2 MB. Above it, a proof that is sent again counts another new visitor;
 * doubled, it takes twice the memory.
 */
const PROVED_MAX = 20_000;

export class Gate {
  readonly #options: GateOptions;
  readonly fastLane: FastLane;
  readonly slotTakers: Often;
  readonly unmatchedHosts: Often;
  readonly #cookies: VisitorCookies;
  readonly #toOrigin: ToOrigin;
  readonly #refusals: Refusals;
  readonly #connectors: Connectors;
  readonly #draws: DrawAnswers;
  readonly #crawlers: CrawlerStandings;
  readonly #ends: Ends;
  /** Ids of visitors whose proof came. */
  readonly #proved = new Recent<string, true>({ max: PROVED_MAX, forMs: CHALLENGE_MS });
  /** Requests that matched no room. */
  unmatched = 0;

  constructor(options: GateOptions) {
    this.#options = options;
    this.fastLane = new FastLane({ ...options, keys: options.laneKeys });
    this.slotTakers = slotTakers(options.log);
    this.unmatchedHosts = unmatchedHosts(options.log);
    this.#cookies = new VisitorCookies({ ...options, startedMs: options.clock() });
    this.#refusals = new Refusals(options);
    this.#draws = new DrawAnswers(this.#refusals);
    this.#connectors = options.connectors({ ...options, cookies: this.#cookies, refusals: this.#refusals });
    this.#crawlers = new CrawlerStandings({ ...options, lookup: options.crawlerLookup });
    const visitors = new VisitorHeader({ ...options, keys: options.visitorKeys });
    const passLost = this.#endSession.bind(this);
    this.#toOrigin = new ToOrigin({ ...options, cookies: this.#cookies, refusals: this.#refusals, visitors, passLost });
    this.#ends = new Ends({
      ...options,
      slotTakers: this.slotTakers,
      fastLane: this.fastLane,
      cookies: this.#cookies,
      toOrigin: this.#toOrigin,
      refusals: this.#refusals,
      connectors: this.#connectors,
      waiting: new WaitingPages({ ...options, cookies: this.#cookies }),
    });
  }

  /** Requests that an origin failed, by how. */
  get failures(): ToOrigin["failures"] {
    return this.#toOrigin.failures;
  }

  /** Decides what happens to a request, and does it. */
  handle(exchange: Exchange): void {
    const { target, headers } = exchange.request;
    const isOwn = target.includes(OWN);
    if (isOwn && (target === HEALTH_TARGET || target.startsWith(`${HEALTH_TARGET}?`))) {
      this.#answerHealth(exchange);
      return;
    }
    if (isOwn && answersWorker(exchange)) return;
    const { rooms, clock, minuteMs, trustedProxies, clientAddressField, defaultOrigin, proxies, pressure } =
      this.#options;
    const startedMs = this.#options.surroundings.steadyMs();
    const client = clientOf(exchange, trustedProxies, clientAddressField);
    this.#follow(exchange, client, startedMs);
    if (this.#toOrigin.refusesLoop(exchange)) return;
    const nowMs = clock();
    rooms.turn(nowMs);
    const claim = client.proxied ? undefined : forwardedField(headers);
    if (claim !== undefined) proxies.look(exchange.remoteAddress, claim);
    if (isOwn && isAuthTarget(target)) {
      const asked = questionOf(exchange, client.proxied);
      if (asked !== undefined) this.handle(asked);
      return;
    }
    const live = this.#roomOf(exchange, client);
    if (live === CONTESTED) {
      this.#refusals.answer(exchange, GATE_ERRORS.contested);
      return;
    }
    if (live === UNREADABLE || (live === undefined && !this.#options.isReady())) {
      // The rooms are not known yet, or not the limits of this one: refuses the request.
      this.#refusals.answer(exchange, GATE_ERRORS.busy, { retryAfterSeconds: NOT_READY_RETRY_SECONDS });
      return;
    }
    const mayBeConnectors =
      live?.declared.queueIt !== undefined || live === undefined || target.startsWith(this.#connectors.ownPath);
    if (mayBeConnectors && this.#connectors.answers({ exchange, client, nowMs }, live)) return;
    if (live === undefined) {
      this.unmatched += 1;
      const { host } = exchange.request;
      if (defaultOrigin !== undefined && !rooms.routes.names(host)) this.unmatchedHosts.note(host, nowMs);
      if (exchange.trail !== undefined) exchange.trail.outcome = "unmatched";
      this.#toOrigin.forward({ exchange, client, to: defaultOrigin });
      return;
    }
    if (exchange.trail !== undefined) exchange.trail.room = live.room.name;
    if (exchange.question !== undefined && !mayPassBy(live)) {
      this.#toOrigin.sendHere(exchange);
      return;
    }
    if (isOwn && isDrawPath(exchange.request.target, live.room) && !live.room.suspended) {
      this.#draws.answer(exchange, live, { client, nowMs, pressure: pressure() });
      return;
    }
    const kind = requestKind(exchange, live.room);
    let standing: CrawlerStanding | undefined;
    const crawler = (): CrawlerStanding => {
      standing ??= this.#crawlers.of(exchange.request, client, nowMs);
      return standing;
    };
    // Without a spread: this is made for each request.
    const request: Request = {
      exchange,
      live,
      client,
      kind,
      crawler,
      lookups: this.#options.lookups,
      nowMs,
      minuteMs,
      pressure: pressure(),
      newId: this.#options.surroundings.newId,
      startedMs,
      isOverdue: false,
      seen: NO_PASS,
    };
    request.ruling = rulingOf(request);
    const end = endUnasked(request);
    if (end === undefined) this.#readCookie(request);
    else this.#ends.answer(request, end);
  }

  /**
   * The room of a request. What a trusted proxy says of the host counts only where `Host` leads to no room: many
   * proxies pass on what a visitor says there, which must lead out of no room.
   */
  #roomOf(exchange: Exchange, { proxied }: Client): ReturnType<Rooms["find"]> {
    const { rooms, trustedProxies } = this.#options;
    const { host, target } = exchange.request;
    const found = rooms.find(host, target);
    if (found !== undefined || !proxied || exchange.question !== undefined || rooms.routes.names(host)) return found;
    const named = forwardedHost(exchange, trustedProxies);
    if (named === undefined || named === host) return undefined;
    exchange.nameHost(named);
    return rooms.find(named, target);
  }

  /** Says no more than that: the reason is for the operator, at the admin address. */
  #answerHealth(exchange: Exchange): void {
    const { trustedProxies, clientAddressField } = this.#options;
    const isHealthy = this.#options.isHealthy();
    const { address } = clientOf(exchange, trustedProxies, clientAddressField);
    const headers = [...NO_STORE, "Content-Type", "text/plain; charset=utf-8", CLIENT_FIELD, address];
    exchange.answer(isHealthy ? 200 : 503, headers, isHealthy ? "ok\n" : "not ready\n");
  }

  /** Keeps what becomes of a request, where somebody wants to know it; a question has that of its request. */
  #follow(exchange: Exchange, client: Client, startedMs: number): void {
    const { hasAccessLog, tracing } = this.#options;
    if (exchange.trail !== undefined) return;
    const trace = tracing?.begin(exchange, client);
    if (!hasAccessLog && trace === undefined) return;
    exchange.trail = { startedMs, outcome: "refused", ...(trace && { trace }) };
  }

  /** Takes a request's next step. */
  #take(request: Request, step: Step): void {
    if (request.isOverdue) return;
    const { live, nowMs } = request;
    const { commit, proof } = this.#options;
    request.step = step;
    switch (step.kind) {
      case "start over":
        live.counts.badCookies[step.badCookie] += 1;
        if (step.ended !== undefined) this.#endByOrder(request, step.ended);
        this.#readPass(request, undefined);
        break;
      case "arrive":
        this.#claimAndEnter(request, step.visitor, step.before);
        break;
      case "check proof":
        proof.check(step.proof, step.place, nowMs, (verdict) =>
          this.#take(request, afterProof(request, step, verdict)),
        );
        break;
      case "poll":
        this.#poll(request, step);
        break;
      case "check in":
        this.#checkIn(request, step);
        break;
      case "commit":
        if (step.end.outcome === "admitted") step.end.session.target?.seen(nowMs);
        commit.afterCommit((isOnDisk) => {
          if (step.isNew && !isOnDisk) giveUpClaim(request, step.cookie);
          if (step.isNew && isOnDisk) live.counts.admissions += 1;
          this.#take(request, afterCommit(step, isOnDisk));
        });
        break;
      case "seal":
        this.#cookies.write(request, step.cookie, (setCookie) => this.#take(request, afterSeal(step, setCookie)));
        break;
      default:
        this.#ends.answer(request, step);
    }
  }

  #readCookie(request: Request): void {
    const { cookie, over, blocked } = this.#cookies.read(request);
    if (blocked !== undefined) this.#take(request, refuseBlocked(blocked));
    else if (over === undefined) this.#readPass(request, cookie);
    else this.#askWhetherOver(request, over);
  }

  /** A session that is over by its cookie may have been extended since; only its home knows. */
  #askWhetherOver(request: Request, session: InsideCookie): void {
    const { live, nowMs } = request;
    let isAnswered = false;
    const goOn = (good: InsideCookie | undefined): void => {
      if (isAnswered) return;
      isAnswered = true;
      if (good === undefined) live.counts.badCookies.expired += 1;
      this.#readPass(request, good);
    };
    live.meshRoom.known(session, nowMs, (lastGood, thenMs) => {
      const isGood = lastGood !== undefined && lastGood >= live.admission.minuteAt(thenMs);
      goOn(isGood ? { ...session, lastGood } : undefined);
    });
    if (!isAnswered) this.#options.surroundings.after(CHECK_IN_WAIT_MS, () => goOn(undefined));
  }

  /** Looks for a pass, unless the visitor has a session. */
  #readPass(request: Request, cookie: VisitorCookie | undefined): void {
    if (request.kind.mayShowPass && cookie?.kind !== "inside") {
      request.seen = passSeen(this.#options.passes, request);
      request.passCookie = passCookie(request.seen, request);
    }
    this.#take(request, afterCookie(request, cookie, request.seen));
  }

  /** A visitor with a place in line. */
  #poll(request: Request, { cookie, isFirst }: Extract<Question, { kind: "poll" }>): void {
    // A queue key is the moment of joining, in µs.
    // One who was put at the front has an earlier key.
    request.joinedMs = Math.max(cookie.key / 1_000, cookie.bucketId);
    if (isFirst) this.#noteProved(request, cookie.id);
    this.#claimAndEnter(request, cookie);
  }

  /** A visitor who was outside the line until the proof came; one that is sent again with the old cookie is no other. */
  #noteProved({ live, nowMs }: Request, id: string): void {
    if (!this.#proved.use(id, nowMs)) live.meshRoom.noteNew(nowMs);
    this.#proved.set(id, true, nowMs);
    live.counts.provedJoins += 1;
  }

  /** The room is asked at once, but for a visitor whose pass is good for one: it must be claimed first. */
  #claimAndEnter(request: Request, visitor: NewVisitor | WaitingCookie, before?: WaitingCookie): void {
    this.#options.commit.wake();
    if (visitor.pass === undefined) {
      this.#enter(request, visitor, before);
      return;
    }
    claimPass(request, visitor, (isGranted) => {
      if (isGranted) this.#enter(request, visitor, before);
      else this.#take(request, passInUse());
    });
  }

  #enter(request: Request, visitor: NewVisitor | WaitingCookie, before: WaitingCookie | undefined): void {
    const { meshRoom } = request.live;
    const trialSeconds = asksToEnter(request) ? request.live.room.enterWithinSeconds : 0;
    const coming = { trialSeconds, lane: visitor.pass?.lane ?? 0 };
    const decided = (decision: MeshDecision): void => this.#decided(request, visitor, { decision, before });
    if ("kind" in visitor) {
      meshRoom.poll(visitor.id, visitor.key, request.nowMs, decided, { ...coming, line: visitor.line });
    } else meshRoom.arrive(visitor.id, request.nowMs, decided, coming);
  }

  /** `before`: the place of a visitor who asked for a better one. */
  #decided(
    request: Request,
    visitor: NewVisitor | WaitingCookie,
    { decision, before }: { decision: MeshDecision; before: WaitingCookie | undefined },
  ): void {
    const kept = before && afterLane(before, visitor.pass, decision);
    if (kept !== undefined) {
      this.#take(request, kept);
      return;
    }
    if (visitor.pass !== undefined) {
      if (!("kind" in visitor)) request.live.counts.passes.accepted += 1;
      claimFor(request, visitor, decision);
    }
    this.#take(request, afterDecision(request, visitor, decision));
  }

  /** The session of a visitor whose pass another one used before ends like one that the origin ends. */
  #endSession({ live, nowMs }: Pick<Request, "live" | "nowMs">, { id, home }: Pick<InsideCookie, "id" | "home">): void {
    // A connector would go on to let the visitor in: the slot is held.
    if (live.room.queueIt !== undefined || !live.meshRoom.revoke(id, home, nowMs)) return;
    live.counts.passes["in-use"] += 1;
    this.#options.commit.wake();
  }

  /** An operator takes a session away. */
  #endByOrder({ live, nowMs, minuteMs }: Request, session: InsideCookie): void {
    live.meshRoom.revoke(session.id, session.home, nowMs);
    this.#options.commit.wake();
    tellOfSession({ live, minuteMs }, session, session.lastGood);
  }

  #checkIn(request: Request, step: Extract<Question, { kind: "check in" }>): void {
    const { live, nowMs } = request;
    const { commit, surroundings } = this.#options;
    step.end.session.target?.seen(nowMs);
    commit.wake();
    live.meshRoom.checkIn(step.cookie, nowMs, (outcome) => {
      this.#take(request, afterCheckIn(request, step, outcome));
      if (outcome.kind !== "acknowledged") return;
      const session = { ...step.cookie, home: outcome.home, lastGood: outcome.lastGood };
      renewClaim(request, session, () => this.#endSession(request, session));
    });
    if (request.step !== step) return;
    // The home is far away or gone: the visitor does not wait for it. Its answer is remembered (`check-ins.ts`), and a
    // later request of this minute gets the cookie.
    surroundings.after(CHECK_IN_WAIT_MS, () => {
      const end = afterDeadline(request.step);
      if (end === undefined) return;
      request.isOverdue = true;
      this.#ends.answer(request, end);
    });
  }
}
