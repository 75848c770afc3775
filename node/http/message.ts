/**
 * The shapes that the gate's HTTP layer and the gate's decisions share.
 *
 * Text of heads is latin1 throughout: every byte that a peer sent is one character, so that it is passed on unchanged.
 */

import type { Closing } from "./websocket-frames.ts";

/** Header fields as received: name, value, name, value…; names keep their case, order and duplicates stay. */
export type HeaderList = readonly string[];

/** Bytes of a body, each as one character: they go out as text, in one piece with the head. */
export interface Bytes {
  readonly latin1: string;
}

/** A request's head after all checks of `request-head.ts`. */
export interface RequestHead {
  readonly method: string;
  /** Request target as it came, in origin form (`/path?query`); `*` is answered by the HTTP layer. */
  readonly target: string;
  /** 1 for HTTP/1.1, 0 for HTTP/1.0. */
  readonly minorVersion: 0 | 1;
  /** End-to-end fields only, Host included: framing, hop-by-hop fields and what Connection names are already gone. */
  readonly headers: HeaderList;
  /** Value of the Host field as it came; empty for an HTTP/1.0 request without one. */
  readonly authority: string;
  /** Host name in lower case without port; IPv6 in brackets. */
  readonly host: string;
}

/** A response's head. `headers` contain end-to-end fields only: the HTTP layer writes framing and hop-by-hop fields. */
export interface ResponseHead {
  readonly status: number;
  readonly reason: string;
  readonly headers: HeaderList;
}

/** Why a request failed at the origin. */
export interface ForwardFailure {
  readonly kind: "unreachable" | "timeout" | "bad-response";
  /** Text for the log; no visitor data. */
  readonly detail: string;
}

/** What to send, and where. */
export interface ForwardPlan {
  readonly origin: OriginTarget;
  /**
   * End-to-end header fields for the origin, Host included (without one, the origin's authority is sent); the HTTP
   * layer writes framing, Connection and Upgrade, and drops them here.
   */
  readonly headers: HeaderList;
  /** Request target for the origin, where it is not the one that came. */
  readonly target?: string;
  /** Whether the client gets the head of the answer only: the body is dropped, and so are interim answers. */
  readonly dropsBody?: boolean;
  /** Called once with the final response head before a byte of it is sent; returns the fields the client gets. */
  onResponse(head: ResponseHead): HeaderList;
  /** Called at most once, and only while nothing was sent to the client: must call `exchange.answer`. */
  onFailure(failure: ForwardFailure): void;
  /**
   * Called once, when no connection was made or it broke before a byte of the answer, and the request may be sent
   * twice: returns where to send it again, at once; undefined to give up.
   */
  retry?(failure: ForwardFailure): OriginTarget | undefined;
  /** Called when the origin breaks off, or sends nonsense, after the client got the head of its answer. */
  onBroken?(failure: ForwardFailure): void;
  /** Called when the client is gone, or our own code failed, before the head of the answer. */
  onAbandoned?(): void;
  /** Called at each sweep as long as the exchange, or the WebSocket that it became, goes on. */
  whileOpen?(open: OpenExchange): void;
}

/** An exchange that takes long. */
export interface OpenExchange {
  /** Bytes that passed so far, in both directions. */
  readonly passedBytes: number;
  /**
   * Ends it, once: a WebSocket by a close frame, an answer that has begun by cutting its stream. `answer` is called if
   * nothing was sent to the client, and must call `exchange.answer`.
   */
  cut(closing: Closing, answer: () => void): void;
}

/** An origin's address, parsed once from its base URL. */
export interface OriginTarget {
  readonly hostname: string;
  readonly port: number;
  readonly tls: boolean;
  /** Path prefix of the base URL without trailing slash, usually empty; put before the request target. */
  readonly basePath: string;
  /** Host and port as in a Host field. */
  readonly authority: string;
  /** The name that it gets as Host, and in TLS; undefined for the request's own Host and for `hostname`. */
  readonly askedAs?: string;
  /** Path of a unix socket, dialled instead of host and port. */
  readonly unix?: string;
  /** Whether it was named by somebody who may not send requests to this host itself. */
  readonly isOutside?: boolean;
}

