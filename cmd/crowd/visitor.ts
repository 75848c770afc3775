/**
 * One visitor, from the first request to the last: waits if asked to, enters, looks around, leaves.
 *
 * With JavaScript it does what the waiting page's script does: it polls, and loads the page when it is its turn; where
 * a room asks for a step to enter, it takes a moment to click. Without, it follows the Refresh field. Some reload the
 * page all the time. An app asks for JSON, and again when the answer says so. A witness is told what the visitor sees.
 */

import { Browser, type BrowserParts, type Got, type NoAnswer } from "./browser.ts";
import { clickMs, type Manner, retryMs, waitingMs } from "./pauses.ts";
import { pageSeen, pollSeen, type Seen } from "./seen.ts";

export interface VisitPlan {
  readonly manner: Manner;
  /** When the first request is due. */
  readonly dueMs: number;
  /** How long it stays in line, at most. */
  readonly patienceMs: number;
  /** How long it stays on the site. */
  readonly stayMs: number;
  /** How long it looks at the next page. */
  readonly lookMs: () => number;
  /** The first one is where it arrives. */
  readonly paths: readonly string[];
  /** Errors in a row after which it leaves, unless it is in line. */
  readonly errorsMax: number;
  readonly random: () => number;
}

/** How a visit ended: by itself, out of patience, after errors, at another site, or with the run. */
export type End = "left" | "impatient" | "errors" | "elsewhere" | "stopped";

/** A navigation with its redirects, or a poll. */
export interface Asked {
  readonly isPoll: boolean;
  /** How long it took, from the moment at which it was due. */
  readonly ms: number;
}

export interface Witness {
  /** The first request of a navigation, or a poll, is sent so long after it was due. */
  sends?(lateMs: number): void;
  /** What came of it. `got` is the answer; undefined for a failure. */
  sees(seen: Seen, asked: Asked & { readonly got: Got | undefined; readonly browser: Browser }): void;
  /** The run ended before the answer came. */
  unanswered?(asked: Asked): void;
  /** The session has ended while the visitor looked at a page. */
  goesOut?(): void;
  /** The visitor is gone. */
  ends(how: End): void;
}

/** Redirects in a row; browsers follow 20. */
const REDIRECTS_MAX = 20;

/** Plays the visitor until it has left, or the run is over. */
export async function visit(plan: VisitPlan, parts: BrowserParts, witness: Witness): Promise<void> {
  const browser = new Browser(parts);
  const end = (): void => browser.end();
  parts.signal.addEventListener("abort", end);
  let how: End = "stopped";
  try {
    how = await new Visitor(plan, { ...parts, browser, witness }).run();
  } finally {
    parts.signal.removeEventListener("abort", end);
    witness.ends(how);
    end();
  }
}

interface VisitorParts extends Pick<BrowserParts, "clock" | "signal"> {
  readonly browser: Browser;
  readonly witness: Witness;
}

class Visitor {
  readonly #plan: VisitPlan;
  readonly #parts: VisitorParts;
  #leavesMs: number | undefined;
  /** What it saw last, errors left out. */
  #last: Seen["kind"] | undefined;
  #errors = 0;
  /** The page that it looks at, without the marks of the waiting page. */
  #path: string;

  constructor(plan: VisitPlan, parts: VisitorParts) {
    this.#plan = plan;
    this.#parts = parts;
    this.#path = plan.paths[0] ?? "/";
  }

