/**
 * One client connection: heads and bodies in, one exchange at a time, answers out in order.
 *
 * `#step` does what the phase allows with the received bytes until nothing moves. Whatever is in the way (a running
 * exchange, a slow origin, a client that does not read) also stops the socket (back-pressure), so a connection holds
 * little more than `backlogBytesMax` each way. The listener's sweep counts times.
 */

import type { ConnectionParts, ConnectionState, HttpOwner } from "./connection-owner.ts";
import { HttpExchange } from "./exchange.ts";
import type { Refusal } from "./fields.ts";
import { type Awaited, Patience } from "./limits.ts";
import { Outlet, type WritableSocket } from "./outlet.ts";
import { ALLOWED_METHODS, isRefusal } from "./request-head.ts";
import { RequestReader } from "./request-reader.ts";
import { Tunnel } from "./tunnel.ts";
import type { OriginConnection } from "./upstream.ts";
import type { Closing } from "./websocket-frames.ts";

/** The part of a Bun socket that is used here. */
export interface ClientSocket extends WritableSocket {
  pause(): void;
  resume(): void;
  /** Ends our side; the client's may go on. */
  shutdown(): void;
  end(): void;
  terminate(): void;
}

/** Where a connection belongs. */
export interface ConnectionPlace {
  readonly owner: HttpOwner;
  readonly remoteAddress: string;
  readonly changed?: HttpOwner["changed"];
}

/**
 * `head`: a request may come. `exchange`: one is being handled. `discard`: it was answered before its body had arrived.
 * `closing`: the last answer is on its way. `lingering`: it is written, and the client may still read it.
 */
type Phase = "head" | "exchange" | "discard" | "tunnel" | "closing" | "lingering" | "closed";

/** The connection's state for its owner, unless its client stalls. */
const STATES: Readonly<Record<Phase, ConnectionState>> = {
  head: "waiting",
  exchange: "working",
  discard: "answered",
  tunnel: "working",
  closing: "working",
  lingering: "answered",
  closed: "working",
};

export class ClientConnection implements ConnectionParts {
  readonly owner: HttpOwner;
  readonly outlet: Outlet;
  readonly remoteAddress: string;
  halfClosed = false;
  readonly #socket: ClientSocket;
  readonly #reader: RequestReader;
  readonly #patience: Patience;
  #phase: Phase = "head";
  #exchange: HttpExchange | undefined;
  #tunnel: Tunnel | undefined;
  #state: ConnectionState = "new";
  #stepping = false;
  #paused = false;
  isLast = false;
  /** Requests that may start before other connections get their turn. */
  #turnsLeft: number;
  /** Bytes dropped since the last answer was started. */
  #droppedBytes = 0;
  readonly #onChange: HttpOwner["changed"];

  /** `changed` hears of its activity in place of the owner. */
  constructor(socket: ClientSocket, { owner, remoteAddress, changed }: ConnectionPlace) {
    this.owner = owner;
    this.remoteAddress = remoteAddress;
    this.#onChange = changed ?? ((connection, state) => owner.changed(connection, state));
    this.outlet = new Outlet(socket, owner.limits.backlogBytesMax);
    this.#socket = socket;
    this.#reader = new RequestReader(owner.limits);
    this.#patience = new Patience(owner.limits);
    this.#turnsLeft = owner.limits.requestsPerTurnMax;
  }

  get bodyBytes(): number {
    return this.#reader.bodyBytes;
  }

