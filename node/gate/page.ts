/**
 * The page that a waiting visitor sees: the built-in one, or the room's own mustache template.
 *
 * The built-in page says everything without JavaScript, where the `Refresh` header reloads it; with JavaScript it stops
 * that reload (`window.stop()`) and polls the same address for JSON instead. It loads nothing but the site's icon and
 * the room's logo. Its script and style are constants, and the room's colours are a style of their own, so that a
 * Content-Security-Policy can name them by hash. The texts of the script are beside it, as data. When a template fails
 * at render, visitors get the built-in page, and the caller learns it. The caller sets status, `Refresh` and cookies.
 */

import Mustache from "mustache";
import { MESSAGE } from "../config/page-fields.ts";
import type { Room } from "../config/room.ts";
import type { Bytes, HeaderList } from "../http/message.ts";
import { DEFAULT_LANGUAGE, type Language, type Texts } from "../languages/texts.ts";
import { filled, perLanguage, type Words, wordsOf } from "../languages/words.ts";
import { messageOf } from "../message-of.ts";
import { Recent } from "../recent.ts";
import { brandOf, brandSlots, wordsFor } from "./brand.ts";
import { type ContactForm, contactPart } from "./contact-form.ts";
import { inlineOnlyPolicy, pageHeaders, pageSource } from "./own-page.ts";
import proofHtml from "./proof-of-work.html" with { type: "text" };
import { PUSH_POLICY, PUSH_SCRIPT } from "./push-page.ts";
import { asHtml, escapeHtml, localised, type SlotTemplate, slotTemplate } from "./slot-template.ts";
import html from "./waiting-page.html" with { type: "text" };
import {
  keptRules,
  spanDigits,
  stateOf,
  stayRule,
  titleOf,
  type WaitingView,
  waitingJson,
  waitMinutes,
  waitWords,
} from "./waiting-view.ts";

export interface WaitingPage {
  readonly html: string;
  /** The page as a gzip member, in place of `html`, which is empty then. */
  readonly gzip?: Bytes;
  /**
   * The header fields that say what it is and may do. For a room's own template, which may load anything and be in any
   * language, the policy only says which sites may frame it.
   */
  readonly headers: HeaderList;
  /** Why the room's template could not be used, for log and metric; undefined when all is well. */
  readonly templateProblem: string | undefined;
}

/** What a page depends on besides the view. */
export interface PageForm extends Pick<Room, "customPageHtml" | "page" | "defaultTemplateLanguage"> {
  /** The page's own address, marked: a reload from there without the cookie is recognised. */
  readonly again: string;
  /** The same without a mark. */
  readonly here: string;
  /** The same, with the mark by which a visitor gives up the place. */
  readonly leave: string;
  /** The same, with the mark by which a visitor chooses a language. */
  readonly languages: string;
  /** Where the visitor may leave an address; left out in rooms without that. */
  readonly notify?: ContactForm | undefined;
  /** The host that the visitor asked for: the name of a site without a brand. */
  readonly host: string;
  readonly language: Language;
  /**
   * Whether the built-in page may be compressed. A room's own template is not: it would have to be compressed as a
   * whole.
   */
  readonly takesGzip?: boolean;
}

/** The page for `view`; escapes what it fills in. */
export function renderWaitingPage(view: WaitingView, form: PageForm): WaitingPage {
  const { customPageHtml } = form;
  if (customPageHtml === "") return builtInPage(view, form);
  try {
    // A writer keeps what it has parsed: here one template each.
    const known = writers.use(customPageHtml, view.lastUpdatedMs);
    const writer = known ?? new Mustache.Writer();
    const html = writer.render(customPageHtml, templateVariables(view, form));
    if (known === undefined) writers.set(customPageHtml, writer, view.lastUpdatedMs);
    return { html, headers: OWN_TEMPLATE_HEADERS, templateProblem: undefined };
  } catch (error) {
    // The visitor still gets a page; the operator's design is lost until the template is repaired.
    return builtInPage(view, form, messageOf(error));
  }
}

/**
 * Rooms' own templates that stay parsed. Mustache's own cache keeps all that the process ever saw: previews, and each
 * version of a page. With more in use at once, they are parsed for each page.
 */
const WRITERS_MAX = 128;

const writers = new Recent<string, InstanceType<typeof Mustache.Writer>>({
  max: WRITERS_MAX,
  forMs: Number.POSITIVE_INFINITY,
});

/**
 * What a room's template may use: all of `cfWaitingRoom`, the time in hours and minutes, the place in line, the parts
 * of the built-in page as HTML (`page.…`), and its script.
 */
