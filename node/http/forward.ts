/**
 * One exchange through an origin: the request's head and body out, the answer back, with back-pressure both ways.
 *
 * The origin may have closed a kept connection while our request was on its way. Such a request is sent once more, on a
 * new connection, if nothing came back, it has no body and is idempotent (RFC 9110 §9.2.2); others only use connections
 * that are new or were used a moment ago. A request that may be sent twice, and got no connection or lost it before a
 * byte of the answer, is sent again where the plan says, once. Once the client has a byte of the answer, any failure
 * breaks the client's stream visibly, and never ends it as if it were complete.
 */

import type { BodySink } from "./chunked.ts";
import type { ConnectionParts } from "./connection-owner.ts";
import { fieldLines, fieldValue, isField, withoutHandled } from "./fields.ts";
import type { Framing } from "./framing.ts";
import type { ForwardFailure, ForwardPlan, HeaderList, OriginTarget } from "./message.ts";
import type { ParsedRequest } from "./request-head.ts";
import { BadResponse, ResponseRelay } from "./response-relay.ts";
import type { OriginConnection, OriginUser } from "./upstream.ts";

/** What a forward needs of the exchange that it serves. */
export interface ForwardClient {
  readonly parsed: ParsedRequest;
  readonly connection: ConnectionParts;
  /** Whether the client's connection may be kept. */
  keepAlive(): boolean;
  /** The answer is written as a whole. */
  forwarded(keepAlive: boolean): void;
  /** The answer will never be complete: the origin broke it off. */
  broken(failure: ForwardFailure): void;
  /** Nothing was written to the client: it gets an answer from `plan.onFailure`. */
  failed(failure: ForwardFailure): void;
  /** Our own code failed. */
  crashed(error: unknown): void;
  /** The origin has become a WebSocket; `rest` are its first bytes. */
  switched(origin: OriginConnection, rest: Buffer): void;
}

/** Methods whose body every origin reads: with others an origin may take the body for the next request. */
const WITH_BODY = new Set(["POST", "PUT", "PATCH"]);
const IDEMPOTENT = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]);

export class Forward implements OriginUser, BodySink {
  readonly #client: ForwardClient;
  readonly #plan: ForwardPlan;
  readonly #relay: ResponseRelay;
  /** Where the request goes now; another place after a retry. */
  #target: OriginTarget;
  #head: string;
  readonly #framing: Framing;
  #origin: OriginConnection | undefined;
  isOpen = false;
  /** Whether the origin has answered before it had the whole request. */
  #isEarly = false;
  #requestDone: boolean;
  /** Whether it was sent again because a kept connection was stale, and because the plan said so. */
  #refreshed = false;
  #retried = false;
  #waitedMs = 0;

