/**
 * The page that a waiting visitor sees: the built-in one, or the room's own mustache template.
 *
 * The built-in page says everything without JavaScript, where the `Refresh` header reloads it; with JavaScript it stops
 * that reload (`window.stop()`) and polls the same address for JSON instead. It loads nothing from anywhere, and all
 * its script and style are constants, so that a Content-Security-Policy can name them by hash. When a template fails at
 * render, visitors get the built-in page, and the caller learns it. The caller sets status, headers and cookies.
 */

import type { Room } from "../config/room.ts";
import { messageOf } from "../message-of.ts";
import { inlineOnlyPolicy, pageSource } from "./own-page.ts";
import { grouped, POSTED_NOTE, STATES, stateOf, titleOf, waitWords } from "./page-words.ts";
import { ParsedTemplates } from "./parsed-templates.ts";
import { escapeHtml, slotTemplate } from "./slot-template.ts";
import { ahead, type WaitingView, waitingJson, waitMinutes } from "./waiting-json.ts";
import html from "./waiting-page.html" with { type: "text" };

export interface WaitingPage {
  readonly html: string;
  /**
   * Value of the Content-Security-Policy header. For a room's own template, which may load anything, it only says which
   * sites may frame it.
   */
  readonly contentSecurityPolicy: string | undefined;
  /** Why the room's template could not be used, for log and metric; undefined when all is well. */
  readonly templateProblem: string | undefined;
}

/** What a page depends on besides the view. */
export interface PageForm extends Pick<Room, "customPageHtml"> {
  /** The page's own address, marked: a reload from there without the cookie is recognised. */
  readonly again: string;
}

/** The page for `view`; escapes what it fills in. */
export function renderWaitingPage(view: WaitingView, { customPageHtml, again }: PageForm): WaitingPage {
  if (customPageHtml === "") return builtInPage(view, again);
  try {
    const html = templates.render(customPageHtml, templateVariables(view));
    return { html, contentSecurityPolicy: undefined, templateProblem: undefined };
  } catch (error) {
    // The visitor still gets a page; the operator's design is lost until the template is repaired.
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

const source = pageSource(String(html)).replace("/*states*/ {}", () => JSON.stringify(STATES));

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
  "next",
]);

const policy = inlineOnlyPolicy(source);

function builtInPage(view: WaitingView, again: string, templateProblem?: string): WaitingPage {
  const state = stateOf(view);
  const { heading, advice } = STATES[state];
  const hasPlace = view.position > 0;
  const updatedIso = new Date(view.lastUpdatedMs).toISOString();
  const nextIso = new Date(view.lastUpdatedMs + view.refreshSeconds * 1_000).toISOString();
  const html = fill({
    title: titleOf(view),
    state,
    place: view.position,
    waitSeconds: view.waitSeconds ?? "",
    refreshSeconds: view.refreshSeconds,
    posted: view.posted ? "yes" : "",
    again: escapeHtml(again),
    note: view.posted ? POSTED_NOTE : "",
    heading,
    position: hasPlace ? grouped(view.position) : "",
    ahead: hasPlace ? grouped(ahead(view)) : "",
    wait: hasPlace ? waitWords(view) : "",
    advice,
    updatedIso,
    updated: clockTime(updatedIso),
    next: clockTime(nextIso),
  });
  return { html, contentSecurityPolicy: policy, templateProblem };
}

/** The time of day; the script puts it in the visitor's own time. */
function clockTime(iso: string): string {
  return `${iso.slice(11, 19)} UTC`;
}