export function templateVariables(view: WaitingView, form: PageForm): Readonly<Record<string, unknown>> {
  const { cfWaitingRoom, anteroom } = JSON.parse(waitingJson(view));
  const minutes = waitMinutes(view) ?? 0;
  const { posted } = view;
  const [waitTimeHours, waitTimeHourMinutes] = [Math.floor(minutes / 60), minutes % 60];
  let made: Parts | undefined;
  const parts = (): Parts => {
    made ??= partsOf(view, form);
    return made;
  };
  return {
    ...cfWaitingRoom,
    ...anteroom,
    posted,
    waitTimeHours,
    waitTimeHourMinutes,
    // Most templates need neither of these.
    get page(): Parts {
      return parts();
    },
    get anteroomScript(): string {
      return pageIn(form).script(parts());
    },
  };
}

/** The built-in page as a template to start from: it renders to the same page, and loads its script. */
export function defaultTemplate(): string {
  const { text } = ourPage(DEFAULT_LANGUAGE);
  return withoutScript(text, "{{{anteroomScript}}}").replace(/\{\{(\w+)\}\}(?!\})/g, "{{{page.$1}}}");
}

const source = pageSource(String(html));

const policyFor = inlineOnlyPolicy(source);

/** With the script of push, which few rooms have. */
const pushPolicyFor = inlineOnlyPolicy(source + PUSH_SCRIPT);

const OWN_TEMPLATE_HEADERS = pageHeaders();

/** The worker is made of a text in the page. */
const WORKER_POLICY = "; worker-src blob:";

/** What stands for the placeholders of the texts in the page; the script changes it. */
const TIMES = {
  updated: '<time id="updated" datetime="{{updatedIso}}">{{updated}}</time>',
  next: '<span id="next">{{next}}</span>',
};

/** What stands in the slots of the page. */
type Parts = SharedParts & ReturnType<typeof ownParts>;

/** Where the page's script begins, with its texts. */
const SCRIPT_START = '<script id="anteroom"';
const SCRIPT_END = "</script>";

const ourPage = perLanguage((language) => localisedPage(language, wordsOf(language)));

/** Pages with texts that the room has of its own, by the brand's object. */
const ownPages = new WeakMap<PageForm["page"], typeof ourPage>();

function pageIn({ page, language }: Pick<PageForm, "page" | "language">): ReturnType<typeof localisedPage> {
  if (page.texts[language] === undefined) return ourPage(language);
  const made = () => perLanguage((each) => localisedPage(each, wordsFor(page, each)));
  return ownPages.getOrInsertComputed(page, made)(language);
}

function localisedPage(language: Language, { texts }: Words) {
  const text = localised(source, { language, texts, markup: TIMES, scriptTexts: textsOfScript(texts) });
  return { text, fill: slotTemplate<keyof Parts>(text), script: slotTemplate<keyof Parts>(scriptOf(text)) };
}

function scriptOf(text: string): string {
  return text.slice(text.indexOf(SCRIPT_START), text.lastIndexOf(SCRIPT_END) + SCRIPT_END.length);
}

function withoutScript(text: string, instead: string): string {
  return text.replace(scriptOf(text), () => instead);
}

/** The challenge, and the text of the worker that solves it. */
const fillProof = slotTemplate<"challenge">(pageSource(String(proofHtml)));

/** What the page's script says. */
function textsOfScript({ states, line, wait, page, farewell }: Texts): object {
  const { noAnswer, announcement, visitor, alert, alertOn, alertSound } = page;
  const { again: rejoin } = farewell;
  const ofAlert = { alert, alertOn, alertSound };
  return { states, title: line.title, news: line.news, wait, noAnswer, announcement, visitor, ...ofAlert, rejoin };
}

function builtInPage(view: WaitingView, form: PageForm, templateProblem?: string): WaitingPage {
  const { fill, headers, zippedHeaders } = frameOf(view, form);
  const parts = ownParts(view, form);
  if (form.takesGzip === true) return { html: "", gzip: fill.gzip(parts), headers: zippedHeaders, templateProblem };
  return { html: fill(parts), headers, templateProblem };
}

/** What differs from visitor to visitor or from state to state, as HTML. */
function partsOf(view: WaitingView, form: PageForm): Parts {
  return { ...sharedParts(view, form), ...ownParts(view, form) };
}

type SharedParts = ReturnType<typeof sharedParts>;

/** The page with all that is the same for many visitors. */
interface Frame {
  readonly fill: SlotTemplate<keyof ReturnType<typeof ownParts>>;
  readonly headers: HeaderList;
  readonly zippedHeaders: HeaderList;
}

/** By the brand's object, which a changed room replaces, and by all else that frames depend on. */
const frames = new WeakMap<PageForm["page"], Recent<string, Frame>>();

/** Frames remembered of a room: its states in the languages of most visitors. Each takes about 15 kB. */
const FRAMES_MAX = 64;

