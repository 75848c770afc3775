/**
 * The ends of requests: answers each as its last step says, and counts what became of it.
 *
 * Let in, it goes to the origin with its session; waiting, it gets the page; all others are sent back or refused.
 */

import { withSetCookie } from "../cookie/cookie-header.ts";
import type { VisitorCookie, WaitingCookie } from "../cookie/seal.ts";
import { fieldValue } from "../http/fields.ts";
import type { ContactSeal } from "../keys/contact-seal.ts";
import type { MayPush } from "../keys/push-subscription.ts";
import { countWait } from "../rooms/room-counts.ts";
import { endBlockedSession } from "./blocked.ts";
import type { Connectors } from "./connectors.ts";
import { answerFarewell, answerGone, GATE_ERRORS, type GateError } from "./error-page.ts";
import type { FastLane } from "./fast-lane.ts";
import type { GateContext } from "./gate-context.ts";
import { tellHelpDesk } from "./help-desk.ts";
import { keepContact } from "./left-contact.ts";
import { noteLost } from "./lost-calls.ts";
import { cleanTarget, givingUpPass, markedTarget, onThisHost, sendOn, withoutPass } from "./marked-target.ts";
import type { Often } from "./often.ts";
import { giveUpClaim } from "./passes.ts";
import { forReaders } from "./readers.ts";
import type { Refusals } from "./refusals.ts";
import { answerForm, formOf } from "./resent-form.ts";
import { answerInvitation, answerLanguages, answerLeaving } from "./step-page.ts";
import type { End, LetIn, Request, TurnAway } from "./steps.ts";
import { supportId } from "./support-id.ts";
import type { ToOrigin } from "./to-origin.ts";
import type { VisitorCookies } from "./visitor-cookies.ts";
import { JSON_HEADERS } from "./waiting-answer.ts";
import type { WaitingPages } from "./waiting-pages.ts";
import { admittedJson, GONE_JSON } from "./waiting-view.ts";

export interface EndParts extends Pick<GateContext, "surroundings" | "hasAccessLog" | "commit"> {
  readonly contactSeal: ContactSeal;
  readonly mayPush?: MayPush | undefined;
  readonly slotTakers: Often;
  readonly fastLane: FastLane;
  readonly cookies: VisitorCookies;
  readonly toOrigin: ToOrigin;
  readonly refusals: Refusals;
  readonly connectors: Connectors;
  readonly waiting: WaitingPages;
}

/**
 * A visitor whom a node under pressure sent away waits so many refresh intervals. At 1 they would be back before the
 * pressure is over.
 */
const SHED_REFRESH_FACTOR = 2;

/** Larger than what banks and identity providers send. Doubled, a page that sends it again costs twice the memory. */
const FORM_BYTES_MAX = 65_536;

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

export class Ends {
  readonly #parts: EndParts;

  constructor(parts: EndParts) {
    this.#parts = parts;
  }

