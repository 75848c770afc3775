/**
 * Carries out an origin's commands (`origin-commands.ts`): ends or extends the visitor's session, or closes the room as
 * sold out.
 *
 * In one answer, an end takes precedence over an extension, and the first of two ends applies. Each command that ends a
 * session frees the slot by the same rule. No answer waits for an extension, and no cookie carries it before its old
 * end: a gate asks the session's home about a cookie that looks over.
 */

import type { InsideCookie } from "../cookie/seal.ts";
import type { Client } from "../http/client.ts";
import type { HeaderList } from "../http/message.ts";
import type { IgnoredCommand } from "../rooms/command-counts.ts";
import type { LiveRoom } from "../rooms/live-room.ts";
import type { GateContext } from "./gate-context.ts";
import { LogBudget } from "./log-budget.ts";
import { type OriginCommand, type ReadCommands, readCommands } from "./origin-commands.ts";
import { giveUpClaim } from "./passes.ts";
import type { VisitorCookies } from "./visitor-cookies.ts";

/** The session of a request. */
export interface OrderedSession {
  readonly cookie: InsideCookie;
  readonly client: Client;
}

export interface OriginOrdersOptions extends Pick<GateContext, "rooms" | "commit" | "clock" | "log"> {
  readonly cookies: VisitorCookies;
}

export class OriginOrders {
  readonly #options: OriginOrdersOptions;
  readonly #budget: LogBudget;

  constructor(options: OriginOrdersOptions) {
    this.#options = options;
    const { clock, log } = options;
    this.#budget = new LogBudget({
      clock,
      tell: (commands) => log.warn({ commands }, "some commands of origins that are not obeyed were not logged"),
    });
  }

  /** Reports what is not obeyed, and obeys the rest. Returns the Set-Cookie values that remove a cookie which ends. */
  obey(headers: HeaderList, live: LiveRoom, session: OrderedSession | undefined): readonly string[] | undefined {
    const read = readCommands(headers);
    this.#report(read, live, session);
    const { enabledOriginCommands } = live.room;
    const commands = read.commands.filter(({ name }) => enabledOriginCommands.includes(name));
    const soldOut = commands.find(isSoldOut);
    if (soldOut !== undefined) this.#close(live, soldOut);
    if (session === undefined) return undefined;
    const ofSession = commands.filter((command) => !isSoldOut(command));
    const end = ofSession.find(({ name }) => name !== "extend");
    if (end !== undefined) return this.#end(live, session, end);
    const [extend] = ofSession;
    if (extend !== undefined) this.#extend(live, session, extend);
    return undefined;
  }

  /** Closes the room on all nodes. An operator's own order stays, and so does the room if the disk refuses the order. */
  #close(live: LiveRoom, { name, reason }: OriginCommand): void {
    if (live.order !== undefined) return;
    const { rooms, log } = this.#options;
    const room = live.room.name;
    try {
      rooms.order(room, "sold-out");
    } catch (error) {
      // Nothing is lost but time: the origin's next answer closes it.
      log.error({ room, error: String(error) }, "the room is not closed, though its origin says that all is sold");
      return;
    }
    live.counts.commands.note(name, reason);
    log.info({ room, reason }, "closed by its origin as sold out");
  }

  #end(live: LiveRoom, { cookie, client }: OrderedSession, end: OriginCommand): readonly string[] | undefined {
    const { commit, cookies, clock } = this.#options;
    const nowMs = clock();
    const { counts } = live;
    if (live.meshRoom.revoke(cookie.id, cookie.home, nowMs)) {
      if (end.name === "complete") counts.completed += 1;
      else counts.revoked += 1;
      counts.commands.note(end.name, end.reason);
    }
    giveUpClaim({ live, nowMs }, cookie);
    commit.wake();
    return end.keepsCookie === true ? undefined : cookies.removal(live, client);
  }

  #extend(live: LiveRoom, { cookie }: OrderedSession, { minutes, reason }: OriginCommand): void {
    const { commit, clock } = this.#options;
    const { commands } = live.counts;
    commit.wake();
    live.meshRoom.extend(cookie, minutes ?? live.room.sessionDuration, clock(), (outcome) => {
      if (outcome.kind === "acknowledged") commands.note("extend", reason);
      else commands.ignored["no-answer"] += 1;
    });
  }

  #report({ commands, faults }: ReadCommands, live: LiveRoom, session: OrderedSession | undefined): void {
    const { enabledOriginCommands } = live.room;
    for (const { why, text } of faults) this.#ignore(live, why, text);
    for (const { name } of commands) {
      if (!enabledOriginCommands.includes(name)) this.#ignore(live, "not-enabled", name);
      else if (session === undefined && name !== "sold-out") live.counts.commands.ignored["no-session"] += 1;
    }
  }

  #ignore({ room, counts }: LiveRoom, why: IgnoredCommand, command: string): void {
    counts.commands.ignored[why] += 1;
    if (this.#budget.take())
      this.#options.log.warn({ room: room.name, command, why }, "a command of the origin is not obeyed");
  }
}

function isSoldOut({ name }: OriginCommand): boolean {
  return name === "sold-out";
}