function frameOf(view: WaitingView, form: PageForm): Frame {
  const { keptMinutes, stayMinutes, posted, message, lastUpdatedMs } = view;
  const { language, host } = form;
  const hasPush = view.notify !== undefined && form.notify?.push !== undefined;
  const parts = [
    language,
    host,
    stateOf(view),
    keptMinutes,
    stayMinutes,
    showsWait(view),
    posted,
    enterTime(view, language),
    view.challenge !== undefined,
    hasPush,
  ];
  const key = [...parts, message].join(" ");
  const ofRoom = frames.get(form.page) ?? new Recent({ max: FRAMES_MAX, forMs: Number.POSITIVE_INFINITY });
  frames.set(form.page, ofRoom);
  const known = ofRoom.use(key, lastUpdatedMs);
  if (known !== undefined) return known;
  const policy = policyOf(form.page, { hasPush, hasChallenge: view.challenge !== undefined });
  const headers = [...pageHeaders(policy), "Content-Language", language];
  const zippedHeaders = [...headers, "Content-Encoding", "gzip"];
  const frame = { fill: pageIn(form).fill.with(sharedParts(view, form)), headers, zippedHeaders };
  ofRoom.set(key, frame, lastUpdatedMs);
  return frame;
}

/** A visitor who owes a proof has no place, and leaves nothing. */
function policyOf(page: PageForm["page"], { hasPush = false, hasChallenge = false }): string {
  if (hasPush) return pushPolicyFor(brandOf(page)) + PUSH_POLICY;
  return policyFor(brandOf(page)) + (hasChallenge ? WORKER_POLICY : "");
}

function showsWait({ position, waitSeconds }: WaitingView): boolean {
  return position > 0 && waitSeconds !== null;
}

/** Until when a visitor whose turn it is may enter. */
function enterTime({ enterSeconds, lastUpdatedMs }: WaitingView, language: Language): string {
  return enterSeconds === undefined ? "" : wordsOf(language).clockTime(lastUpdatedMs + enterSeconds * 1_000);
}

/** What depends on no more than the key of a frame says. */
function sharedParts(view: WaitingView, { language, page: own, host, defaultTemplateLanguage }: PageForm) {
  const words = wordsFor(own, language);
  const { states, page } = words.texts;
  const state = stateOf(view);
  const { heading, advice } = states[state];
  const [keptAfterWait, keptUnknown] = keptRules(view, words);
  return {
    language,
    ...brandSlots(own, host, language),
    message: asHtml(view.message),
    // Where it is not there in the visitor's language, the operator has written it for visitors of every language.
    messageLanguage: own.texts[language]?.[MESSAGE] === undefined ? defaultTemplateLanguage : language,
    state,
    posted: view.posted ? "yes" : "",
    note: view.posted ? asHtml(page.formNotSent) : "",
    heading: asHtml(heading),
    advice: asHtml(filled(advice, { time: enterTime(view, language) })),
    stay: asHtml(stayRule(view, words)),
    kept: asHtml(showsWait(view) ? keptAfterWait : keptUnknown),
    keptAfterWait: asHtml(keptAfterWait),
    keptUnknown: asHtml(keptUnknown),
    needed: view.kind === "unproved" ? `<noscript class="needed"><p>${asHtml(page.scriptNeeded)}</p></noscript>` : "",
  };
}

/** In another tab: this page goes on polling. */
function drawLink(address: string | undefined, { page }: Texts): string {
  return address === undefined ? "" : `<a href="${escapeHtml(address)}" target="_blank">${asHtml(page.draw)}</a>`;
}

/** What may differ from one visitor to the next. */
function ownParts(view: WaitingView, { language, page, again, here, leave, languages, notify }: PageForm) {
  const words = page.texts[language] === undefined ? wordsOf(language) : wordsFor(page, language);
  const hasPlace = view.position > 0;
  const { lastUpdatedMs, refreshSeconds, event } = view;
  const [low, high] = view.waitRange ?? [view.waitSeconds, view.waitSeconds];
  const opens = event?.phase === "prequeue" ? event.seconds : undefined;
  return {
    title: asHtml(titleOf(view, words)),
    enterSeconds: view.enterSeconds ?? "",
    opensSeconds: opens ?? "",
    countdown: opens === undefined ? "" : spanDigits(opens, words),
    visitor: view.supportId === "" ? "" : asHtml(filled(words.texts.page.visitor, { id: view.supportId })),
    here: escapeHtml(here),
    leave: escapeHtml(leave),
    languages: escapeHtml(languages),
    notify: notify === undefined ? "" : contactPart(view, notify, words),
    draw: drawLink(view.draw, words.texts),
    place: view.position,
    lowSeconds: low ?? "",
    highSeconds: high ?? "",
    refreshSeconds,
    again: escapeHtml(again),
    position: hasPlace ? asHtml(words.number(view.position)) : "",
    wait: hasPlace ? asHtml(waitWords(view, words)) : "",
    proof: view.challenge === undefined ? "" : fillProof({ challenge: escapeHtml(view.challenge) }),
    updatedIso: new Date(lastUpdatedMs).toISOString(),
    updated: asHtml(words.clockTime(lastUpdatedMs)),
    next: asHtml(words.clockTime(lastUpdatedMs + refreshSeconds * 1_000)),
  };
}
