/** Every state of the gate's pages as the HTML that a visitor gets, without a gate behind it. */

import type { BrandPage } from "../../node/config/room.ts";
import { PLAIN_PAGE } from "../../node/gate/brand.ts";
import { answerFarewell, answerGone, type ErrorRoom, errorHtml, GATE_ERRORS } from "../../node/gate/error-page.ts";
import { type PageForm, renderWaitingPage } from "../../node/gate/page.ts";
import { answerForm } from "../../node/gate/resent-form.ts";
import { answerInvitation, answerLanguages, answerLeaving } from "../../node/gate/step-page.ts";
import type { WaitingView } from "../../node/gate/waiting-view.ts";
import type { Language } from "../../node/languages/texts.ts";
import { FakeExchange } from "../node/gate/fake-exchange.ts";
import { VIEW } from "../node/gate/waiting-views.ts";

type MadeIn = (language: Language, page: BrandPage) => string;

const NO_PLACE = { position: 0, waitSeconds: null, supportId: "" } as const;
const UNKNOWN = { waitSeconds: null } as const;
const LONG_LINE: Partial<WaitingView> = { position: 1_234_567, waitSeconds: 15_000, waitRange: [12_000, 20_000] };
const PREQUEUE: Partial<WaitingView> = {
  event: { phase: "prequeue", seconds: 4_321, shuffles: false },
  queueAll: true,
};
const CHALLENGE = JSON.stringify({
  parameters: { salt: "00".repeat(16), nonce: "00".repeat(16), keyPrefix: "00000000ff", data: { triesMax: 9 } },
});

const VIEWS: Readonly<Record<string, Partial<WaitingView>>> = {
  waiting: { waitSeconds: 1_200, waitRange: [900, 1_500], keptMinutes: 10 },
  "a long line": { ...LONG_LINE, keptMinutes: 240 },
  next: { position: 1, waitSeconds: 20, keptMinutes: 10 },
  drawn: { isDrawing: true, position: 0, ...UNKNOWN, keptMinutes: 10 },
  "a pre-queue": { ...PREQUEUE, ...UNKNOWN, keptMinutes: 10 },
  "a drawn pre-queue": {
    event: { phase: "prequeue", seconds: 59, shuffles: true },
    ...{ isDrawing: true, position: 0, ...UNKNOWN, keptMinutes: 10 },
  },
  "a draw that anybody may note": {
    event: { phase: "prequeue", seconds: 7_200, shuffles: true },
    ...{ isDrawing: true, position: 0, ...UNKNOWN, keptMinutes: 10, draw: "/tickets/.anteroom/draw" },
  },
  "a draw that waits for its value": {
    event: { phase: "prequeue", seconds: 1, shuffles: true, waitsFor: "value" },
    ...{ isDrawing: true, position: 0, ...UNKNOWN, keptMinutes: 10 },
  },
  paused: { queueAll: true, ...UNKNOWN, keptMinutes: 10 },
  down: { originReachable: false, ...UNKNOWN, keptMinutes: 10 },
  full: { kind: "full", ...NO_PLACE },
  closed: { kind: "rejected", queueingMethod: "reject", ...NO_PLACE },
  "sold out": { kind: "rejected", isSoldOut: true, queueingMethod: "reject", ...NO_PLACE },
  cookies: { kind: "cookieless", ...NO_PLACE },
  proving: { kind: "unproved", ...NO_PLACE, supportId: "4QK7-X2MD", challenge: CHALLENGE },
  turn: { kind: "turn", ...NO_PLACE, enterSeconds: 90 },
  "a form not sent": { posted: true, keptMinutes: 10 },
  "a message": { message: "The sale starts a little late: 10:30.", keptMinutes: 10 },
};

const NOTIFY: Partial<WaitingView> = { notify: { by: ["email", "phone"], graceMinutes: 5 }, keptMinutes: 10 };

