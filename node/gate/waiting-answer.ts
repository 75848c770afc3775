/**
 * The answer to a visitor who is not let in: what it says, how soon to ask again, and in which form.
 *
 * Pages carry `Refresh`, so that they work without JavaScript; JSON carries `Retry-After`. Nothing of it may be stored.
 */

import type { Decision } from "../admission/admission.ts";
import type { Room } from "../config/room.ts";
import type { HeaderList } from "./http/message.ts";
import { renderWaitingPage } from "./page.ts";
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

/** Seconds between polls of the next to come in: a freed slot is not idle for longer. At 1, the front polls twice as much. */
const FRONT_REFRESH_SECONDS = 2;

/** Positions that count as the front whatever the estimate says, since a slot may come free at any time. */
const FRONT_POSITIONS = 10;

/** Polls in the time a visitor is expected to wait: more load the gate, fewer leave freed slots idle for longer. */
const POLLS_PER_WAIT = 4;

export function waitingView(decision: Exclude<Decision, { kind: "admitted" }>, room: Room, nowMs: number): WaitingView {
  const common = { queueingMethod: room.queueingMethod, queueAll: room.queueAll, lastUpdatedMs: nowMs };
  const refreshSeconds = room.refreshIntervalSeconds;
  if (decision.kind === "rejected") {
    return { ...common, kind: "rejected", position: 0, waitSeconds: null, refreshSeconds: 0 };
  }
  if (decision.kind === "full") return { ...common, kind: "full", position: 0, waitSeconds: null, refreshSeconds };
  const { position, wait } = decision.place;
  const waitSeconds = wait?.seconds ?? null;
  return {
    ...common,
    kind: "waiting",
    position,
    waitSeconds,
    refreshSeconds: refreshFor({ position, waitSeconds, refreshSeconds }),
  };
}

export function waitingAnswer(view: WaitingView, room: Room, wantsJson: boolean): WaitingAnswer {
  const status = room.queueingStatusCode;
  if (wantsJson) {
    const headers = [...JSON_HEADERS];
    if (view.refreshSeconds > 0) headers.push("Retry-After", String(view.refreshSeconds));
    return { status, headers, body: waitingJson(view), templateProblem: undefined };
  }
  const { html, contentSecurityPolicy, templateProblem } = renderWaitingPage(view, room);
  const headers = ["Cache-Control", "no-store", "Content-Type", "text/html; charset=utf-8"];
  if (view.refreshSeconds > 0) headers.push("Refresh", String(view.refreshSeconds));
  if (contentSecurityPolicy !== undefined) headers.push("Content-Security-Policy", contentSecurityPolicy);
  return { status, headers, body: html, templateProblem };
}

function refreshFor(visitor: { position: number; waitSeconds: number | null; refreshSeconds: number }): number {
  const { position, waitSeconds, refreshSeconds } = visitor;
  if (waitSeconds === null) return refreshSeconds;
  const front = Math.min(FRONT_REFRESH_SECONDS, refreshSeconds);
  if (position <= FRONT_POSITIONS) return front;
  return Math.min(refreshSeconds, Math.max(front, Math.ceil(waitSeconds / POLLS_PER_WAIT)));
}