  /** Answers a request as its last step says, and counts what became of it. */
  answer(request: Request, end: End): void {
    const { live, exchange } = request;
    const { counts } = live;
    counts.requests[end.outcome] += 1;
    counts.decisions.observe(this.#parts.surroundings.steadyMs() - request.startedMs);
    if (end.outcome === "admitted" && request.joinedMs !== undefined)
      countWait(counts, request.nowMs - request.joinedMs);
    if (exchange.trail !== undefined) exchange.trail.outcome = end.outcome;
    this.#noteTaker(request, end);
    if (live.meshRoom.helpDesk.isLooking) tellHelpDesk(request, end);
    switch (end.kind) {
      case "let in":
        this.#letIn(request, end);
        break;
      case "wait":
        this.#parts.waiting.answer(request, end);
        break;
      case "pass through":
        if (end.isStaff) live.counts.passes.staff += 1;
        this.#passThrough(request, end);
        break;
      case "send back":
        sendOn(exchange, markedTarget(exchange.request.target, ["posted"]));
        break;
      case "send again":
        this.#sendAgain(request);
        break;
      case "lose form":
        this.#loseForm(request);
        break;
      case "ask to leave":
        answerLeaving(exchange, live.room);
        break;
      case "ask language":
        answerLanguages(exchange, live.room);
        break;
      case "gone": {
        const cookies = end.taken === undefined ? [] : this.#giveUp(request, end.taken);
        if (request.kind.isPagePoll)
          exchange.answer(200, withSetCookie(forReaders(exchange.request, JSON_HEADERS), ...cookies), GONE_JSON);
        else answerGone(exchange, live.room, cookies);
        break;
      }
      case "leave":
        sendOn(exchange, markedTarget(exchange.request.target, ["left"]), this.#giveUp(request, end.place));
        break;
      case "keep contact":
        keepContact(request, end.place, this.#parts);
        break;
      case "not inside":
        this.#parts.toOrigin.sendHere(exchange);
        break;
      case "farewell":
        answerFarewell(exchange, live.room);
        break;
      case "invite":
        answerInvitation(exchange, live.room, request.passCookie);
        break;
      case "use invitation":
        sendOn(exchange, cleanTarget(withoutPass(exchange.request.target)), [request.passCookie]);
        break;
      case "drop pass": {
        const place = end.dropsPlace ? this.#parts.cookies.removal(live, request.client) : [];
        sendOn(exchange, withoutPass(exchange.request.target), [request.passCookie, ...place]);
        break;
      }
      case "shed":
        this.#refuse(request, GATE_ERRORS.shed, live.room.refreshIntervalSeconds * SHED_REFRESH_FACTOR);
        break;
      case "turn away":
        if (end.outcome === "turned_away" && request.kind.isServerCall)
          noteLost(counts, "calls", exchange.request.target);
        if (end.withdrawn !== undefined) live.meshRoom.withdraw(end.withdrawn);
        if (end.pass !== undefined) live.counts.passes[end.pass] += 1;
        if (end.ended !== undefined) this.#endBlocked(request, end.ended);
        // For these, asking again helps nobody.
        if (end.pass !== undefined || end.outcome === "uninvited" || end.outcome === "blocked")
          this.#refusePass(request, end);
        else this.#refuse(request, end.error, end.retryAfterSeconds);
    }
  }

  #noteTaker({ client, live, nowMs, joinedMs }: Request, { outcome }: End): void {
    const { slotTakers } = this.#parts;
    if (outcome === "inside" || outcome === "polled" || joinedMs !== undefined) slotTakers.clear(client.address);
    else if (outcome === "admitted" || outcome === "joined") slotTakers.note(client.address, nowMs, live.room.name);
  }

  /** Passes a request of a session on. */
  #letIn(request: Request, end: LetIn): void {
    const { session, setCookie: cookie, enterUntilMs } = end;
    const { live, exchange, client, kind, nowMs, passCookie: kept } = request;
    const token = kind.snippet === undefined ? undefined : this.#parts.fastLane.cookie(request, kind.snippet, end);
    const { target, cookie: inside } = session;
    const { id } = inside;
    const enterSeconds = enterUntilMs === undefined ? 0 : Math.max(1, Math.ceil((enterUntilMs - nowMs) / 1_000));
    if (this.#parts.hasAccessLog) exchange.visitor = supportId(id);
    if (kind.isPagePoll) {
      const json = admittedJson(live.origin.isReachable(nowMs), enterSeconds);
      exchange.answer(200, withSetCookie(forReaders(exchange.request, JSON_HEADERS), cookie, kept, token), json);
    } else if (enterSeconds > 0) {
      this.#parts.waiting.turn(request, enterSeconds, { id, cookie });
    } else if (live.room.queueIt !== undefined) {
      const lastGood = end.checkedIn?.lastGood ?? session.lastGood;
      this.#parts.connectors.letIn(request, { id, lastGood }, [cookie, kept]);
    } else {
      const to = target && { live, target, key: id };
      const cookies = [cookie, kept, token];
      this.#parts.toOrigin.forward({ exchange, client, to, session: { live, cookie: inside }, cookies });
    }
  }

  /** A form is small, or it cannot be sent again: its visitor reads that it was not passed on. */
  #sendAgain(request: Request): void {
    const { exchange, live } = request;
    const type = fieldValue(exchange.request.headers, "content-type") ?? "";
    if (!FORM_TYPE.test(type)) this.#loseForm(request);
    else
      exchange.collect(FORM_BYTES_MAX, (body) => {
        const form = body === undefined ? undefined : formOf(body);
        if (form === undefined) this.#loseForm(request);
        else answerForm(exchange, form, live.room);
      });
  }

  #loseForm(request: Request): void {
    noteLost(request.live.counts, "forms", request.exchange.request.target);
    this.#refuse(request, GATE_ERRORS.busy);
  }