/** The recorded trace of a request: the gate's part, and the origin's once the request is sent. */
export interface RequestTrace {
  /** The request goes to an origin: returns its fields, with the origin's part as their parent. */
  sent(origin: OriginTarget, target: string, headers: HeaderList): HeaderList;
  /** The request goes to another origin, after a failure. */
  sentAgain(origin: OriginTarget): void;
  /** The origin's answer began, with this status; or it failed so. */
  answered(result: number | ForwardFailure["kind"]): void;
}

/** What became of a request on its way through the gate, for the access log and for traces. */
export interface Trail {
  /** When its head was there, in ms that never go back. */
  readonly startedMs: number;
  /** The name of its room; undefined for a request that matches none. */
  room?: string;
  outcome: string;
  /** Ms until the origin's answer began, or failed. */
  originMs?: number;
  /** Set if the request is traced. */
  readonly trace?: RequestTrace;
}

/**
 * What a proxy in front wants to know of a request that it sends to the origin itself: only a visitor who is known to be
 * inside may pass, and nothing changes for others.
 */
export interface ProxyQuestion {
  /** Lets the request pass; instead of `forward`. Takes Set-Cookie values for the visitor. */
  readonly allow: (cookies: readonly string[]) => void;
}

/**
 * One request and the one answer to it. Exactly one of `answer` and `forward` is called, once (`answer` again from
 * `onFailure`), or `answer` after `collect`.
 */
export interface Exchange {
  /** Names the request in the log and on error pages: 16 hexadecimal digits, generated on first use. */
  readonly id: string;
  readonly request: RequestHead;
  /** Address of the peer that opened the connection; IPv4 in dotted form. */
  readonly remoteAddress: string;
  /** Whether the client speaks TLS to us. */
  readonly secure: boolean;
  /** Whether the client has gone; calls do nothing from then on. */
  readonly gone: boolean;
  /** Whether the request has a body, of known or unknown length. */
  readonly hasBody: boolean;
  /** Whether the request asks for a WebSocket (GET, Upgrade: websocket, Connection: upgrade). */
  readonly webSocket: boolean;
  /** Set if a proxy asks about this request, and does not send it. */
  readonly question?: ProxyQuestion;
  /** The short id of the visitor, once it is known and the access log is to have it. */
  visitor: string | undefined;
  /** Kept where there is an access log, and for requests that are traced. */
  trail?: Trail;
  /** Gives `request` the host by which visitors know it, where a proxy has replaced their `Host`. */
  nameHost(host: string): void;
  /**
   * Sends a whole answer; adds Content-Length, Date and Connection. HEAD gets the head only. Unread request body:
   * drained within a bound, or the connection is closed after the answer.
   */
  answer(status: number, headers: HeaderList, body: string | Bytes): void;
  /**
   * Streams the request to the origin and its answer back. A WebSocket request is dialled first and becomes a tunnel on
   * 101.
   */
  forward(plan: ForwardPlan): void;
  /**
   * Reads the request's body, and gives it to `then` as latin1; undefined if it is longer than `bytesMax`, or cannot be
   * had. `then` must call `answer`. It is not called if the client goes away meanwhile.
   */
  collect(bytesMax: number, then: (body: string | undefined) => void): void;
}

/** What the access log gets when an exchange has ended in any way. */
export interface ExchangeEnd {
  /** The status that the client got; 499 when it went away before its answer began. */
  readonly status: number;
  /** Bytes handed to the client's socket, head included; and received bytes of request body. */
  readonly bytesSent: number;
  readonly bytesReceived: number;
  /** Who ended it before the answer was complete; undefined for an answer that is complete. */
  readonly abortedBy: "client" | "origin" | "gate" | undefined;
}