const FORM = {
  customPageHtml: "",
  again: "/tickets?__anteroom=again",
  here: "/tickets",
  leave: "/tickets?__anteroom=leave",
  languages: "/tickets?__anteroom=languages",
  notify: { action: "/tickets?__anteroom=notify", isUnclear: false },
  host: "shop.example",
  defaultTemplateLanguage: "en-US",
} as const;

function waiting(view: Partial<WaitingView>, form: Partial<PageForm> = {}): MadeIn {
  return (language, page) => {
    // Now, so that the page's script counts down from there.
    const now = { ...VIEW, stayMinutes: 5, ...view, lastUpdatedMs: Date.now() };
    return renderWaitingPage(now, { ...FORM, ...form, language, page }).html;
  };
}

const ERRORS: Readonly<Record<string, MadeIn>> = {
  "an error that is tried again": (language, page) => {
    const retry = { seconds: 60, again: "/tickets", isPosted: false };
    return errorHtml(GATE_ERRORS.unreachable, { language, page, requestId: "f160bc1f54290326", retry });
  },
  "an error after a form": (language, page) =>
    errorHtml(GATE_ERRORS.timeout, { language, page, retry: { seconds: 60, again: "/tickets", isPosted: true } }),
  "by invitation only": (language, page) => errorHtml(GATE_ERRORS.inviteOnly, { language, page }),
  "a busy site": (language, page) => {
    const retry = { seconds: 5, again: "/tickets", isPosted: false };
    return errorHtml(GATE_ERRORS.shed, { language, page, host: "shop.example", requestId: "f160bc1f54290326", retry });
  },
  "a busy network": (language, page) => errorHtml(GATE_ERRORS.addressLimited, { language, page, host: "shop.example" }),
  ...Object.fromEntries(
    (["passExpired", "passForged", "passForeign", "passWithdrawn", "passInUse"] as const).map(
      (code): [string, MadeIn] => [
        code,
        (language, page) => errorHtml(GATE_ERRORS[code], { language, page, withoutPass: "/tickets?__anteroom=pass" }),
      ],
    ),
  ),
  "the line was left": answered(answerFarewell),
  "a question before leaving": answered(answerLeaving),
  "a place that is gone": answered(answerGone),
  "the languages": answered(answerLanguages),
  "an invitation": answered((exchange, room) => answerInvitation(exchange, room, undefined)),
  // Its script would send it at once.
  "a form that is sent again": (language, page) => formPage(language, page).replace(/<script>[\s\S]*<\/script>/, ""),
};

const formPage = answered((exchange, room) =>
  answerForm(exchange, { charset: "utf-8", fields: [["PaRes", "ok"]] }, room),
);

function answered(answer: (exchange: FakeExchange, room: ErrorRoom) => void): MadeIn {
  return (language, page) => {
    const exchange = new FakeExchange({ target: "/tickets", headers: { "Accept-Language": language } });
    answer(exchange, { page, defaultTemplateLanguage: language });
    const [made] = exchange.outcomes;
    if (made?.kind !== "answer") throw new Error("There is no page");
    return String(made.body);
  };
}

export const STATES: Readonly<Record<string, MadeIn>> = {
  ...Object.fromEntries(Object.entries(VIEWS).map(([name, view]) => [name, waiting(view)])),
  "an address can be left": waiting(NOTIFY),
  "an address that is none": waiting(NOTIFY, { notify: { ...FORM.notify, isUnclear: true } }),
  "an address was left": waiting({ ...NOTIFY, hasContact: true }),
  ...ERRORS,
};

/** One that sets all that a room may set. */
export const BRAND: BrandPage = {
  ...PLAIN_PAGE,
  title: "Example Tickets",
  accent: "#ffee00",
  background: "#fde7ef",
  hero: `data:image/svg+xml;base64,${btoa('<svg xmlns="http://www.w3.org/2000/svg"/>')}`,
  font: "https://cdn.example/brand.woff2",
  texts: { "de-DE": { "line.reason": "Schön, dass Sie da sind: Gleich geht es los." } },
  supportUrl: "mailto:help@example.com",
};
