/**
 * The gate's own refusals: the answer, and the log line that the id on its page refers to.
 *
 * An id is shown only if it is in the log: in its own line, or in the access log. Lines for refusals are bounded,
 * because floods are refused too; pages beyond the bound show no id, and a line says how many there were.
 */

import type { Exchange, HeaderList } from "../http/message.ts";
import { DEFAULT_LANGUAGE, TEXTS } from "../languages/texts.ts";
import type { Fields, Log, LogLevel } from "../log.ts";
import { answerError, type GateError } from "./error-page.ts";

export interface RefusalsOptions {
  readonly log: Log;
  /** Whether the log takes lines of `level`. */
  readonly isLogged: (level: LogLevel) => boolean;
  /** Whether each request has a line in the access log. */
  readonly hasAccessLog: boolean;
  readonly clock: () => number;
}

/** What is known about one refusal besides the error. */
export interface Refusal {
  readonly headers?: HeaderList;
  /** When the same request may get a better answer; undefined if it never will. */
  readonly retryAfterSeconds?: number;
  /** The level of the line; a refusal by rule is `info`. */
  readonly level?: "info" | "warn" | "error";
  readonly message?: string;
  /** What the log line contains besides request, status and path; no visitor data. */
  readonly fields?: Fields;
}

/** About 4 kB a second at most. Doubled, a flood fills a disk twice as fast; halved, a busy hour's reports have no ids. */
export const LINES_PER_SECOND = 20;

/** How often a flood is reported. */
const TOLD_APART_MS = 10_000;

/** Longest path in a line. */
const PATH_LENGTH_MAX = 200;

export class Refusals {
  readonly #options: RefusalsOptions;
  #second = 0;
  #lines = 0;
  #unlogged = 0;
  #toldMs = Number.NEGATIVE_INFINITY;

  constructor(options: RefusalsOptions) {
    this.#options = options;
  }

  /** Answers with `error`, and logs it. */
  answer(exchange: Exchange, error: GateError, refusal: Refusal = {}): void {
    if (exchange.gone) return;
    const { headers, retryAfterSeconds, level = "info", message = "request refused", fields } = refusal;
    const { log, isLogged, hasAccessLog } = this.#options;
    const hasLine = isLogged(level) && this.#takeLine();
    const isShown = hasLine || (hasAccessLog && isLogged("info"));
    answerError(exchange, error, { headers, retryAfterSeconds, ...(isShown && { requestId: exchange.id }) });
    if (!hasLine) return;
    const { status, code } = error;
    const reason = TEXTS[DEFAULT_LANGUAGE].errors[code].title;
    const { method, host, target } = exchange.request;
    const path = target.slice(0, PATH_LENGTH_MAX).replace(/\?.*/, "");
    log[level]({ request: exchange.id, status, reason, method, host, path, ...fields }, message);
  }

  /** Whether one more line may be written in this second. */
  #takeLine(): boolean {
    const nowMs = this.#options.clock();
    const second = Math.floor(nowMs / 1_000);
    if (second !== this.#second) {
      this.#tellUnlogged(nowMs);
      this.#second = second;
      this.#lines = 0;
    }
    this.#lines += 1;
    if (this.#lines <= LINES_PER_SECOND) return true;
    this.#unlogged += 1;
    return false;
  }

  #tellUnlogged(nowMs: number): void {
    if (this.#unlogged === 0 || Math.abs(nowMs - this.#toldMs) < TOLD_APART_MS) return;
    const { log, hasAccessLog } = this.#options;
    const where = hasAccessLog
      ? "the access log has them"
      : "their pages show no request id; --access-log logs each request";
    log.warn({ requests: this.#unlogged }, `some refused requests were not logged one by one: ${where}`);
    this.#unlogged = 0;
    this.#toldMs = nowMs;
  }
}
