/**
 * One visit: comes, waits in line if asked to, looks around, leaves. It reports to the judge what it sees of gates and
 * origin.
 */

import type { Minute } from "../../mesh/core/ids.ts";
import { startOfMinuteMs } from "../../mesh/core/minute.ts";
import type { VisitorCookie } from "../../node/cookie/seal.ts";
import { pause } from "../crowd/pause.ts";
import { POLL_SECONDS, waitingPlace } from "../crowd/waiting-place.ts";
import { Browser, type BrowserParts, type Page } from "./browser.ts";
import type { Judge } from "./judge.ts";

export interface VisitPlan extends Pick<BrowserParts, "name" | "nodes" | "locality" | "random" | "signal"> {
  readonly judge: Judge;
  /** What a cookie's value says; undefined for one that does not open. */
  readonly open: (cookie: string) => VisitorCookie | undefined;
  /** How long it stays once it has a session. */
  readonly stayMs: number;
  /** How long it looks at each page: shorter than a minute, so that the stay is extended in each. */
  readonly lookMs: () => number;
  /** When it gives up waiting. */
  readonly patienceMs: number;
  readonly minuteMs: number;
}

/** Comes and leaves; done when it has left, or the run is over. */
export async function visit(plan: VisitPlan): Promise<void> {
  const visitor = new Visitor(plan);
  try {
    await visitor.run();
  } finally {
    plan.judge.lines.left(plan.name);
  }
}

class Visitor {
  readonly #plan: VisitPlan;
  readonly #browser: Browser;
  readonly #cameMs = performance.now();
  /** End of the cookie of its session; undefined without one. */
  #goodToMs: number | undefined;
  #leavesMs: number | undefined;
  /** The pause that it was last asked to make. */
  #intervalMs = 0;

  constructor(plan: VisitPlan) {
    const { judge, name } = plan;
    this.#plan = plan;
    this.#browser = new Browser({
      ...plan,
      failed: () => this.#goodToMs === undefined && judge.lost(name, Date.now()),
      answered: (answer) => judge.answered(answer, this.#goodToMs !== undefined),
    });
  }

  async run(): Promise<void> {
    const { judge, signal, patienceMs } = this.#plan;
    while (!signal.aborted) {
      const page = await this.#browser.ask();
      if (page === undefined) {
        if (!signal.aborted) judge.unanswered += 1;
        return;
      }
      const pauseMs = page.originMs === undefined ? this.#waits(page) : this.#isInside(page, page.originMs);
      const nowMs = performance.now();
      if (nowMs > (this.#leavesMs ?? this.#cameMs + patienceMs)) return;
      await pause(pauseMs, signal);
    }
  }

  /** The origin has answered; ms until the next request. */
  #isInside({ cookie }: Page, originMs: number): number {
    const { judge, name, open, stayMs, lookMs, minuteMs } = this.#plan;
    const stay = cookie === undefined ? undefined : open(cookie);
    if (stay?.kind !== "inside") {
      judge.strays += 1;
      return lookMs();
    }
    judge.served(name, stay, originMs);
    this.#goodToMs = startOfMinuteMs((stay.lastGood + 1) as Minute, minuteMs);
    this.#leavesMs ??= performance.now() + stayMs;
    return lookMs();
  }

  /** The gate has answered that it must wait; ms until the next poll. */
  #waits({ cookie, body, askedMs, locality }: Page): number {
    const { judge, name, open, random } = this.#plan;
    const nowMs = Date.now();
    if (this.#goodToMs !== undefined) judge.thrownOut[this.#goodToMs > nowMs ? "refused" : "ranOut"] += 1;
    this.#goodToMs = undefined;
    const place = cookie === undefined ? undefined : open(cookie);
    // Without a place it is an error page of the gate: the visitor asks again.
    const told = waitingPlace(body);
    const { position, refreshSeconds, pollMs } = told ?? { position: 0, refreshSeconds: POLL_SECONDS };
    if (place?.kind === "waiting" && position > 0)
      judge.waits(
        {
          ...{ visitor: name, position, locality: place.line ?? locality, key: place.key },
          ...{ askedMs, intervalMs: this.#intervalMs },
        },
        nowMs,
      );
    this.#intervalMs = refreshSeconds * 1_000;
    // Not all in step with each other, as the waiting page does.
    return pollMs ?? refreshSeconds * 1_000 * (0.9 + 0.2 * random());
  }
}
