/**
 * The gate's own refusals: the answer, and the log line that the id on its page refers to.
 *
 * An id is shown only if it is in the log: in its own line, or in the access log. Lines for refusals are bounded,
 * because floods are refused too; pages beyond the bound show no id, and a line says how many there were.
 */

import type { Exchange } from "../http/message.ts";
import { DEFAULT_LANGUAGE, TEXTS } from "../languages/texts.ts";
import type { Fields } from "../log.ts";
import { answerError, type ErrorAnswer, type GateError } from "./error-page.ts";
import type { GateContext } from "./gate-context.ts";
import { LogBudget } from "./log-budget.ts";

export type RefusalsOptions = Pick<GateContext, "log" | "isLogged" | "hasAccessLog" | "clock">;

/** What is known about one refusal besides the error; without a room it has neither brand nor language. */
export interface Refusal extends Omit<ErrorAnswer, "requestId"> {
  /** The level of the line; a refusal by rule is `info`. */
  readonly level?: "info" | "warn" | "error";
  readonly message?: string;
  /** What the log line contains besides request, status and path; no visitor data. */
  readonly fields?: Fields;
}

/** Longest path in a line. */
const PATH_LENGTH_MAX = 200;

export class Refusals {
  readonly #options: RefusalsOptions;
  readonly #budget: LogBudget;

  constructor(options: RefusalsOptions) {
    this.#options = options;
    this.#budget = new LogBudget({ clock: options.clock, tell: (requests) => this.#tellUnlogged(requests) });
  }

  /** Answers with `error`, and logs it. */
  answer(exchange: Exchange, error: GateError, refusal: Refusal = {}): void {
    if (exchange.gone) return;
    const { level = "info", message = "request refused", fields, ...shown } = refusal;
    const { log, isLogged, hasAccessLog } = this.#options;
    const hasLine = isLogged(level) && this.#budget.take();
    const isShown = hasLine || (hasAccessLog && isLogged("info"));
    answerError(exchange, error, { ...shown, ...(isShown && { requestId: exchange.id }) });
    if (!hasLine) return;
    const { status, code } = error;
    const reason = TEXTS[DEFAULT_LANGUAGE].errors[code].title;
    const { method, host, target } = exchange.request;
    const path = target.slice(0, PATH_LENGTH_MAX).replace(/\?.*/, "");
    log[level]({ request: exchange.id, status, reason, method, host, path, ...fields }, message);
  }

  /** Logs a failure after the answer has begun: there is nothing to answer any more. */
  note({ id, request: { method, host, target } }: Exchange, message: string, fields: Fields): void {
    const { log, isLogged } = this.#options;
    if (!isLogged("warn") || !this.#budget.take()) return;
    const path = target.slice(0, PATH_LENGTH_MAX).replace(/\?.*/, "");
    log.warn({ request: id, method, host, path, ...fields }, message);
  }

  #tellUnlogged(requests: number): void {
    const { log, hasAccessLog } = this.#options;
    const where = hasAccessLog
      ? "the access log has them"
      : "their pages show no request id; --access-log logs each request";
    log.warn({ requests }, `some refused requests were not logged one by one: ${where}`);
  }
}