  async run(): Promise<End> {
    const { signal } = this.#parts;
    const { manner, random, stayMs, lookMs, errorsMax } = this.#plan;
    let { dueMs } = this.#plan;
    let target = this.#path;
    let isPoll = false;
    for (;;) {
      const seen: Seen | undefined = await (isPoll ? this.#poll(dueMs) : this.#load(target, dueMs));
      if (seen === undefined || signal.aborted) return "stopped";
      const nowMs = this.#nowMs;
      const isWaiting = this.#last === "waiting";
      this.#errors = seen.kind === "error" ? this.#errors + 1 : 0;
      if (seen.kind !== "error") this.#last = seen.kind;
      switch (seen.kind) {
        case "site":
          this.#leavesMs ??= nowMs + stayMs;
          if (nowMs >= this.#leavesMs) return "left";
          dueMs = nowMs + lookMs();
          this.#path = this.#nextPath();
          target = this.#path;
          isPoll = false;
          break;
        case "waiting":
          isPoll = manner === "script" && seen.pollSeconds !== undefined;
          target = (manner === "no script" && this.#onSite(seen.again)) || this.#path;
          dueMs = nowMs + waitingMs(seen, this.#plan);
          break;
        case "turn":
          isPoll = false;
          target = this.#path;
          dueMs = nowMs + clickMs(seen.enterSeconds, random);
          break;
        case "error":
          if (this.#errors >= errorsMax && !isWaiting) return "errors";
          target = this.#path;
          dueMs = nowMs + retryMs(seen.retryAfterSeconds, { errors: this.#errors, isWaiting, random });
          break;
        case "redirect":
          return "elsewhere";
      }
      const end = await this.#until(dueMs);
      if (end !== undefined) return end;
    }
  }

  /** Loads a page, redirects included; undefined when the run is over. */
  async #load(target: string, dueMs: number): Promise<Seen | undefined> {
    const { browser, witness } = this.#parts;
    witness.sends?.(this.#nowMs - dueMs);
    let path = target;
    let got: Got | undefined;
    let seen: Seen | undefined;
    for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
      const outcome = await browser.get(path, this.#plan.manner === "app" ? "app" : "page");
      got = outcome.kind === "answer" ? outcome : undefined;
      seen = outcome.kind === "answer" ? pageSeen(outcome) : failureSeen(outcome);
      const next = seen?.kind === "redirect" ? browser.onSite(seen.to, path) : undefined;
      if (next === undefined) return this.#seen(seen, got, { isPoll: false, dueMs });
      path = next;
    }
    return this.#seen(error("too many redirects"), got, { isPoll: false, dueMs });
  }

  /** Asks as the waiting page's script does. */
  async #poll(dueMs: number): Promise<Seen | undefined> {
    this.#parts.witness.sends?.(this.#nowMs - dueMs);
    const outcome = await this.#parts.browser.get(this.#path, "poll");
    const isAnswer = outcome.kind === "answer";
    const seen = isAnswer ? pollSeen(outcome) : failureSeen(outcome);
    return this.#seen(seen, isAnswer ? outcome : undefined, { isPoll: true, dueMs });
  }

  #seen(
    seen: Seen | undefined,
    got: Got | undefined,
    { isPoll, dueMs }: { readonly isPoll: boolean; readonly dueMs: number },
  ): Seen | undefined {
    const { witness, browser } = this.#parts;
    const asked = { isPoll, ms: this.#nowMs - dueMs };
    if (seen === undefined) witness.unanswered?.(asked);
    else witness.sees(seen, { ...asked, got, browser });
    return seen;
  }

  /** Where a page without JavaScript asks again. */
  #onSite(to: string | undefined): string | undefined {
    return to === undefined ? undefined : this.#parts.browser.onSite(to, this.#path);
  }

  #nextPath(): string {
    const { paths, random } = this.#plan;
    return paths[Math.floor(random() * paths.length)] ?? "/";
  }

  /** Waits until `untilMs`; how the visit ends, if it does before. */
  async #until(untilMs: number): Promise<End | undefined> {
    const { signal } = this.#parts;
    const { patienceMs, dueMs: arrivedMs } = this.#plan;
    const endMs = this.#leavesMs ?? arrivedMs + patienceMs;
    await this.#sleepUntil(Math.min(untilMs, endMs));
    if (signal.aborted) return "stopped";
    if (untilMs <= endMs) return undefined;
    return this.#leavesMs === undefined ? "impatient" : "left";
  }

  /** A session that ends meanwhile is over for the count of those inside. */
  async #sleepUntil(untilMs: number): Promise<void> {
    const { clock, signal, browser, witness } = this.#parts;
    const goodToMs = this.#nowMs + browser.goodForMs;
    if (this.#last === "site" && goodToMs < untilMs) {
      await clock.pause(goodToMs - this.#nowMs, signal);
      witness.goesOut?.();
    }
    await clock.pause(untilMs - this.#nowMs, signal);
  }

  get #nowMs(): number {
    return this.#parts.clock.steadyMs();
  }
}

/** Undefined when the run is over. */
function failureSeen(outcome: NoAnswer): Seen | undefined {
  return outcome.kind === "ended" ? undefined : error(outcome.failure);
}

function error(what: string): Seen {
  return { kind: "error", what, retryAfterSeconds: 0 };
}
