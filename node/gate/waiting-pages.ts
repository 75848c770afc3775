/**
 * Answers visitors who wait, or whose turn it is to enter: gathers what their page or JSON shows, and sends it.
 *
 * `waiting-answer.ts` makes the answer from that.
 */

import { drawIdOf, drawIdText } from "../admission/draw/draw-seed.ts";
import { KEYS_PER_MS } from "../admission/queue-order.ts";
import { keepsCookies, withSetCookie } from "../cookie/cookie-header.ts";
import type { ProofOfWork } from "../cookie/proof-of-work.ts";
import { accepts, fieldValue } from "../http/fields.ts";
import type { Exchange } from "../http/message.ts";
import type { PushKeys } from "../keys/push-keys.ts";
import type { Language } from "../languages/texts.ts";
import { drawAddress, prefixOf } from "./draw-answers.ts";
import type { GateContext } from "./gate-context.ts";
import { noteLost } from "./lost-calls.ts";
import { cleanTarget, type Mark, markedTarget, onThisHost } from "./marked-target.ts";
import { pageLanguage } from "./page-language.ts";
import { LEVELS } from "./pressure.ts";
import { workerAddress } from "./push-page.ts";
import { forReaders } from "./readers.ts";
import type { Visit, Wait } from "./steps.ts";
import { supportId } from "./support-id.ts";
import type { VisitorCookies } from "./visitor-cookies.ts";
import { jsonAnswer, type PageAnswerForm, pageAnswer, turnView, waitingView } from "./waiting-answer.ts";

export interface WaitingPagesOptions extends Pick<GateContext, "log" | "hasAccessLog" | "minuteMs"> {
  readonly cookies: VisitorCookies;
  readonly proof: ProofOfWork;
  readonly pushKeys: PushKeys;
}

/** A request whose visitor waits. */
export interface Waiting extends Visit {
  readonly exchange: Exchange;
  /** The Set-Cookie value that keeps the pass that it shows, or gives up the one that is kept. */
  readonly passCookie?: string | undefined;
}

/** Programs send again what they could not deliver. */
const LOST_STATUS = 503;

export class WaitingPages {
  readonly #options: WaitingPagesOptions;

  constructor(options: WaitingPagesOptions) {
    this.#options = options;
  }