  get receivedBytes(): number {
    return this.bodyBytes + (this.#tunnel?.fromClientBytes ?? 0);
  }

  /** Whether no request has begun. */
  get idle(): boolean {
    return this.#phase === "head" && this.#reader.pending === 0;
  }

  received(bytes: Buffer): void {
    if (this.#phase === "closing" || this.#phase === "lingering") {
      this.#droppedBytes += bytes.length;
      if (this.#droppedBytes > this.owner.limits.lingerBytesMax) this.#socket.terminate();
      return;
    }
    this.#reader.push(bytes);
    this.resume();
  }

  /** The socket takes bytes again. */
  drained(): void {
    this.outlet.drain();
    if (!this.outlet.blocked) {
      this.#exchange?.forwarding?.clientReady();
      this.#tunnel?.clientReady();
    }
    this.resume();
  }

  /** The client has ended its side, perhaps both. */
  ended(): void {
    this.halfClosed = true;
    if (this.#phase === "lingering") this.#socket.end();
    else if (this.#phase === "tunnel") this.#tunnel?.clientEnded();
    else if (
      this.#exchange !== undefined &&
      (this.#exchange.forwarding !== undefined || this.#reader.bodyBytesLeft > 0)
    ) {
      this.#exchange.cancel();
      this.end(false);
    } else this.resume();
  }

  /** The socket is gone. */
  closed(): void {
    this.#setPhase("closed");
    this.outlet.close();
    this.#tunnel?.abort();
    this.#exchange?.cancel();
  }

  canDiscardBody(): boolean {
    const left = this.#reader.bodyBytesLeft;
    if (left === 0) return true;
    // A client that waits for 100 (Continue) may or may not send its body now: the next bytes could be read either way.
    if (this.#exchange?.parsed.expectsContinue === true) return false;
    return left <= this.owner.limits.discardBytesMax || left === Number.POSITIVE_INFINITY;
  }

  resume(): void {
    if (this.#stepping || this.#phase === "closed") return;
    this.#stepping = true;
    while (this.#step());
    this.#stepping = false;
    this.#boundPipelined();
    this.#reader.settle();
    this.#exchange?.forwarding?.flush();
    if (this.#phase === "head" && !this.halfClosed) this.outlet.flushAtTurnEnd();
    else this.outlet.flush();
    const reading = this.#phase === "head" || this.#phase === "discard";
    if (this.halfClosed && reading && !this.outlet.blocked) this.#setPhase("closing");
    if (this.#phase === "closing" && this.outlet.backlog === 0) this.#sayGoodbye();
    if (this.#phase !== "tunnel") this.hold(this.#mustWait());
  }

  finish(keepAlive: boolean): void {
    this.#exchange = undefined;
    if (!keepAlive || this.isLast) this.#setPhase("closing");
    else this.#setPhase(this.#reader.bodyBytesLeft === 0 ? "head" : "discard");
    this.resume();
  }

  end(gently: boolean): void {
    if (this.#phase === "closed") return;
    if (!gently) {
      this.#socket.terminate();
      return;
    }
    this.#exchange = undefined;
    this.#tunnel = undefined;
    this.#setPhase("closing");
    this.resume();
  }

  becomeTunnel(origin: OriginConnection, rest: Buffer): void {
    const tunnel = new Tunnel(this, origin, this.owner.limits.stallMs);
    this.#tunnel = tunnel;
    this.#setPhase("tunnel");
    this.outlet.flush();
    if (rest.length > 0) tunnel.onData(rest);
    this.hold(false);
    this.resume();
  }

  closeTunnel(closing: Closing): void {
    this.#tunnel?.close(closing);
  }

  tunnelEnded(): void {
    this.#exchange?.tunnelEnded();
  }

  hold(paused: boolean): void {
    if (paused === this.#paused || this.#phase === "closed") return;
    this.#paused = paused;
    if (paused) this.#socket.pause();
    else this.#socket.resume();
  }

  sweep(tickMs: number): void {
    const awaited = this.#awaited();
    this.#changed(this.#isStill(awaited) ? "stalled" : this.#isNew() ? "new" : STATES[this.#phase]);
    if (this.outlet.stalls(tickMs, this.owner.limits.stallMs)) this.end(false);
    else if (awaited !== undefined && this.#patience.runsOut(tickMs, awaited, this.bodyBytes)) this.#giveUp(awaited);
    else {
      this.#exchange?.sweep(tickMs);
      this.#tunnel?.sweep(tickMs);
    }
  }

  /** Does one thing with the received bytes; false when nothing can be done now. */
  #step(): boolean {
    switch (this.#phase) {
      case "head":
        return this.#reader.pending > 0 && !this.outlet.blocked && this.#hasTurn() && this.#stepHead();
      case "exchange":
      case "discard":
        return this.#stepBody();
      case "tunnel":
        if (this.#reader.pending > 0) this.#tunnel?.fromClient(this.#reader.takeAll());
        return false;
      default:
        return false;
    }
  }

  #stepHead(): boolean {
    const parsed = this.#reader.readHead();
    if (parsed === undefined) {
      this.#patience.headBegins();
      return false;
    }
    if (isRefusal(parsed)) {
      this.#refuse(parsed);
      return false;
    }
    this.#setPhase("exchange");
    const exchange = new HttpExchange(parsed, this);
    this.#exchange = exchange;
    this.#turnsLeft -= 1;
    this.#boundPipelined();
    try {
      if (exchange.request.target === "*") exchange.answer(204, ["Allow", ALLOWED_METHODS], "");
      else this.owner.onExchange(exchange);
    } catch (error) {
      // The visitor gets a 500; all others are still served.
      exchange.crashed(error);
    }
    return true;
  }

  /** Whether another request may start now; if not, one may after all other connections had their turn. */
  #hasTurn(): boolean {
    if (this.#turnsLeft > 0) return true;
    if (this.#turnsLeft === 0) {
      this.#turnsLeft = -1;
      setImmediate(() => {
        this.#turnsLeft = this.owner.limits.requestsPerTurnMax;
        this.resume();
      });
    }
    return false;
  }

  /** A client that sends request after request without waiting for answers gets the one under way, and no other. */
  #boundPipelined(): void {
    const { pending, bodyBytesLeft } = this.#reader;
    if (pending - bodyBytesLeft <= this.owner.limits.pipelinedBytesMax) return;
    const isUnread = this.#phase === "head" && this.outlet.blocked;
    if (!isUnread && (this.#phase !== "exchange" || this.#exchange?.webSocket === true)) return;
    this.isLast = true;
    if (bodyBytesLeft === 0) this.#reader.takeAll();
    if (isUnread) this.#setPhase("closing");
  }

  #stepBody(): boolean {
    const sink = this.#exchange?.sink;
    if (this.#reader.bodyBytesLeft === 0) {
      if (this.#phase === "discard") this.#setPhase("head");
      else sink?.bodyEnd(this.#reader.trailers);
      return this.#phase === "head";
    }
    const untaken = this.#phase === "exchange" && (sink === undefined || sink.blocked);
    if (untaken || this.#reader.pending === 0) return false;
    if (!this.#reader.readBody(sink)) {
      this.#refuse({ status: 400, reason: "the chunked body is malformed" });
      return false;
    }
    const tooMuch = this.#phase === "discard" && this.bodyBytes > this.owner.limits.discardBytesMax;
    if (tooMuch) this.#setPhase("closing");
    return true;
  }

  /**
   * Refuses what the client sends. A running exchange ends; an answer already started is cut off, not followed by
   * another.
   */
  #refuse(refusal: Refusal): void {
    const exchange = this.#exchange;
    const begun = this.#phase === "discard" || exchange?.forwarding?.status !== undefined;
    this.#exchange = undefined;
    if (!begun) this.outlet.text(this.owner.answers.refuse(refusal));
    if (exchange === undefined) this.owner.onRefusal?.(refusal, this.remoteAddress);
    else exchange.cancel(refusal.status);
    this.#setPhase("closing");
    this.resume();
  }

  /** What we are waiting for from the client; undefined when nothing. */
  #awaited(): Awaited | undefined {
    switch (this.#phase) {
      case "head":
        return this.outlet.backlog === 0 ? "head" : undefined;
      case "lingering":
        return "goodbye";
      case "discard":
        return this.outlet.backlog === 0 ? "goodbye" : undefined;
      case "exchange": {
        // When it is held back, or has sent bytes that were not read yet, the delay is ours; and so it is as long as no
        // 100 (Continue) was sent.
        if (this.#reader.bodyBytesLeft === 0 || this.#paused || this.#reader.pending > 0) return undefined;
        const isAsked = this.#exchange?.parsed.expectsContinue !== true || this.#exchange.forwarding?.isOpen === true;
        return isAsked || this.bodyBytes > 0 ? "body" : undefined;
      }
      default:
        return undefined;
    }
  }

  #giveUp(awaited: Awaited): void {
    if (awaited === "goodbye") this.#socket.terminate();
    else if (awaited === "body") this.#refuse({ status: 408, reason: "the request's body came too slowly" });
    else if (!this.idle) this.#refuse({ status: 408, reason: "the request's head came too slowly" });
    else this.end(true);
  }

  /** Whether the socket must wait because its bytes are not being consumed. */
  #mustWait(): boolean {
    if (this.#phase === "head" && this.outlet.blocked) return true;
    if (this.#exchange?.forwarding?.blocked === true && this.#reader.bodyBytesLeft > 0) return true;
    return this.#reader.pending > this.owner.limits.backlogBytesMax;
  }

  /**
   * Ends our side. While the client may still be sending, closing would destroy the answer under way (RFC 9112 §9.6).
   */
  #sayGoodbye(): void {
    const quiet = this.#reader.takeAll().length === 0 && this.#reader.bodyBytesLeft === 0;
    this.#setPhase("lingering");
    if (quiet || this.halfClosed) this.#socket.end();
    else this.#socket.shutdown();
  }

  /** Whether only the client keeps this connection from continuing. */
  #isStill(awaited: Awaited | undefined): boolean {
    const { standstillMs, standstillBytesPerSecond, silenceMs } = this.owner.limits;
    if (this.#phase === "head") return false;
    if (this.#tunnel !== undefined && this.#tunnel.silentMs > silenceMs) return true;
    const drips = awaited === "body" && this.#patience.lags(standstillMs, this.bodyBytes, standstillBytesPerSecond);
    return drips || this.outlet.stalledMs > standstillMs;
  }

  /** Whether it has just arrived and had no time to send a request. */
  #isNew(): boolean {
    return this.#state === "new" && this.#phase === "head" && !this.#patience.lags(this.owner.limits.standstillMs, 0);
  }

  #changed(state: ConnectionState): void {
    if (this.#state === state || this.#phase === "closed") return;
    this.#state = state;
    this.#onChange(this, state);
  }

  #setPhase(phase: Phase): void {
    if (this.#phase === "closed" || this.#phase === phase) return;
    this.#phase = phase;
    this.#patience.restart();
    if (phase === "head") this.#patience.betweenRequests();
    this.#changed(STATES[phase]);
  }
}
