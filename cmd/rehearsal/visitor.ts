/**
 * One visitor, from the first request to the last: waits if asked to, enters, looks around, leaves.
 *
 * With JavaScript it does what the waiting page's script does: it polls, and loads the page when it is its turn; where
 * a room asks for a step to enter, it takes a moment to click. Without, it follows the Refresh field. Some reload the
 * page all the time. All requests are timed from the moment at which they were due.
 */

import type { Seen } from "./answer-kind.ts";
import { Browser, type BrowserParts } from "./browser.ts";
import type { Latencies } from "./latencies.ts";
import { clickMs, lookMs, type Manner, retryMs, waitingMs } from "./pauses.ts";
import type { Asked, Tally } from "./tally.ts";

export interface VisitorPlan {
  /** Names the visitor to the site, so that it can count visitors. */
  readonly name: string;
  readonly manner: Manner;
  /** When the first request is due. */
  readonly dueMs: number;
  /** How long it stays in line, at most. */
  readonly patienceMs: number;
  /** How long it stays on the site. */
  readonly stayMs: number;
  /** How long it looks at one page, on average. */
  readonly thinkMs: number;
  /** The first one is where it arrives. */
  readonly paths: readonly string[];
  readonly random: () => number;
}

export interface VisitorParts extends BrowserParts {
  readonly tally: Tally;
  /** How late requests are sent. */
  readonly lateness: Latencies;
  readonly signal: AbortSignal;
}

/** Redirects in a row; browsers follow 20. */
const REDIRECTS_MAX = 20;

/** Errors in a row after which a visitor who is not in line leaves. */
const ERRORS_MAX = 4;

interface Sending {
  /** When the navigation or poll was due, of which this is the first request or a redirect. */
  readonly dueMs: number;
  readonly isFirst: boolean;
  readonly isPoll: boolean;
}

/** Plays the visitor until it has left, or the run is over. */
export async function play(plan: VisitorPlan, parts: VisitorParts): Promise<void> {
  const visitor = new Visitor(plan, parts);
  await visitor.run();
}

class Visitor {
  readonly #plan: VisitorPlan;
  readonly #parts: VisitorParts;
  readonly #browser: Browser;
  /** When the first request was sent, and when it first saw a place in line. */
  #cameMs: number | undefined;
  #joinedMs: number | undefined;
  #leavesMs: number | undefined;
  /** The latest arrival of those who were in when the last request was sent. */
  #latestInMs = Number.NEGATIVE_INFINITY;
  #isWaiting = false;
  #isInside = false;
  #wasIn = false;
  #isOvertaken = false;
  #owedProof = false;
  #errors = 0;
  /** The page that it looks at, without the marks of the waiting page. */
  #path: string;

  constructor(plan: VisitorPlan, parts: VisitorParts) {
    this.#plan = plan;
    this.#parts = parts;
    this.#browser = new Browser(parts, plan.name);
    this.#path = plan.paths[0] ?? "/";
  }

