/**
 * The answer to a visitor who is not let in: what it says, how soon to ask again, and in which form.
 *
 * Pages carry `Refresh`, so that they work without JavaScript; JSON carries `Retry-After`. Nothing of it may be stored.
 */

import type { Decision } from "../admission/admission.ts";
import { pollPauseSeconds } from "../admission/poll-pause.ts";
import type { Room } from "../config/room.ts";
import type { HeaderList } from "./http/message.ts";
import { pageHeaders, renderWaitingPage } from "./page.ts";
import { type WaitingView, waitingJson } from "./waiting-json.ts";

export interface WaitingAnswer {
  readonly status: number;
  readonly headers: string[];
  readonly body: string;
  /** Why the room's own template was not used; undefined when all is well. */
  readonly templateProblem: string | undefined;
}

/** Fields of every answer of ours in JSON. */
export const JSON_HEADERS: HeaderList = ["Cache-Control", "no-store", "Content-Type", "application/json"];

/** A room without a template of its own. */
const PLAIN = { customPageHtml: "" };

export function waitingView(
  decision: Exclude<Decision, { kind: "admitted" }>,
  room: Room,
  { nowMs, isOriginDown }: { nowMs: number; isOriginDown: boolean },
): WaitingView {
  const common = {
    queueingMethod: room.queueingMethod,
    queueAll: room.queueAll,
    lastUpdatedMs: nowMs,
    originReachable: !isOriginDown,
  };
  const refreshSeconds = room.refreshIntervalSeconds;
  if (decision.kind === "rejected") {
    return { ...common, kind: "rejected", position: 0, waitSeconds: null, refreshSeconds: 0 };
  }
  if (decision.kind === "full") return { ...common, kind: "full", position: 0, waitSeconds: null, refreshSeconds };
  const { position, wait } = decision.place;
  // Nobody can say when a site comes back.
  const waitSeconds = isOriginDown ? null : (wait?.seconds ?? null);
  return {
    ...common,
    kind: "waiting",
    position,
    waitSeconds,
    refreshSeconds: pollPauseSeconds({ position, waitSeconds }, refreshSeconds),
  };
}

/** The answer in the form that is wanted; `isPlain`: without the room's own template, which costs more to fill in. */
export function waitingAnswer(
  view: WaitingView,
  room: Room,
  { wantsJson, isPlain }: { wantsJson: boolean; isPlain: boolean },
): WaitingAnswer {
  const status = room.queueingStatusCode;
  if (wantsJson) {
    const headers = [...JSON_HEADERS];
    if (view.refreshSeconds > 0) headers.push("Retry-After", String(view.refreshSeconds));
    return { status, headers, body: waitingJson(view), templateProblem: undefined };
  }
  const { html, contentSecurityPolicy, templateProblem } = renderWaitingPage(view, isPlain ? PLAIN : room);
  const headers = [...pageHeaders(contentSecurityPolicy)];
  if (view.refreshSeconds > 0) headers.push("Refresh", String(view.refreshSeconds));
  return { status, headers, body: html, templateProblem };
}
