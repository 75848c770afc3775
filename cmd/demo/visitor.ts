/**
 * One synthetic visitor: comes, waits in line if asked to, looks around the shop, and leaves.
 *
 * It behaves as an app would: keeps its cookie, asks for JSON, and asks again when the answer says so. Some lose
 * patience and leave the line. What happened to it is all that it returns.
 */

import { CookieJar } from "../crowd/cookie-jar.ts";
import type { Gates } from "../crowd/gates.ts";
import { waitingPlace } from "../crowd/waiting-place.ts";

export interface VisitorPlan {
  readonly gates: Gates;
  /** Names the visitor to the shop. */
  readonly name: string;
  /** How long it stays in line before it gives up. */
  readonly patienceMs: number;
  /** Pages it looks at once inside, and how long at each. */
  readonly pages: readonly { readonly path: string; readonly lookMs: number }[];
  readonly signal: AbortSignal;
}

export interface VisitorStory {
  /** Whether it was given a place in line. */
  readonly waited: boolean;
  readonly waitedMs: number;
  readonly end: "inside" | "gave-up" | "stopped" | "failed";
  /** Whether it was sent back into the line while it was inside. */
  readonly thrownOut: boolean;
}

export async function visit(plan: VisitorPlan): Promise<VisitorStory> {
  const { patienceMs, pages, signal } = plan;
  const cameMs = performance.now();
  const browser = new Browser(plan);
  let waited = false;
  let inside: VisitorStory | undefined;
  const story = (end: VisitorStory["end"]): VisitorStory => ({
    waited,
    waitedMs: performance.now() - cameMs,
    end,
    thrownOut: false,
  });
  try {
    for (let pollMs = await browser.ask("/"); pollMs !== undefined; pollMs = await browser.ask("/")) {
      waited = true;
      if (performance.now() - cameMs > patienceMs) return story("gave-up");
      await pause(pollMs, signal);
    }
    inside = story("inside");
    for (const { path, lookMs } of pages) {
      await pause(lookMs, signal);
      if ((await browser.ask(path)) !== undefined) return { ...inside, thrownOut: true };
    }
    return inside;
  } catch {
    // A refused connection or the end of the demo: the story ends here, the others go on. A visitor who is inside came
    // in.
    return signal.aborted ? (inside ?? story("stopped")) : story("failed");
  }
}

class Browser {
  readonly #plan: VisitorPlan;
  readonly #jar = new CookieJar();

  constructor(plan: VisitorPlan) {
    this.#plan = plan;
  }

  /** Asks for a page; ms until the next try when it was put in line, undefined when it got the page. */
  async ask(path: string): Promise<number | undefined> {
    const { response, body } = await this.#fetch(path);
    this.#jar.keep(response.headers.getSetCookie(), Date.now());
    const place = waitingPlace(body);
    return place && (place.pollMs ?? 1_000 * place.refreshSeconds);
  }

  /** Asks one gate, or others if it does not answer, as a load balancer does for a GET. */
  async #fetch(path: string): Promise<{ response: Response; body: string }> {
    const { gates, name, signal } = this.#plan;
    const headers = { Accept: "application/json", "X-Demo-Visitor": name };
    for (;;) {
      const gate = gates.pick();
      const cookie = this.#jar.field(path, Date.now());
      try {
        const response = await fetch(gate + path, {
          headers: { ...headers, "X-Demo-Sent": String(Date.now()), ...(cookie && { Cookie: cookie }) },
          signal,
        });
        return { response, body: await response.text() };
      } catch (error) {
        if (signal.aborted || !gates.failed(gate)) throw error;
      }
    }
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await Bun.sleep(ms);
  signal.throwIfAborted();
}
