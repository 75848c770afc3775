/**
 * Lines in the log about visitors who join a line, so that an operator finds the id that a visitor's page shows.
 *
 * They are bounded. The access log has all visitors.
 */

import { CHALLENGE_MS } from "../cookie/proof-of-work.ts";
import type { Exchange } from "../http/message.ts";
import { Recent } from "../recent.ts";
import type { GateContext } from "./gate-context.ts";
import { LogBudget } from "./log-budget.ts";
import type { Visit } from "./steps.ts";
import { supportId } from "./support-id.ts";

export type JoinLogOptions = Pick<GateContext, "clock" | "log" | "isLogged" | "hasAccessLog">;

type Joining = Pick<Visit, "live" | "nowMs"> & { readonly exchange: Exchange };

/**
 * Visitors remembered whose proof came, about 2 MB. Above it, a proof that is sent again counts another new visitor;
 * doubled, it takes twice the memory.
 */
const PROVED_MAX = 20_000;

export class JoinLog {
  readonly #options: JoinLogOptions;
  readonly #budget: LogBudget;
  /** Ids of visitors whose proof came: each is counted once. */
  readonly #proved = new Recent<string, true>({ max: PROVED_MAX, forMs: CHALLENGE_MS });

  constructor(options: JoinLogOptions) {
    this.#options = options;
    this.#budget = new LogBudget({ clock: options.clock, tell: (visitors) => this.#tellUnlogged(visitors) });
  }

  /** A visitor who was outside the line until the proof came. */
  noteFirst(request: Joining, id: string): void {
    // A proof that is sent again with the old cookie makes no new visitor.
    if (this.#proved.use(id, request.nowMs)) return;
    this.#proved.set(id, true, request.nowMs);
    request.live.meshRoom.noteNew(request.nowMs);
    this.note(request, supportId(id));
  }

  /** The id that the page shows, for the operator to find. */
  note({ live, exchange }: Joining, visitor: string): void {
    const { log, isLogged } = this.#options;
    if (!isLogged("info") || !this.#budget.take()) return;
    log.info({ visitor, room: live.room.name, request: exchange.id }, "joined the line");
  }

  #tellUnlogged(visitors: number): void {
    const { log, hasAccessLog } = this.#options;
    const where = hasAccessLog ? "the access log has them" : "--access-log logs each request with its visitor";
    log.info({ visitors }, `some visitors who joined the line were not logged one by one: ${where}`);
  }
}
