/**
 * A visitor's browser behind a load balancer: a cookie jar, and for each request any gate with a good health check.
 *
 * A gate that fails or hangs is left out until its next good health check, and the request goes to another one, as load
 * balancers do for a GET. The jar drops a cookie when its Max-Age is over.
 */

import { CookieJar } from "../crowd/cookie-jar.ts";
import { pause } from "../crowd/pause.ts";
import type { Answered } from "./handovers.ts";
import type { ChaosNode } from "./node.ts";
import { ANSWERED_AT } from "./origin.ts";

/** The answer of a gate, from the origin or its own. */
export interface Page {
  /** When the origin answered, in Unix ms; undefined for an answer of the gate's own. */
  readonly originMs: number | undefined;
  /** Value of the room's cookie in the jar; undefined for none. */
  readonly cookie: string | undefined;
  readonly body: string;
  /** When it was requested, in Unix ms. */
  readonly askedMs: number;
  /** Of the gate. */
  readonly locality: string;
}

export interface BrowserParts {
  readonly name: string;
  readonly nodes: readonly ChaosNode[];
  /** The locality whose gates it uses while any is ready; undefined for all gates. */
  readonly locality: string | undefined;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** A gate failed with a request of ours. */
  readonly failed: () => void;
  /** A gate answered. */
  readonly answered: (answer: Answered) => void;
}

/** A gate that is silent for longer hangs, or is about to be noticed. */
const ANSWER_MAX_MS = 2_000;

/** Tries for one request, and the pause when there is no gate, or one that is busy: ten seconds in all. */
const TRIES_MAX = 50;
const PAUSE_MS = 200;

export class Browser {
  readonly #parts: BrowserParts;
  readonly #jar = new CookieJar();

  constructor(parts: BrowserParts) {
    this.#parts = parts;
  }

  /** Requests the page; undefined when no gate answers, or the run is over. */
  async ask(): Promise<Page | undefined> {
    const { signal, failed } = this.#parts;
    for (let tries = 0; tries < TRIES_MAX && !signal.aborted; tries++) {
      const node = this.#pick();
      try {
        const page = node && (await this.#askAt(node));
        if (page !== undefined) return page;
      } catch {
        // The visit continues: the next gate is asked. It is unknown what this one did with the request.
        if (signal.aborted) return undefined;
        if (node !== undefined) node.isReady = false;
        failed();
        continue;
      }
      await pause(PAUSE_MS, signal);
    }
    return undefined;
  }

  async #askAt({ gate = "", locality }: ChaosNode): Promise<Page | undefined> {
    const { name, signal, answered } = this.#parts;
    const cookie = this.#jar.field("/", Date.now());
    const startMs = performance.now();
    const askedMs = Date.now();
    const response = await fetch(`${gate}/`, {
      headers: {
        Accept: "application/json",
        "X-Chaos-Visitor": name,
        ...(cookie && { Cookie: cookie }),
      },
      proxy: false,
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MAX_MS)]),
    });
    const body = await response.text();
    this.#jar.keep(response.headers.getSetCookie(), Date.now());
    if (response.status >= 500) return undefined;
    answered({ locality, askedMs, ms: performance.now() - startMs });
    const at = response.headers.get(ANSWERED_AT);
    return {
      originMs: at === null ? undefined : Number(at),
      cookie: this.#jar.ofRoom(Date.now())?.value,
      body,
      askedMs,
      locality,
    };
  }

  #pick(): ChaosNode | undefined {
    const { nodes, locality, random } = this.#parts;
    const all = nodes.filter(({ isReady }) => isReady);
    const near = all.filter((node) => node.locality === locality);
    const ready = near.length > 0 ? near : all;
    return ready[Math.floor(random() * ready.length)];
  }
}