  /** Answers a visitor who waits, with a challenge for the proof that is owed. */
  answer(request: Waiting, end: Wait): void {
    if (end.owed === undefined) {
      this.#answer(request, end);
      return;
    }
    this.#options.proof.challenge(end.owed, request.nowMs, (challenge, error) => {
      // The visitor waits, and asks for one again with the next poll.
      if (challenge === undefined) this.#options.log.error({ error: String(error) }, "challenge not made");
      this.#answer(request, end, challenge);
    });
  }

  #answer(
    request: Waiting,
    { decision, setCookie, probes, outcome, id, refused, hasContact = false }: Wait,
    challenge?: string,
  ): void {
    const { live, kind, nowMs, exchange, pressure } = request;
    const { wantsJson, isPosted: posted } = kind;
    const { hasAccessLog, cookies, log, minuteMs } = this.#options;
    const visitor = id === undefined ? "" : supportId(id);
    if (hasAccessLog && visitor !== "") exchange.visitor = visitor;
    const isDrawing = decision.kind === "waiting" && live.meshRoom.order.isDrawing(decision.place.key, nowMs);
    const isOriginDown = !live.origin.isReachable(nowMs);
    const { draw: held } = live.room;
    const isInDraw = held !== undefined && live.room.event !== undefined;
    const place = decision.kind === "waiting" && id !== undefined ? { id, key: decision.place.key } : undefined;
    const draw = isInDraw ? drawAddress(live.room, exchange.request) + ownId(held.startMs, place) : undefined;
    const drawWaitsFor = isInDraw && held.seed === undefined && nowMs >= held.startMs ? "value" : undefined;
    const view = waitingView(decision, live.room, {
      nowMs,
      minuteMs,
      language: messageLanguage(request),
      posted,
      isOriginDown,
      isDrawing,
      isSoldOut: live.order?.kind === "sold-out",
      supportId: visitor,
      draw,
      drawWaitsFor,
      challenge,
      refused,
      hasContact,
    });
    // A poll has no text in it: the page has its own.
    const answer = wantsJson
      ? jsonAnswer(view, live.room)
      : pageAnswer(view, live.room, {
          isPlain: pressure >= LEVELS.plain,
          isNew: outcome === "joined" || (decision.kind === "unproved" && setCookie !== undefined),
          ...this.#formOf(request, outcome === "polled"),
        });
    if (answer.templateProblem !== undefined) {
      log.warn({ room: live.room.name, problem: answer.templateProblem }, "template not rendered, built-in page used");
    }
    const cookie = probes ? cookies.probe(request) : setCookie;
    // A program that takes 200 for a success would never send its notice again.
    const isLost = kind.isServerCall && !keepsCookies(exchange.request.headers, live.cookieName);
    if (isLost) noteLost(live.counts, "calls", exchange.request.target);
    const headers = withSetCookie(forReaders(exchange.request, answer.headers), cookie, request.passCookie);
    exchange.answer(isLost ? LOST_STATUS : answer.status, headers, answer.body);
  }

  /**
   * Asks a visitor without JavaScript to enter. Their session, too, does not begin while nobody looks at the page.
   */
  turn(request: Waiting, enterSeconds: number, { id, cookie }: { id: string; cookie: string | undefined }): void {
    const { live, exchange, nowMs, kind } = request;
    const language = messageLanguage(request);
    const view = turnView(live.room, {
      nowMs,
      enterSeconds,
      language,
      posted: kind.isPosted,
      supportId: supportId(id),
    });
    const { status, headers, body } = pageAnswer(view, live.room, this.#formOf(request));
    exchange.answer(status, withSetCookie(forReaders(exchange.request, headers), cookie, request.passCookie), body);
  }

  /** What a page takes from its request. `isPlaced`: who came with a place. */
  #formOf(asked: Waiting, isPlaced = false): PageAnswerForm {
    const { exchange, kind, live } = asked;
    const { target, host, headers } = exchange.request;
    const marks: Mark[] = [
      "again",
      ...(kind.isPosted ? ["posted" as const] : []),
      ...(isPlaced ? ["placed" as const] : []),
    ];
    const here = onThisHost(cleanTarget(target));
    const language = pageLanguage(headers, live.room.defaultTemplateLanguage, target);
    return {
      again: markedTarget(target, marks),
      here,
      leave: markedTarget(target, ["leave"]),
      languages: markedTarget(target, ["languages"]),
      notify: live.room.notify && {
        action: markedTarget(target, ["notify"]),
        isUnclear: kind.contactUnclear,
        push: live.room.notify.by.includes("push")
          ? {
              key: this.#options.pushKeys.publicKey,
              worker: workerAddress(prefixOf(live.room, exchange.request), here),
              language,
            }
          : undefined,
      },
      host,
      takesGzip: takesGzip(asked),
      language,
    };
  }
}

/**
 * Whether a page is sent compressed: if the client understands that (RFC 9110 §12.5.3), and while this process has the
 * time, which is worth more than bytes once it is short.
 */
function takesGzip({ exchange: { request }, pressure }: Waiting): boolean {
  if (pressure >= LEVELS.plain) return false;
  const encodings = fieldValue(request.headers, "accept-encoding");
  return encodings !== undefined && accepts(encodings, "gzip");
}

/** Read only where it matters: most polls of most rooms need no language. */
function messageLanguage({ exchange: { request }, live: { room } }: Waiting): Language | undefined {
  if (Object.keys(room.page.texts).length === 0) return undefined;
  return pageLanguage(request.headers, room.defaultTemplateLanguage, request.target);
}

/** The visitor's id in the draw, as a fragment of its address; empty for those who joined after the start. */
function ownId(startMs: number, place: { readonly id: string; readonly key: number } | undefined): string {
  const isDrawn = place !== undefined && place.key < startMs * KEYS_PER_MS;
  return isDrawn ? `#${drawIdText(drawIdOf(place.id))}` : "";
}
