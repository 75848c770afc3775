/**
 * The gate: carries out what `request-step.ts` decides about each request, and returns the results to it.
 *
 * It is the only place in the gate with timers, chance and waiting: the room's answer, the disk, the seal, the origin.
 * Sockets and HTTP belong to node/http.
 */

import { withSetCookie } from "../cookie/cookie-header.ts";
import type { CookieSeal } from "../cookie/seal.ts";
import { type Cidr, clientOf } from "../http/client.ts";
import type { Exchange, OriginTarget } from "../http/message.ts";
import { DEFAULT_LANGUAGE } from "../languages/texts.ts";
import type { Log, LogLevel } from "../log.ts";
import { CONTESTED } from "../rooms/match.ts";
import type { Rooms } from "../rooms/rooms.ts";
import type { CommitQueue } from "../storage/group-commit.ts";
import { answerFarewell, GATE_ERRORS, type GateError } from "./error-page.ts";
import { LogBudget } from "./log-budget.ts";
import { cleanTarget, markedTarget, onThisHost, sendTo } from "./marked-target.ts";
import { LEVELS, type PressureLevel } from "./pressure.ts";
import type { ProxyWatch } from "./proxy-watch.ts";
import { Refusals } from "./refusals.ts";
import { requestKind } from "./request-kind.ts";
import {
  afterCheckIn,
  afterCommit,
  afterCookie,
  afterDeadline,
  afterDecision,
  afterSeal,
  type End,
  firstStep,
  type LetIn,
  type Question,
  type Step,
  type Visit,
  type Wait,
} from "./request-step.ts";
import { supportId } from "./support-id.ts";
import type { Surroundings } from "./surroundings.ts";
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
  /** Called before each decision, so that questions to the mesh refer to that moment. */
  readonly beforeStep: () => void;
  readonly clock: () => number;
  readonly surroundings: Surroundings;
  readonly minuteMs: number;
  readonly defaultOrigin: OriginTarget | undefined;
  readonly trustedProxies: readonly Cidr[];
  /** Sees each request, to notice proxies that are not trusted. */
  readonly proxies: ProxyWatch;
  readonly originSecret: string | undefined;
  /** The mark by which a request that was here before is recognised (`loop.ts`). */
  readonly loopName: string;
  readonly log: Log;
  /** Whether the log takes lines of a level. */
  readonly isLogged: (level: LogLevel) => boolean;
  /** Whether each request has a line in the access log. */
  readonly hasAccessLog: boolean;
  /** The pressure on this node. */
  readonly pressure: () => PressureLevel;
  /** Unix ms at which a node was last alive on this data directory; undefined on the first start. */
  readonly lastAliveMs: number | undefined;
}

/** A request on its way through the gate. */
interface Request extends Visit {
  readonly exchange: Exchange;
  step: Step;
  /**
   * Whether it continued without its check-in: the cookie goes out with the origin's answer, if there is one by then.
   */
  isOverdue: boolean;
  readonly late: { cookie?: string | undefined };
}

/**
 * By how much longer than usual a visitor must wait whom a node under pressure sent away. At 1 they would be back
 * before the pressure is over.
 */
const SHED_REFRESH_FACTOR = 2;

/** Joining takes a second or two. */
const NOT_READY_RETRY_SECONDS = 2;

/**
 * Longest wait for the check-in of a session whose home is another node, once a minute: a round trip across an ocean.
 * Doubled, a dead home is noticeable; halved, visitors of a far home more often get their cookie with a later request
 * of the minute.
 */
const CHECK_IN_WAIT_MS = 100;

