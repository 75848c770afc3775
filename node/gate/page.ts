/**
 * The page that a waiting visitor sees: the built-in one, or the room's own mustache template.
 *
 * The built-in page says everything without JavaScript, where the `Refresh` header reloads it; with JavaScript it stops
 * that reload (`window.stop()`) and polls the same address for JSON instead. It loads nothing from anywhere, and all
 * its script and style are constants, so that a Content-Security-Policy can name them by hash.
 * A template that fails at render must not cost visitors their page: they get the built-in one, and the caller is told.
 * Status, headers and cookies are the caller's.
 */

import { createHash } from "node:crypto";
import type { Room } from "../config/room.ts";
import { messageOf } from "../message-of.ts";
import type { HeaderList } from "./http/message.ts";
import css from "./page.css" with { type: "text" };
import { ParsedTemplates } from "./parsed-templates.ts";
import { escapeHtml, slotTemplate } from "./slot-template.ts";
import { ahead, formatMinutes, type WaitingView, waitingJson, waitMinutes } from "./waiting-json.ts";
import html from "./waiting-page.html" with { type: "text" };

export interface WaitingPage {
  readonly html: string;
  /** Value of the Content-Security-Policy header; undefined for a room's own template, which may load what it likes, but only says who may frame it. */
  readonly contentSecurityPolicy: string | undefined;
  /** Why the room's template could not be used, for log and metric; undefined when all is well. */
  readonly templateProblem: string | undefined;
}

/** What a page depends on besides the view. */
export interface PageForm extends Pick<Room, "customPageHtml"> {
  /** The page's own address, marked: from there a reload without the cookie is known as one. */
  readonly again: string;
}

/** The page for `view`; escapes what it fills in. */
export function renderWaitingPage(view: WaitingView, { customPageHtml, again }: PageForm): WaitingPage {
  if (customPageHtml === "") return builtInPage(view, again);
  try {
    const html = templates.render(customPageHtml, templateVariables(view));
    return { html, contentSecurityPolicy: undefined, templateProblem: undefined };
  } catch (error) {
    // Saves the visitor's page; the operator's design is lost until the template is repaired.
    return builtInPage(view, again, messageOf(error));
  }
}

const templates = new ParsedTemplates();

/** What a room's template may use: all of `cfWaitingRoom`, the time in hours and minutes, and the place in line. */
export function templateVariables(view: WaitingView): Readonly<Record<string, unknown>> {
  const { cfWaitingRoom, anteroom } = JSON.parse(waitingJson(view));
  const minutes = waitMinutes(view) ?? 0;
  const { posted } = view;
  const [waitTimeHours, waitTimeHourMinutes] = [Math.floor(minutes / 60), minutes % 60];
  return { ...cfWaitingRoom, ...anteroom, posted, waitTimeHours, waitTimeHourMinutes };
}

/** What the page tells in words; `next` is the first in line. */
const STATES = {
  waiting: {
    heading: "You are in line",
    advice: "Keep this page open. Your place is kept, and you will be let in automatically when it is your turn.",
  },
  next: {
    heading: "You are next",
    advice: "Keep this page open. You will be let in automatically as soon as there is room.",
  },
  held: {
    heading: "The line is paused",
    advice: "Nobody is being let in right now. Keep this page open: your place is kept, and the line will move again.",
  },
  down: {
    heading: "The site does not answer",
    advice:
      "The site behind this waiting room does not answer at the moment. You keep your place. Keep this page open: the line moves again as soon as the site is back.",
  },
  full: {
    heading: "The line is full",
    advice: "Nobody else can join at the moment. Keep this page open: it tries again automatically.",
  },
  cookies: {
    heading: "Please allow cookies",
    advice:
      "Your browser does not keep the cookie that holds a place in line, so you have none yet. Please allow cookies for this site in your browser. This page then gets you a place automatically.",
  },
  rejected: {
    heading: "Closed at the moment",
    advice: "No visitors are being let in now. Please come back later.",
  },
};

// Line breaks before style and script rules carry nothing: without their indentation the page is a fifth smaller.
const source = String(html)
  .replace("/*page.css*/", () => css)
  .replace("/*states*/ {}", () => JSON.stringify(STATES))
  .replace(/^\s*\/\/.*\n/gm, "")
  .replace(/\n\s+/g, "\n");

const fill = slotTemplate(source, [
  "title",
  "state",
  "place",
  "waitSeconds",
  "refreshSeconds",
  "posted",
  "again",
  "note",
  "heading",
  "position",
  "ahead",
  "wait",
  "advice",
  "updatedIso",
  "updated",
]);

/** Other sites' pages must not show ours in a frame: it could not keep its cookie, and its visitor did not ask for it. */
const OWN_FRAMES_ONLY = "frame-ancestors 'self'";

/** The fields of every page of ours. `X-Frame-Options` says the same to browsers that know no `frame-ancestors`. */
export function pageHeaders(contentSecurityPolicy: string = OWN_FRAMES_ONLY): HeaderList {
  return [
    ...["Content-Type", "text/html; charset=utf-8", "Cache-Control", "no-store"],
    ...["Content-Security-Policy", contentSecurityPolicy, "X-Frame-Options", "SAMEORIGIN"],
  ];
}

/** Content-Security-Policy of a page that loads nothing but its own inline style and script. `img-src` is for the empty icon. */
export function inlineOnlyPolicy(page: string): string {
  const hashes = (tag: string) =>
    [...page.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, "g"))].map(
      ([, body = ""]) => `'sha256-${createHash("sha256").update(body).digest("base64")}'`,
    );
  const sources = (tag: string) => hashes(tag).join(" ") || "'none'";
  return `default-src 'none'; style-src ${sources("style")}; script-src ${sources("script")}; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; ${OWN_FRAMES_ONLY}`;
}

const policy = inlineOnlyPolicy(source);

const POSTED_NOTE = "What you sent was not passed on. When you are let in, please send it again.";

function builtInPage(view: WaitingView, again: string, templateProblem?: string): WaitingPage {
  const state = stateOf(view);
  const { heading, advice } = STATES[state];
  const updatedIso = new Date(view.lastUpdatedMs).toISOString();
  const html = fill({
    // Written as an entity: one character above latin1 would make the whole page twice as wide in memory, and slow to send.
    title: view.position === 0 ? heading : `Place ${grouped(view.position)} &mdash; please wait`,
    state,
    place: view.position,
    waitSeconds: view.waitSeconds ?? "",
    refreshSeconds: view.refreshSeconds,
    posted: view.posted ? "yes" : "",
    again: escapeHtml(again),
    note: view.posted ? POSTED_NOTE : "",
    heading,
    position: grouped(view.position),
    ahead: grouped(ahead(view)),
    wait: waitWords(view),
    advice,
    updatedIso,
    updated: `${updatedIso.slice(11, 19)} UTC`,
  });
  return { html, contentSecurityPolicy: policy, templateProblem };
}

/** The page's script derives the same from `cfWaitingRoom`. */
function stateOf(view: WaitingView): keyof typeof STATES {
  if (view.kind === "cookieless") return "cookies";
  if (view.kind === "full") return "full";
  if (view.queueAll) return "held";
  if (view.kind === "rejected") return "rejected";
  if (!view.originReachable) return "down";
  return view.position === 1 ? "next" : "waiting";
}

function waitWords(view: WaitingView): string {
  const minutes = waitMinutes(view);
  if (minutes === null) return "not known yet";
  return minutes === 1 ? "about a minute" : `about ${formatMinutes(minutes)}`;
}

/** 12345 as "12,345". */
function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}
