/**
 * Previews of waiting pages: templates that a token uploaded, shown for an hour at an address that nobody can guess.
 *
 * They are in this node's memory. The page comes from the admin address, where the dashboard is, and its template is
 * anybody's who may configure a zone. So a browser gets it in a sandbox: its scripts run in an origin of its own, and
 * can send nothing.
 */

import type { WaitingView } from "../../gate/waiting-view.ts";
import { samplePage } from "../../operator/api/page-sample.ts";

/** A template takes up to 256 KiB: all previews together take 16 MiB at most. The oldest makes way. */
const PREVIEWS_MAX = 64;

/** In a zone its own oldest makes way, so that one does not clear those of all others. */
const ZONE_PREVIEWS_MAX = PREVIEWS_MAX / 4;

/** Long enough to look at a page with colleagues. */
const KEPT_MS = 3_600_000;

/** The wait that a preview shows, as Cloudflare's does, in minutes; and the longest that one may ask for. */
const WAIT_MINUTES = 10;
const WAIT_MINUTES_MAX = 100_000;

/** How far away an event's start or end is in a preview. */
const EVENT_SECONDS = 1_800;

export const PREVIEW_HEADERS = {
  "Content-Security-Policy":
    "sandbox allow-scripts; connect-src 'none'; form-action 'none'; frame-src 'none'; frame-ancestors 'none'; base-uri 'none'",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cache-Control": "no-store",
} as const;

export class Previews {
  readonly #kept = new Map<string, { readonly template: string; readonly zone: string; readonly untilMs: number }>();

  /** Keeps a template of a zone; the id under which `template` finds it. */
  keep(template: string, zone: string, nowMs: number): string {
    const id = crypto.randomUUID().replaceAll("-", "");
    this.#kept.set(id, { template, zone, untilMs: nowMs + KEPT_MS });
    const all = [...this.#kept];
    const own = all.filter(([, kept]) => kept.zone === zone);
    const [oldest] = own.length > ZONE_PREVIEWS_MAX ? own : all.length > PREVIEWS_MAX ? all : [];
    if (oldest !== undefined) this.#kept.delete(oldest[0]);
    return id;
  }

  /** The template; undefined if there is none, or no longer. */
  template(id: string, nowMs: number): string | undefined {
    const kept = this.#kept.get(id);
    return kept !== undefined && nowMs < kept.untilMs ? kept.template : undefined;
  }
}

/** The page; `query` is what Cloudflare's previews understand in their address. */
export function previewPage(template: string, query: Query, nowMs: number): string {
  return samplePage(template, nowMs, { view: viewAsked(query) }).html;
}

/** Unknown values are those of a preview without them. */
function viewAsked({
  force_queue,
  queue_is_full,
  queueing_method,
  event,
  shuffle_at_event_start,
  waitTime,
}: Query): Partial<WaitingView> {
  const method = METHODS.find((each) => each === queueing_method) ?? "fifo";
  const isHeld = force_queue === "true" || event === "prequeueing";
  const minutes = Number(waitTime);
  const isWait = Number.isInteger(minutes) && minutes > 0 && minutes <= WAIT_MINUTES_MAX;
  const kind = queue_is_full === "true" ? "full" : method === "reject" && !isHeld ? "rejected" : "waiting";
  const phase = event === "prequeueing" ? "prequeue" : event === "started" ? "active" : undefined;
  return {
    kind,
    queueingMethod: method,
    queueAll: isHeld,
    ...(kind !== "waiting" && { position: 0 }),
    waitSeconds: isHeld ? null : (isWait ? minutes : WAIT_MINUTES) * 60,
    event: phase && { phase, seconds: EVENT_SECONDS, shuffles: shuffle_at_event_start === "true" },
  };
}

type Query = Readonly<Record<string, string>>;

const METHODS = ["fifo", "random", "passthrough", "reject"] as const;