export class Gate {
  readonly #options: GateOptions;
  readonly #cookies: VisitorCookies;
  readonly #toOrigin: ToOrigin;
  readonly #refusals: Refusals;
  /** Lines about visitors who join a line. */
  readonly #joins: LogBudget;
  /** Requests that matched no room. */
  unmatched = 0;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#cookies = new VisitorCookies({ ...options, startedMs: options.clock() });
    this.#refusals = new Refusals(options);
    this.#joins = new LogBudget({ clock: options.clock, tell: (visitors) => this.#tellUnlogged(visitors) });
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
    const { rooms, clock, minuteMs, trustedProxies, defaultOrigin, proxies, pressure } = this.#options;
    proxies.look(exchange);
    const client = clientOf(exchange, trustedProxies);
    const live = rooms.find(exchange.request.host, exchange.request.target);
    if (live === CONTESTED) {
      this.#refusals.answer(exchange, GATE_ERRORS.contested);
      return;
    }
    if (live === undefined && !this.#options.isReady()) {
      // The rooms are not known yet: refuses the request.
      this.#refusals.answer(exchange, GATE_ERRORS.busy, { retryAfterSeconds: NOT_READY_RETRY_SECONDS });
      return;
    }
    if (live === undefined) {
      this.unmatched += 1;
      this.#toOrigin.forward({ exchange, client, to: defaultOrigin });
      return;
    }
    const kind = requestKind(exchange, live.room);
    const visit: Visit = { exchange, live, client, kind, nowMs: clock(), minuteMs, pressure: pressure() };
    const step = firstStep(visit);
    this.#take({ ...visit, exchange, step, isOverdue: false, late: {} }, step);
  }

  /** Takes a request's next step. */
  #take(request: Request, step: Step): void {
    const { live, nowMs } = request;
    const { commit, surroundings } = this.#options;
    request.step = step;
    switch (step.kind) {
      case "read cookie":
        this.#take(request, afterCookie(request, this.#cookies.read(request)));
        break;
      case "start over":
        if (request.isOverdue) break;
        live.counts.badCookies[step.badCookie] += 1;
        this.#take(request, afterCookie(request, undefined));
        break;
      case "arrive": {
        const id = surroundings.newId();
        commit.wake();
        live.meshRoom.arrive(id, nowMs, (decision) => this.#take(request, afterDecision(request, id, decision)));
        break;
      }
      case "poll": {
        const { cookie } = step;
        commit.wake();
        live.meshRoom.poll(cookie.id, cookie.key, nowMs, (decision) =>
          this.#take(request, afterDecision(request, cookie, decision)),
        );
        break;
      }
      case "check in":
        this.#checkIn(request, step);
        break;
      case "commit":
        if (step.end.outcome === "admitted") step.end.session.target?.seen(nowMs);
        commit.afterCommit((isOnDisk) => this.#take(request, afterCommit(step, isOnDisk)));
        break;
      case "seal":
        this.#cookies.write(request, step.cookie, (setCookie) => this.#take(request, afterSeal(step, setCookie)));
        break;
      default:
        if (request.isOverdue) request.late.cookie = step.kind === "let in" ? step.setCookie : undefined;
        else this.#end(request, step);
    }
  }

  #checkIn(request: Request, step: Extract<Question, { kind: "check in" }>): void {
    const { live, nowMs } = request;
    const { commit, surroundings } = this.#options;
    step.end.session.target?.seen(nowMs);
    commit.wake();
    live.meshRoom.checkIn(step.cookie, nowMs, (stay) => this.#take(request, afterCheckIn(request, step, stay)));
    if (request.step !== step) return;
    // The home is far away or gone: the visitor does not wait for it; a later request of this minute gets the cookie.
    surroundings.after(CHECK_IN_WAIT_MS, () => {
      const end = afterDeadline(request.step);
      if (end === undefined) return;
      request.isOverdue = true;
      this.#end(request, end);
    });
  }

  #end(request: Request, end: End): void {
    const { live, exchange } = request;
    live.counts.requests[end.outcome] += 1;
    switch (end.kind) {
      case "let in":
        this.#letIn(request, end);
        break;
      case "wait":
        this.#wait(request, end);
        break;
      case "pass":
        this.#pass(request, end.isPreflight);
        break;
      case "send back": {
        const { target, method } = exchange.request;
        const { status, headers } = sendTo(markedTarget(target, ["posted"]), method);
        exchange.answer(status, headers, "");
        break;
      }
      case "leave":
        this.#leave(request, end.key);
        break;
      case "farewell":
        answerFarewell(exchange, live.room.page, DEFAULT_LANGUAGE);
        break;
      case "shed":
        this.#refuse(request, GATE_ERRORS.shed, SHED_REFRESH_FACTOR);
        break;
      case "turn away":
        if (end.withdrawn !== undefined) live.meshRoom.withdraw(end.withdrawn);
        this.#refuse(request, end.error);
    }
  }

  /** Passes a request of a session on. */
  #letIn({ live, exchange, client, kind, nowMs, late }: Request, { session, setCookie: cookie }: LetIn): void {
    const { id, home, target } = session;
    if (this.#options.hasAccessLog) exchange.visitor = supportId(id);
    if (kind.isPagePoll) {
      const json = admittedJson(live.origin.isReachable(nowMs));
      exchange.answer(200, withSetCookie(JSON_HEADERS, cookie), json);
    } else {
      const to = target && { live, target, key: id };
      this.#toOrigin.forward({ exchange, client, to, session: { live, id, home }, cookie, late });
    }
  }

  #wait(request: Request, { decision, setCookie, probes, outcome, id }: Wait): void {
    const { live, kind, nowMs, exchange, pressure } = request;
    const { wantsJson, isPosted: posted } = kind;
    const visitor = id === undefined ? "" : supportId(id);
    if (outcome === "joined") this.#noteJoined(request, visitor);
    if (this.#options.hasAccessLog && visitor !== "") exchange.visitor = visitor;
    const isDrawing = decision.kind === "waiting" && live.meshRoom.order.isDrawing(decision.place.key, nowMs);
    const isOriginDown = !live.origin.isReachable(nowMs);
    const view = waitingView(decision, live.room, { nowMs, posted, isOriginDown, isDrawing, supportId: visitor });
    const answer = waitingAnswer(view, live.room, {
      wantsJson,
      isPlain: pressure >= LEVELS.plain,
      isNew: decision.kind === "waiting" && setCookie !== undefined,
      again: markedTarget(exchange.request.target, posted ? ["again", "posted"] : ["again"]),
      language: DEFAULT_LANGUAGE,
      here: onThisHost(cleanTarget(exchange.request.target)),
      leave: markedTarget(exchange.request.target, ["leave"]),
      host: exchange.request.host,
    });
    if (answer.templateProblem !== undefined) {
      this.#options.log.warn(
        { room: live.room.name, problem: answer.templateProblem },
        "template not rendered, built-in page used",
      );
    }
    const cookie = probes ? this.#cookies.probe(request) : setCookie;
    exchange.answer(answer.status, withSetCookie(answer.headers, cookie), answer.body);
  }

  /** The place is free at once where the line is kept here; elsewhere its visitor soon counts as gone. */
  #leave({ live, exchange, client }: Request, key: number | undefined): void {
    if (key !== undefined) live.admission.giveUp(key);
    const { status, headers } = sendTo(markedTarget(exchange.request.target, ["left"]), exchange.request.method);
    exchange.answer(status, withSetCookie(headers, this.#cookies.removal(live, client)), "");
  }

  /** The id that the page shows, for the operator to find. */
  #noteJoined({ live, exchange }: Request, visitor: string): void {
    const { log, isLogged } = this.#options;
    if (!isLogged("info") || !this.#joins.take()) return;
    log.info({ visitor, room: live.room.name, request: exchange.id }, "joined the line");
  }

  #tellUnlogged(visitors: number): void {
    const { log, hasAccessLog } = this.#options;
    const where = hasAccessLog ? "the access log has them" : "--access-log logs each request with its visitor";
    log.info({ visitors }, `some visitors who joined the line were not logged one by one: ${where}`);
  }

  /** Lets a request through that has no session and takes none. */
  #pass({ exchange, live, client, kind, nowMs }: Request, isPreflight = false): void {
    if (kind.isPagePoll) {
      exchange.answer(200, JSON_HEADERS, admittedJson(live.origin.isReachable(nowMs)));
      return;
    }
    const key = client.address;
    const target = live.origin.choose(key, nowMs);
    this.#toOrigin.forward({ exchange, client, to: target && { live, target, key }, isPreflight });
  }

  #refuse({ live, exchange }: Request, error: GateError, refreshFactor = 1): void {
    const retryAfterSeconds = live.room.refreshIntervalSeconds * refreshFactor;
    const { name, page } = live.room;
    this.#refusals.answer(exchange, error, { retryAfterSeconds, page, fields: { room: name } });
  }
}