  async run(): Promise<void> {
    const { signal, tally } = this.#parts;
    const end = (): void => this.#browser.end();
    signal.addEventListener("abort", end);
    tally.arrived += 1;
    try {
      await this.#visit();
    } finally {
      signal.removeEventListener("abort", end);
      if (signal.aborted && this.#isWaiting) tally.stillWaiting += 1;
      if (signal.aborted && this.#isInside) tally.stillInside += 1;
      this.#goesOut();
      this.#leavesLine();
      end();
    }
  }

  async #visit(): Promise<void> {
    const { signal, tally } = this.#parts;
    const { random } = this.#plan;
    let { dueMs } = this.#plan;
    let target = this.#path;
    let isPoll = false;
    while (!signal.aborted) {
      const seen: Seen | undefined = isPoll ? await this.#poll(dueMs) : await this.#load(target, dueMs);
      if (seen === undefined || signal.aborted) return;
      const hasPlace = this.#joinedMs !== undefined;
      this.#errors = seen.kind === "error" ? this.#errors + 1 : 0;
      target = this.#path;
      if (seen.kind === "site") {
        const nextMs = this.#looks();
        if (nextMs === undefined) {
          tally.left += 1;
          return;
        }
        dueMs = nextMs;
        this.#path = this.#nextPath();
        target = this.#path;
        isPoll = false;
      } else if (seen.kind === "waiting") {
        isPoll = this.#plan.manner === "script" && seen.pollSeconds !== undefined;
        if (!isPoll && this.#plan.manner !== "reloads") target = this.#again(seen.again);
        dueMs = this.#nowMs + waitingMs(seen, this.#plan);
      } else if (seen.kind === "turn") {
        isPoll = false;
        dueMs = this.#nowMs + clickMs(seen.enterSeconds, random);
      } else if (seen.kind === "error") {
        if (this.#errors >= ERRORS_MAX && !hasPlace && !this.#wasIn) {
          tally.lostToErrors += 1;
          return;
        }
        dueMs =
          this.#nowMs + retryMs(seen.retryAfterSeconds, { errors: this.#errors, isWaiting: this.#isWaiting, random });
      } else return;
      if (!(await this.#until(dueMs))) return;
    }
  }

  /** Loads a page, redirects included; undefined when the run is over. */
  async #load(target: string, dueMs: number): Promise<Seen | undefined> {
    const { tally } = this.#parts;
    const asked: Asked = this.#isInside ? "site" : "waiting page";
    const wasGood = this.#isInside && this.#browser.hasGoodCookie;
    let path = target;
    for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
      const seen = await this.#send(path, { dueMs, isFirst: redirects === 0, isPoll: false });
      if (seen === undefined) return undefined;
      if (seen.kind !== "redirect") {
        const kind = seen.kind === "site" ? "site" : seen.kind === "error" ? asked : "waiting page";
        tally.answered(kind, this.#nowMs - dueMs);
        if (seen.kind === "site") this.#comesIn();
        else if (seen.kind === "waiting") {
          if (wasGood) tally.sentBack += 1;
          this.#waits(seen);
        }
        return seen;
      }
      const next = this.#browser.onSite(seen.to, path);
      if (next === undefined) {
        tally.answered(asked, this.#nowMs - dueMs);
        tally.sentElsewhere += 1;
        tally.error("redirect to another host");
        return seen;
      }
      path = next;
    }
    tally.answered(asked, this.#nowMs - dueMs);
    tally.error("too many redirects");
    return { kind: "error", status: 0, retryAfterSeconds: 0 };
  }

  /** Asks as the waiting page's script does. */
  async #poll(dueMs: number): Promise<Seen | undefined> {
    const seen = await this.#send(this.#path, { dueMs, isFirst: true, isPoll: true });
    if (seen === undefined) return undefined;
    this.#parts.tally.answered("poll", this.#nowMs - dueMs);
    if (seen.kind === "waiting") this.#waits(seen);
    return seen;
  }

  async #send(path: string, { dueMs, isFirst, isPoll }: Sending): Promise<Seen | undefined> {
    const { tally, lateness } = this.#parts;
    const sentMs = this.#nowMs;
    if (isFirst) lateness.add(sentMs - dueMs);
    this.#cameMs ??= sentMs;
    this.#latestInMs = tally.latestAdmittedCameMs;
    const got = await this.#browser.get(path, isPoll);
    if (got.kind === "ended") {
      tally.unanswered(isPoll ? "poll" : this.#isInside ? "site" : "waiting page", this.#nowMs - dueMs);
      return undefined;
    }
    if (got.kind === "failure") {
      tally.error(got.failure);
      return { kind: "error", status: 0, retryAfterSeconds: 0 };
    }
    const { seen } = got;
    if (seen.kind === "error") tally.error(`status ${seen.status}`);
    return seen;
  }

  #comesIn(): void {
    const { tally } = this.#parts;
    const nowMs = this.#nowMs;
    this.#leavesLine();
    if (!this.#wasIn) {
      tally.admitted += 1;
      if (this.#joinedMs !== undefined) tally.waits.add(nowMs - this.#plan.dueMs);
      tally.latestAdmittedCameMs = Math.max(tally.latestAdmittedCameMs, this.#cameMs ?? nowMs);
    }
    this.#wasIn = true;
    if (!this.#isInside) tally.enters();
    this.#isInside = true;
  }

  #waits({ position, owesProof }: Extract<Seen, { kind: "waiting" }>): void {
    const { tally } = this.#parts;
    this.#goesOut();
    if (owesProof && !this.#owedProof) tally.proofAsked += 1;
    this.#owedProof ||= owesProof;
    if (!this.#isWaiting) tally.joins();
    this.#isWaiting = true;
    // One who came after this one had a place, and was in before this one asked.
    const isPassed = this.#joinedMs !== undefined && position > 0 && this.#latestInMs > this.#joinedMs;
    if (isPassed && !this.#isOvertaken && !this.#wasIn) {
      this.#isOvertaken = true;
      tally.overtaken += 1;
    }
    if (this.#joinedMs !== undefined) return;
    tally.joined += 1;
    this.#joinedMs = this.#nowMs;
  }

  /** When the next page is due; undefined when it is time to leave. */
  #looks(): number | undefined {
    const { stayMs, thinkMs, random } = this.#plan;
    const nowMs = this.#nowMs;
    this.#leavesMs ??= nowMs + stayMs;
    const dueMs = nowMs + lookMs(thinkMs, random);
    return nowMs >= this.#leavesMs ? undefined : dueMs;
  }

  /** Where a page without JavaScript asks again. */
  #again(to: string | undefined): string {
    return (to === undefined ? undefined : this.#browser.onSite(to, this.#path)) ?? this.#path;
  }

  #nextPath(): string {
    const { paths, random } = this.#plan;
    return paths[Math.floor(random() * paths.length)] ?? "/";
  }

  /** Waits until `dueMs`; false when the visit ends before. */
  async #until(dueMs: number): Promise<boolean> {
    const { signal, tally } = this.#parts;
    const { patienceMs, dueMs: arrivedMs } = this.#plan;
    const isInLine = !this.#wasIn;
    const endMs = isInLine ? arrivedMs + patienceMs : (this.#leavesMs ?? Number.POSITIVE_INFINITY);
    await this.#sleepUntil(Math.min(dueMs, endMs));
    if (signal.aborted) return false;
    if (dueMs <= endMs) return true;
    if (isInLine) tally.abandoned += 1;
    else tally.left += 1;
    return false;
  }

  /** A session that ends meanwhile is over for the count of those inside. */
  async #sleepUntil(untilMs: number): Promise<void> {
    const { clock, signal } = this.#parts;
    const goodToMs = this.#nowMs + this.#browser.goodForMs;
    if (this.#isInside && goodToMs < untilMs) {
      await clock.pause(goodToMs - this.#nowMs, signal);
      this.#goesOut();
    }
    await clock.pause(untilMs - this.#nowMs, signal);
  }

  get #nowMs(): number {
    return this.#parts.clock.steadyMs();
  }

  #goesOut(): void {
    if (this.#isInside) this.#parts.tally.inside -= 1;
    this.#isInside = false;
  }

  #leavesLine(): void {
    if (this.#isWaiting) this.#parts.tally.waiting -= 1;
    this.#isWaiting = false;
  }
}
