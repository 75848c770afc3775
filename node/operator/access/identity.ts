/**
 * Who sends a request to the admin address: the holder of the host's own token, of a token of the mesh, or a browser
 * that has logged in to the dashboard with one of them, or by the company's identity provider (people.ts).
 *
 * A token stands in the Authorization field alone. One in a URL is ignored: it would be in logs and histories.
 */

import type { Context } from "hono";
import { LogBudget } from "../../gate/log-budget.ts";
import { failure } from "../calls/api-answers.ts";
import { CSRF_FIELD, isCsrf, type Logins, type Session } from "../dashboard/session.ts";
import { type Actor, type AdminEnv, type AuditLog, actorOf } from "../logs/audit.ts";
import type { Token } from "../tokens/token.ts";
import { hashOfToken, isTokenText } from "../tokens/token-text.ts";
import type { Tokens } from "../tokens/tokens.ts";
import { hasScope, type Principal, ROOT } from "./principal.ts";

export interface IdentityParts {
  /** The host's own token. */
  readonly rootToken: string;
  readonly tokens: Tokens;
  readonly logins: Logins;
  /** Whether this node has heard what the mesh has decided about tokens. */
  readonly knowsTokens: () => boolean;
  readonly clock: () => number;
  readonly audit: AuditLog;
}

/** Why a token is not accepted. `unheard`: nobody can tell yet. */
export type Fault = "wrong" | "cut" | "expired" | "unheard";

export interface LoggedIn extends Session {
  readonly principal: Principal;
}

/** How a session refers to the host's own token. */
const ROOT_ID = "admin.token";

const FAULT_TEXTS: Readonly<Record<Exclude<Fault, "unheard">, string>> = {
  wrong: "it is unknown, or was deleted",
  cut: "it is not whole, as its checksum is wrong",
  expired: "it has expired",
};

const UNHEARD = "Cannot check this token as this node has started and not heard yet which tokens the mesh has";
const UNHEARD_HINT = "try again in some seconds, ask another node, or use the token in this node's data directory";
const WHERE = "send a token in the field Authorization: Bearer TOKEN; that of the host is in DIR/admin.token";

export class Identity {
  readonly #parts: IdentityParts;
  readonly #rootHash: string;
  readonly #lines: LogBudget;

  constructor(parts: IdentityParts) {
    this.#parts = parts;
    this.#rootHash = hashOfToken(parts.rootToken);
    const by: Actor = { actor: "nobody", from: "several" };
    this.#lines = new LogBudget({
      clock: parts.clock,
      tell: (count) => parts.audit.note(by, "tokens refused, not logged one by one", { count }),
    });
  }

  /** Who sends this request; or the answer that it gets. */
  identify(c: Context<AdminEnv>): Principal | Response {
    const authorization = c.req.header("Authorization");
    if (authorization === undefined) {
      const session = this.sessionOf(c);
      const isOwnPage = session !== undefined && isCsrf(session, c.req.header(CSRF_FIELD));
      return isOwnPage ? session.principal : refused("Cannot act without a token", { hint: WHERE });
    }
    const [, given = ""] = /^Bearer +(\S+) *$/i.exec(authorization) ?? [];
    const holder = this.#holderOf(given);
    if (typeof holder === "object") return holder;
    if (holder === "unheard") return failure("not-ready", UNHEARD, { hint: UNHEARD_HINT });
    this.#noteRefused(actorOf(c), holder);
    return refused(`Cannot act with this token as ${FAULT_TEXTS[holder]}`, { hint: WHERE });
  }

  /** The value of a new cookie for a browser that shows a token; or why there is none. */
  logIn(given: string, by: Actor): { readonly cookie: string } | Fault | "no-read" {
    const holder = this.#holderOf(given);
    if (holder === "unheard") return holder;
    if (typeof holder === "string") {
      this.#noteRefused(by, holder);
      return holder;
    }
    if (!hasScope(holder, "read")) return "no-read";
    const id = holder === ROOT ? ROOT_ID : hashOfToken(given);
    return { cookie: this.#parts.logins.cookieOf(id) };
  }

  /** The log-in that a request's cookie proves, as long as its token counts. */
  sessionOf(c: Context): LoggedIn | undefined {
    const session = this.#parts.logins.sessionIn(c.req.header("Cookie"));
    if (session === undefined) return undefined;
    if (session.person !== undefined) return { ...session, principal: session.person };
    if (session.id === ROOT_ID) return { ...session, principal: ROOT };
    const token = this.#parts.tokens.byHash(session.id);
    return typeof token === "object" && hasScope(token, "read") ? { ...session, principal: token } : undefined;
  }

  #holderOf(given: string): typeof ROOT | Token | Fault {
    // Hashes are compared, so that the time it takes says nothing about the token.
    if (hashOfToken(given) === this.#rootHash) return ROOT;
    if (!isTokenText(given)) return given.startsWith("anteroom_") ? "cut" : "wrong";
    if (!this.#parts.knowsTokens()) return "unheard";
    return this.#parts.tokens.holderOf(given) ?? "wrong";
  }

  #noteRefused(by: Actor, reason: Fault): void {
    if (this.#lines.take(by.from)) this.#parts.audit.note(by, "token refused", { reason });
  }
}

/** RFC 9110, section 11.6.1: the answer says which kind of credentials is wanted. */
function refused(message: string, { hint }: { readonly hint: string }): Response {
  return failure("unauthorized", message, { hint, headers: { "WWW-Authenticate": 'Bearer realm="anteroom"' } });
}
