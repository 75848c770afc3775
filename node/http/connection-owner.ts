/**
 * What a connection sees of its listener (limits, the pool of origin connections, and the callbacks), and its parts of it.
 */

import type { AnswerWriter } from "./answer.ts";
import type { Refusal } from "./fields.ts";
import type { HttpLimits } from "./limits.ts";
import type { Exchange, ExchangeEnd } from "./message.ts";
import type { Outlet } from "./outlet.ts";
import type { OriginConnection, Upstream } from "./upstream.ts";
import type { Closing } from "./websocket-frames.ts";

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

/** What exchange, forward and tunnel need of the client connection whose parts they are. */
export interface ConnectionParts extends OwnedConnection {
  readonly owner: HttpOwner;
  readonly outlet: Outlet;
  readonly remoteAddress: string;
  /** Whether the client has closed its side and a forward should not continue for it. */
  readonly halfClosed: boolean;
  /** Whether no further request is accepted from this connection. */
  readonly isLast: boolean;
  /** Bytes of request body received so far. */
  readonly bodyBytes: number;
  /** The same, and what it has sent by a WebSocket. */
  readonly receivedBytes: number;
  /** Whether a request body, of known length or not, is short enough to be dropped so that the connection can stay. */
  canDiscardBody(): boolean;
  /** Continues reading: something has changed. */
  resume(): void;
  /** Pauses or resumes reading from the client. */
  hold(paused: boolean): void;
  /** The answer is written; the connection is kept or ended after it. */
  finish(keepAlive: boolean): void;
  becomeTunnel(origin: OriginConnection, rest: Buffer): void;
  /** Ends the WebSocket that the exchange became. */
  closeTunnel(closing: Closing): void;
  tunnelEnded(): void;
}