  /** Gives a place up; returns the Set-Cookie values that take it from the browser. */
  #giveUp(request: Request, place: WaitingCookie | undefined): readonly string[] {
    const { live, client } = request;
    if (place !== undefined) {
      live.meshRoom.giveUp(place, request.nowMs);
      giveUpClaim(request, place);
    }
    return this.#parts.cookies.removal(live, client);
  }

  /** A blocked visitor loses place or session; the cookie stays, by which the gate knows the visitor. */
  #endBlocked(request: Request, cookie: VisitorCookie): void {
    const { live, nowMs } = request;
    if (cookie.kind === "waiting") this.#giveUp(request, cookie);
    else endBlockedSession(cookie, live, nowMs);
    this.#parts.commit.wake();
  }

  /** Lets a request through that has no session and takes none. */
  #passThrough(request: Request, { outcome, isPreflight = false }: Extract<End, { kind: "pass through" }>): void {
    const { exchange, live, client, kind, nowMs, passCookie } = request;
    if (kind.isPagePoll) {
      const headers = forReaders(exchange.request, JSON_HEADERS);
      exchange.answer(200, headers, admittedJson(live.origin.isReachable(nowMs)));
      return;
    }
    if (live.room.queueIt !== undefined) {
      // An asset or a HEAD passes while nobody waits, but takes no slot: it gets no token.
      if (outcome !== "passed" || live.room.suspended) this.#parts.connectors.pass(request, [passCookie]);
      else this.#refuse(request, GATE_ERRORS.notFound);
      return;
    }
    const key = client.address;
    const target = live.origin.choose(key, nowMs);
    this.#parts.toOrigin.forward({
      exchange,
      client,
      to: target && { live, target, key },
      isPreflight,
      ...(outcome === "passed" && { passes: live }),
      cookies: [passCookie],
    });
  }

  /** Refuses for want of a good pass: asking again helps nobody, going on without the pass may. */
  #refusePass({ live, exchange, seen }: Request, { error, pass, retryAfterSeconds, setCookie }: TurnAway): void {
    const { target, method } = exchange.request;
    const mayGoOn = pass !== undefined && !live.room.inviteOnly && (method === "GET" || method === "HEAD");
    this.#parts.refusals.answer(exchange, error, {
      room: live.room,
      retryAfterSeconds,
      headers: withSetCookie([], setCookie),
      fields: { room: live.room.name, ...(seen.kind === "bad" && { pass: seen.reason }) },
      ...(mayGoOn && { withoutPass: onThisHost(givingUpPass(target)) }),
    });
  }

  #refuse({ live: { room }, exchange }: Request, error: GateError, seconds?: number): void {
    const retryAfterSeconds = seconds ?? room.refreshIntervalSeconds;
    this.#parts.refusals.answer(exchange, error, { retryAfterSeconds, room, fields: { room: room.name } });
  }
}
