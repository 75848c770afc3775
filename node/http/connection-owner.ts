/**
 * What a connection sees of its listener: limits, the pool of origin connections, and the callbacks.
 */

import type { AnswerWriter } from "./answer.ts";
import type { Refusal } from "./fields.ts";
import type { HttpLimits } from "./limits.ts";
import type { Exchange, ExchangeEnd } from "./message.ts";
import type { Upstream } from "./upstream.ts";

/** The callbacks of the HTTP layer. */
export interface HttpHandlers {
  /** A request has come; the handler answers or forwards it, now or later. */
  onExchange(exchange: Exchange): void;
  /** An exchange has ended, in any way. */
  onEnd?(exchange: Exchange, end: ExchangeEnd): void;
  /** A request was refused by the HTTP layer itself and no exchange came of it. */
  onRefusal?(refusal: Refusal, remoteAddress: string): void;
  /** A handler threw; the visitor got a 500 if that was still possible. */
  onError(error: unknown): void;
}

/** What all connections and exchanges of one listener share. */
export interface HttpOwner extends HttpHandlers {
  readonly limits: HttpLimits;
  readonly upstream: Upstream;
  readonly answers: AnswerWriter;
  /** Whether clients speak TLS to us. */
  readonly secure: boolean;
  /** Whether the listener is shutting down: every answer then ends its connection. */
  readonly draining: boolean;
  /** A connection's activity has changed. */
  changed(connection: OwnedConnection, state: ConnectionState): void;
}

/** What a connection's owner can ask of it. */
export interface OwnedConnection {
  /** Whether no request has begun. */
  readonly idle: boolean;
  /** Ends the connection; at once, unless `gently`, so that written bytes still reach the client. */
  end(gently: boolean): void;
}

/** The connection's activity, as far as its owner needs it. */
export type ConnectionState = "answered" | "waiting" | "stalled" | "new" | "working";
