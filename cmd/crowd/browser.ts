/**
 * A visitor's browser: its cookies, the fields that browsers and apps send, and the gates that a load balancer offers.
 *
 * Before several gates, a request goes to any that is ready. One that fails or hangs is left out until its next good
 * health check, and the request goes to another one, as load balancers do for a GET.
 */

import { isField } from "../../node/http/fields.ts";
import type { HeaderList } from "../../node/http/message.ts";
import type { Clock } from "./clock.ts";
import { CookieJar } from "./cookie-jar.ts";
import type { Answer, Client, Outcome } from "./http-client.ts";

export interface Gate {
  /** Base URL without a slash at the end; undefined while it is down. */
  readonly gate: string | undefined;
  readonly locality: string;
  isReady: boolean;
}

/** What a request is for: a page, a poll of the waiting page's script, or anything that an app asks for. */
export type RequestKind = "page" | "poll" | "app";

/** An answer, and how it came. */
export interface Got extends Answer {
  readonly gate: Gate;
  /** When it was requested, in Unix ms, and how long the answer took. */
  readonly askedMs: number;
  readonly ms: number;
}

export type NoAnswer = Exclude<Outcome, Answer>;

export interface BrowserParts {
  readonly gates: readonly Gate[];
  /** The locality whose gates it uses while any is ready; undefined for all gates. */
  readonly locality?: string | undefined;
  /** Tries for one request; 1 shows the visitor each failure. */
  readonly triesMax: number;
  readonly client: Client;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Further fields of a request that is sent now. */
  readonly fields?: () => HeaderList;
  /** A gate failed with a request, which goes to another one. */
  readonly failed?: () => void;
}

/** The pause between two tries where no other gate is ready, or one is busy. */
const PAUSE_MS = 200;

const HTML_FIELDS = [
  ...["Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"],
  ...["Accept-Language", "en", "Accept-Encoding", "gzip"],
];
const FIELDS: Readonly<Record<RequestKind, HeaderList>> = {
  page: HTML_FIELDS,
  poll: ["Anteroom-Poll", "1", "Accept", "application/json", "Accept-Encoding", "gzip"],
  app: ["Accept", "application/json"],
};

/** What browsers add over TLS. */
const METADATA: Readonly<Record<RequestKind, HeaderList>> = {
  page: ["Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document", "Sec-Fetch-Site", "none"],
  poll: ["Sec-Fetch-Mode", "cors", "Sec-Fetch-Dest", "empty", "Sec-Fetch-Site", "same-origin"],
  app: [],
};

export class Browser {
  readonly #parts: BrowserParts;
  readonly #jar = new CookieJar();

  constructor(parts: BrowserParts) {
    this.#parts = parts;
  }

  end(): void {
    this.#parts.client.end();
  }

  /** Requests `path`; the failure of the last try when no gate answers. */
  async get(path: string, kind: RequestKind): Promise<Got | NoAnswer> {
    const { signal, clock, triesMax, failed = () => {} } = this.#parts;
    for (let tries = 1; ; tries++) {
      const { gate, isOnly } = this.#pick();
      const outcome = gate === undefined ? NO_GATE : await this.#ask(gate, path, kind);
      const isBusy = outcome.kind === "answer" && outcome.status >= 500;
      if (signal.aborted) return { kind: "ended" };
      if (tries >= triesMax || (outcome.kind === "answer" && !isBusy) || outcome.kind === "ended") return outcome;
      if (gate !== undefined && !isBusy) {
        gate.isReady = isOnly;
        failed();
      }
      if (isBusy || isOnly) await clock.pause(PAUSE_MS, signal);
    }
  }

  /** A waiting room's cookie; undefined for none. */
  get roomCookie(): string | undefined {
    return this.#jar.ofRoom(this.#parts.clock.unixMs())?.value;
  }

  /** For how long it is good, in ms; Infinity without one. */
  get goodForMs(): number {
    const nowMs = this.#parts.clock.unixMs();
    return (this.#jar.ofRoom(nowMs)?.untilMs ?? Number.POSITIVE_INFINITY) - nowMs;
  }

  /** The path of `to`, as seen from `path`; undefined for another host, scheme or port. */
  onSite(to: string, path: string): string | undefined {
    const [site] = this.#parts.gates;
    const url = URL.parse(to, `${site?.gate}${path}`);
    return url !== null && url.origin === site?.gate ? url.pathname + url.search : undefined;
  }

  async #ask(gate: Gate, path: string, kind: RequestKind): Promise<Got | NoAnswer> {
    const { client, clock, fields = () => [] } = this.#parts;
    const [startMs, askedMs] = [clock.steadyMs(), clock.unixMs()];
    const cookie = this.#jar.field(path, askedMs);
    const outcome = await client.get(`${gate.gate}${path}`, [
      ...FIELDS[kind],
      ...(gate.gate?.startsWith("https:") ? METADATA[kind] : []),
      ...fields(),
      ...(cookie === undefined ? [] : ["Cookie", cookie]),
    ]);
    if (outcome.kind !== "answer") return outcome;
    const { headers } = outcome;
    const lines = headers.filter((_, at) => at % 2 === 1 && isField(headers[at - 1] ?? "", "set-cookie"));
    this.#jar.keep(lines, clock.unixMs());
    return { ...outcome, gate, askedMs, ms: clock.steadyMs() - startMs };
  }

  #pick(): { readonly gate: Gate | undefined; readonly isOnly: boolean } {
    const { gates, locality, random } = this.#parts;
    const all = gates.filter(({ isReady, gate }) => isReady && gate !== undefined);
    const near = all.filter((gate) => gate.locality === locality);
    const ready = near.length > 0 ? near : all;
    return { gate: ready[Math.floor(random() * ready.length)], isOnly: all.length <= 1 };
  }
}

const NO_GATE: NoAnswer = { kind: "failure", failure: "refused" };
