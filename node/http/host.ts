/**
 * What all connections of one listener share: limits, the pool of origin connections, and whom to tell.
 */

import type { AnswerWriter } from "./answer.ts";
import type { Refusal } from "./fields.ts";
import type { HttpLimits } from "./limits.ts";
import type { Exchange, ExchangeEnd } from "./message.ts";
import type { Upstream } from "./upstream.ts";

/** Whom the HTTP layer tells what happens. */
export interface HttpHandlers {
  /** A request has come; the handler answers or forwards it, now or later. */
  onExchange(exchange: Exchange): void;
  /** An exchange has ended, however it ended. */
  onEnd?(exchange: Exchange, end: ExchangeEnd): void;
  /** A request was refused by the HTTP layer itself and no exchange came of it. */
  onRefusal?(refusal: Refusal, remoteAddress: string): void;
  /** A handler threw; the visitor got a 500 if that was still possible. */
  onError(error: unknown): void;
}

export interface HttpHost extends HttpHandlers {
  readonly limits: HttpLimits;
  readonly upstream: Upstream;
  readonly answers: AnswerWriter;
  /** Whether clients speak TLS to us. */
  readonly secure: boolean;
  /** Whether the listener is shutting down: every answer ends its connection. */
  readonly draining: boolean;
}

/** What a connection can be asked by its owner. */
export interface OwnedConnection {
  /** Whether no request has begun. */
  readonly idle: boolean;
  /** Ends the connection; at once, unless `gently`, so that what was written still reaches the client. */
  end(gently: boolean): void;
}

/** What a connection is doing, as far as its owner cares. */
export type Standing = "answered" | "waiting" | "stalled" | "new" | "working";

export interface ConnectionOwner extends HttpHost {
  /** What a connection does has changed. */
  stands(connection: OwnedConnection, standing: Standing): void;
}
