/**
 * A visitor in line leaves an address, by the form of the page or as a program: it is sealed, and on disk before the
 * answer. The cookie says from then on that there is one, and keeps the place for the longest time.
 */

import { KEPT_SECONDS_MAX } from "../admission/kept-place.ts";
import { withSetCookie } from "../cookie/cookie-header.ts";
import type { WaitingCookie } from "../cookie/seal.ts";
import { type ContactSeal, contactIn } from "../keys/contact-seal.ts";
import type { MayPush } from "../keys/push-subscription.ts";
import { GATE_ERRORS } from "./error-page.ts";
import type { GateContext } from "./gate-context.ts";
import { type Mark, markedTarget, sendOn } from "./marked-target.ts";
import { forReaders } from "./readers.ts";
import type { Refusals } from "./refusals.ts";
import type { Request } from "./steps.ts";
import type { VisitorCookies } from "./visitor-cookies.ts";
import { JSON_HEADERS } from "./waiting-answer.ts";

/** A longest address, each character as three of a form's in up to four bytes; and a push subscription as JSON. */
const BODY_BYTES_MAX = 4_096;

interface Parts extends Pick<GateContext, "commit"> {
  readonly contactSeal: ContactSeal;
  readonly mayPush?: MayPush | undefined;
  readonly cookies: VisitorCookies;
  readonly refusals: Refusals;
}

export function keepContact(request: Request, place: WaitingCookie | undefined, parts: Parts): void {
  const { exchange, live, nowMs } = request;
  exchange.collect(BODY_BYTES_MAX, (body = "") => {
    const contact = contactIn(
      new URLSearchParams(body).get("contact") ?? "",
      live.room.notify?.by ?? [],
      parts.mayPush,
    );
    if (place === undefined || contact === undefined) {
      answer(request, { isKept: false, marks: place === undefined ? [] : ["unclear"] });
      return;
    }
    const { id, key, line = live.roomNode.locality, pass } = place;
    const sealed = parts.contactSeal.sealed(contact, live.id, id);
    const isKept = live.meshRoom.contacts.keep(id, { key, line, lane: pass?.lane ?? 0, sealed }, nowMs);
    parts.commit.afterCommit((isOnDisk) => {
      if (!isKept || !isOnDisk) {
        refuse(request, parts);
        return;
      }
      const cookie = { ...place, hasContact: true, lastCheckInTime: nowMs, waitSeconds: KEPT_SECONDS_MAX } as const;
      parts.cookies.write(request, cookie, (setCookie) => {
        if (setCookie === undefined) refuse(request, parts);
        else answer(request, { isKept: true, marks: [], setCookie });
      });
    });
  });
}

interface Kept {
  readonly isKept: boolean;
  readonly marks: readonly Mark[];
  readonly setCookie?: string;
}

function answer({ exchange, kind, passCookie }: Request, { isKept, marks, setCookie }: Kept): void {
  if (kind.wantsJson) {
    const headers = withSetCookie(forReaders(exchange.request, JSON_HEADERS), setCookie, passCookie);
    exchange.answer(isKept ? 200 : 400, headers, `{"anteroom":{"contactKept":${isKept}}}`);
    return;
  }
  sendOn(exchange, markedTarget(exchange.request.target, ["again", "placed", ...marks]), [setCookie, passCookie]);
}

function refuse({ exchange, live: { room } }: Request, { refusals }: Parts): void {
  const retryAfterSeconds = room.refreshIntervalSeconds;
  refusals.answer(exchange, GATE_ERRORS.busy, { retryAfterSeconds, room, fields: { room: room.name } });
}