  constructor(client: ForwardClient, plan: ForwardPlan) {
    const { parsed, connection } = client;
    this.#client = client;
    this.#plan = plan;
    this.#framing = parsed.framing;
    this.#requestDone = parsed.framing === "none";
    this.#target = plan.origin;
    this.#head = requestHead(parsed, plan, plan.origin);
    this.#relay = new ResponseRelay({
      request: parsed,
      plan,
      outlet: connection.outlet,
      limits: connection.owner.limits,
      keepAlive: () => client.keepAlive() && this.#requestDone,
    });
  }

  /** Status of the answer as far as it was passed on; undefined while nothing of it was. */
  get status(): number | undefined {
    return this.#relay.response?.head.status;
  }

  /** Whether to hold back the client's request body. */
  get blocked(): boolean {
    return this.#origin?.outlet.blocked ?? false;
  }

  start(): void {
    const { parsed, connection } = this.#client;
    const { upstream, limits } = connection.owner;
    const idleMsMax = this.#repeatable() ? Number.POSITIVE_INFINITY : limits.originIdleUnsafeMs;
    const kept = parsed.webSocket ? undefined : upstream.take(this.#target, this, idleMsMax);
    this.#send(kept ?? upstream.dial(this.#target, this), kept !== undefined);
  }

  /** A piece of the request's body. */
  body(piece: Buffer): void {
    const outlet = this.#origin?.outlet;
    if (outlet === undefined) return;
    this.#waitedMs = 0;
    if (this.#framing === "chunked") outlet.chunk(piece);
    else outlet.bytes(piece);
  }

  /** The request's body is complete. */
  bodyEnd(trailers: HeaderList): void {
    if (this.#requestDone) return;
    this.#requestDone = true;
    if (this.#framing === "chunked") this.#origin?.outlet.text(`0\r\n${fieldLines(trailers)}\r\n`);
  }

  flush(): void {
    this.#origin?.outlet.flushAtTurnEnd();
  }

  /** The client accepts bytes again. */
  clientReady(): void {
    this.#origin?.hold(this.#client.connection.outlet.blocked);
  }

  /** Ends the origin's side at once; this forward makes no more callbacks. */
  abort(): void {
    this.#origin?.abort();
    this.#origin = undefined;
  }

  sweep(tickMs: number): void {
    if (this.#relay.response !== undefined || this.#waitsForClient()) return;
    const { connectMs, originMs } = this.#client.connection.owner.limits;
    this.#waitedMs += tickMs;
    if (!this.isOpen && this.#waitedMs > connectMs) {
      this.#failOrRetry({ kind: "timeout", detail: `no connection within ${connectMs} ms` });
    } else if (this.#waitedMs > originMs) {
      this.#fail({ kind: "timeout", detail: `no answer within ${originMs} ms` });
    }
  }

  onOpen(): void {
    this.isOpen = true;
    this.#waitedMs = 0;
    this.#continue();
    this.#client.connection.resume();
  }

  onRefused(failure: ForwardFailure): void {
    this.#failOrRetry(failure);
  }

  onDrain(): void {
    this.#waitedMs = 0;
    if (!this.blocked) this.#client.connection.resume();
  }

  onData(bytes: Buffer): void {
    this.#isEarly ||= !this.#requestDone || this.#origin?.outlet.isSent === false;
    try {
      const progress = this.#relay.feed(bytes);
      if (progress === "done") this.#finish();
      else if (progress === "switched") this.#switch();
      else this.#clientFlush();
    } catch (error) {
      if (error instanceof BadResponse) this.#fail({ kind: "bad-response", detail: error.message });
      else {
        this.abort();
        this.#client.crashed(error);
      }
    }
  }

  onGone(clean: boolean): void {
    if (clean && this.#relay.end()) this.#client.forwarded(this.#relay.keepAlive);
    else if (this.#origin?.reused === true && !this.#relay.begun && !this.#refreshed && this.#repeatable()) {
      this.#refreshed = true;
      this.#send(this.#client.connection.owner.upstream.dial(this.#target, this), false);
    } else if (this.#relay.begun) this.#fail({ kind: "bad-response", detail: "it broke off within its answer" });
    else this.#failOrRetry({ kind: "bad-response", detail: "it closed the connection without an answer" });
  }

  #clientFlush(): void {
    const { outlet } = this.#client.connection;
    outlet.flush();
    if (outlet.blocked) this.#origin?.hold(true);
  }

  #send(origin: OriginConnection, open: boolean): void {
    this.#origin = origin;
    this.isOpen = open;
    this.#waitedMs = 0;
    origin.outlet.text(this.#head);
    if (this.#requestDone) origin.outlet.flushAtTurnEnd();
    if (open) this.#continue();
  }

  /**
   * Asks a client that waits for it to send its body. The origin is not asked: one that answers instead and keeps the
   * connection would take the body for the next request.
   */
  #continue(): void {
    const { parsed, connection } = this.#client;
    const { bodyBytes, outlet } = connection;
    if (!parsed.expectsContinue || this.#requestDone || bodyBytes > 0) return;
    outlet.text("HTTP/1.1 100 Continue\r\n\r\n");
    outlet.flush();
  }

  /**
   * Whether the origin has everything received so far and still lacks the rest: its time does not run while the client
   * pauses.
   */
  #waitsForClient(): boolean {
    return this.isOpen && !this.#requestDone && this.#origin?.outlet.isSent === true;
  }

  #repeatable(): boolean {
    return this.#framing === "none" && IDEMPOTENT.has(this.#client.parsed.head.method);
  }

  /**
   * Whether an origin certainly reads the request's body. One that answers from the head alone is noticed only if its
   * answer overtakes the body; a client that asks before it sends a body most likely meets such an origin.
   */
  #readsBody(): boolean {
    const { head, expectsContinue } = this.#client.parsed;
    return WITH_BODY.has(head.method) && !expectsContinue;
  }

  #finish(): void {
    const origin = this.#origin;
    const { response, rest, keepAlive } = this.#relay;
    this.#origin = undefined;
    if (origin !== undefined && response !== undefined) {
      const isBodyRead = this.#framing === "none" || this.#readsBody();
      const isWhole = this.#requestDone && !this.#relay.isCut && rest.length === 0 && origin.outlet.isSent;
      const clean = isWhole && isBodyRead && !this.#isEarly && !this.#relay.isLoose;
      if (clean && response.keepAlive) this.#client.connection.owner.upstream.release(origin, response.keepAliveMs);
      else if (clean) origin.close();
      else origin.abort();
    }
    this.#client.forwarded(keepAlive);
  }

  #switch(): void {
    const origin = this.#origin;
    this.#origin = undefined;
    if (origin !== undefined) this.#client.switched(origin, this.#relay.rest);
  }

  /** For failures before a byte of the answer. */
  #failOrRetry(failure: ForwardFailure): void {
    const again = this.#retried || !this.#repeatable() ? undefined : this.#plan.retry?.(failure);
    if (again === undefined) {
      this.#fail(failure);
      return;
    }
    this.abort();
    this.#retried = true;
    this.#target = again;
    this.#head = requestHead(this.#client.parsed, this.#plan, again);
    this.#send(this.#client.connection.owner.upstream.dial(again, this), false);
  }

  #fail(failure: ForwardFailure): void {
    this.abort();
    if (this.#relay.response === undefined) this.#client.failed(failure);
    else this.#client.broken(failure);
  }
}

function requestHead(
  { head, framing, webSocket }: ParsedRequest,
  { headers, target = head.target }: ForwardPlan,
  origin: OriginTarget,
): string {
  const isNamed = origin.askedAs === undefined && fieldValue(headers, "host") !== undefined;
  const sent = origin.askedAs === undefined ? headers : withoutHost(headers);
  return (
    `${head.method} ${origin.basePath}${target} HTTP/1.1\r\n` +
    (isNamed ? "" : `Host: ${origin.askedAs ?? origin.authority}\r\n`) +
    fieldLines(withoutHandled(sent)) +
    (typeof framing === "number" ? `Content-Length: ${framing}\r\n` : "") +
    (framing === "chunked" ? "Transfer-Encoding: chunked\r\n" : "") +
    (webSocket ? "Connection: Upgrade\r\nUpgrade: websocket\r\n" : "") +
    "\r\n"
  );
}

function withoutHost(headers: HeaderList): HeaderList {
  return headers.filter((_, at) => !isField(headers[at - (at % 2)] ?? "", "host"));
}
