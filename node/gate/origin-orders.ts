/**
 * Carries out an origin's commands about the visitor's session (`origin-commands.ts`): ends it, or extends it.
 *
 * In one answer, an end takes precedence over an extension, and the first of two ends applies. Each command that ends a
 * session frees the slot by the same rule. An extension is on disk at the session's home before a cookie carries it.
 * The answer waits for that, but not for long: without it, the session keeps its end.
 */

import type { InsideCookie } from "../cookie/seal.ts";
import type { Client } from "../http/client.ts";
import type { Exchange, HeaderList } from "../http/message.ts";
import type { Log } from "../log.ts";
import type { IgnoredCommand } from "../rooms/command-counts.ts";
import type { LiveRoom } from "../rooms/live-room.ts";
import type { CommitQueue } from "../storage/group-commit.ts";
import { LogBudget } from "./log-budget.ts";
import { type OriginCommand, readCommands } from "./origin-commands.ts";
import { giveUpClaim } from "./passes.ts";
import type { Surroundings } from "./surroundings.ts";
import type { VisitorCookies } from "./visitor-cookies.ts";

/** The session of a request. */
export interface OrderedSession {
  readonly live: LiveRoom;
  readonly cookie: InsideCookie;
  readonly exchange: Exchange;
  readonly client: Client;
}

/** What becomes of the visitor's cookie. */
export type CookieOrder =
  | { readonly kind: "kept" }
  | { readonly kind: "removed"; readonly setCookies: readonly string[] };

export interface OriginOrdersOptions {
  readonly commit: CommitQueue;
  readonly cookies: VisitorCookies;
  readonly clock: () => number;
  readonly surroundings: Surroundings;
  readonly log: Log;
}

/**
 * Longest wait for an extension: a commit, and a round trip to a far home. Doubled, a dead home is noticeable; halved,
 * visitors of a far home more often keep the shorter session.
 */
const EXTEND_WAIT_MS = 100;

const KEPT: CookieOrder = { kind: "kept" };

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

  /** Whether the answers of a session's origin are to be shown to `extend`. */
  mayExtend({ live }: Pick<OrderedSession, "live">): boolean {
    return live.room.enabledOriginCommands.includes("extend");
  }

  /** Extends the session if an answer says so; then goes on, with the new Set-Cookie value if there is one. */
  extend(headers: HeaderList, session: OrderedSession, go: (setCookie?: string) => void): void {
    const command = this.#enabled(headers, session).find(({ name }) => name === "extend");
    if (command === undefined || this.#endIn(headers, session) !== undefined) {
      go();
      return;
    }
    const { live, cookie } = session;
    const { commit, clock, surroundings } = this.#options;
    const { commands } = live.counts;
    const nowMs = clock();
    const minutes = command.minutes ?? live.room.sessionDuration;
    let isOver = false;
    const done = (setCookie?: string): void => {
      if (isOver) return;
      isOver = true;
      go(setCookie);
    };
    const unanswered = (): void => {
      if (!isOver) commands.ignored["no-answer"] += 1;
      done();
    };
    commit.wake();
    live.meshRoom.extend(cookie, minutes, nowMs, (outcome) => {
      if (outcome.kind !== "acknowledged") {
        unanswered();
        return;
      }
      if (!isOver) commands.note("extend", command.reason);
      if (outcome.lastGood <= cookie.lastGood) {
        done();
        return;
      }
      const extended = { ...cookie, home: outcome.home, lastGood: outcome.lastGood };
      commit.afterCommit((isOnDisk) => {
        if (isOnDisk) this.#options.cookies.write({ ...session, nowMs }, extended, done);
        else done();
      });
    });
    if (!isOver) surroundings.after(EXTEND_WAIT_MS, unanswered);
  }

  /** Reports what is not obeyed, and ends the session if an answer says so; undefined if it does not. */
  obey(headers: HeaderList, live: LiveRoom | undefined, session: OrderedSession | undefined): CookieOrder | undefined {
    this.#report(headers, live, session);
    const end = session && this.#endIn(headers, session);
    if (session === undefined || end === undefined) return undefined;
    const { live: room, cookie, client } = session;
    const { commit, cookies, clock } = this.#options;
    const nowMs = clock();
    const { counts } = room;
    if (room.meshRoom.revoke(cookie.id, cookie.home, nowMs)) {
      if (end.name === "complete") counts.completed += 1;
      else counts.revoked += 1;
      counts.commands.note(end.name, end.reason);
    }
    giveUpClaim({ live: room, nowMs }, cookie);
    commit.wake();
    return end.keepsCookie === true ? KEPT : { kind: "removed", setCookies: cookies.removal(room, client) };
  }

  #endIn(headers: HeaderList, session: OrderedSession): OriginCommand | undefined {
    return this.#enabled(headers, session).find(({ name }) => name !== "extend");
  }

  #enabled(headers: HeaderList, { live }: OrderedSession): readonly OriginCommand[] {
    const { enabledOriginCommands } = live.room;
    return readCommands(headers).commands.filter(({ name }) => enabledOriginCommands.includes(name));
  }

  #report(headers: HeaderList, live: LiveRoom | undefined, session: OrderedSession | undefined): void {
    if (live === undefined) return;
    const { commands, faults } = readCommands(headers);
    const { enabledOriginCommands } = live.room;
    for (const { why, text } of faults) this.#ignore(live, why, text);
    for (const { name } of commands) {
      if (!enabledOriginCommands.includes(name)) this.#ignore(live, "not-enabled", name);
      else if (session === undefined) live.counts.commands.ignored["no-session"] += 1;
    }
  }

  #ignore({ room, counts }: LiveRoom, why: IgnoredCommand, command: string): void {
    counts.commands.ignored[why] += 1;
    if (this.#budget.take())
      this.#options.log.warn({ room: room.name, command, why }, "a command of the origin is not obeyed");
  }
}
