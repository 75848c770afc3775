/**
 * One request and its one answer, as the gate's decisions see them (see `message.ts`).
 *
 * It ends exactly once and is reported once; later calls do nothing, because by then the connection may serve the next
 * request.
 */

import { randomBytes } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { ConnectionParts } from "./connection-owner.ts";
import { NO_STORE } from "./fields.ts";
import { Forward, type ForwardClient } from "./forward.ts";
import type {
  Bytes,
  Exchange,
  ExchangeEnd,
  ForwardFailure,
  ForwardPlan,
  HeaderList,
  OpenExchange,
  RequestHead,
  Trail,
} from "./message.ts";
import type { ParsedRequest } from "./request-head.ts";
import type { OriginConnection } from "./upstream.ts";
import type { Closing } from "./websocket-frames.ts";

const ID_BYTES = 8;

/** The status that nginx logs for a client that left before its answer. */
const CLIENT_GONE = 499;

export class HttpExchange implements Exchange, ForwardClient, OpenExchange {
  readonly parsed: ParsedRequest;
  readonly connection: ConnectionParts;
  forwarding: Forward | undefined;
  #collector: BodyCollector | undefined;
  visitor: string | undefined;
  trail?: Trail;
  #state: "open" | "forwarding" | "failing" | "ended" = "open";
  #isCut = false;
  #named: RequestHead | undefined;
  #gone = false;
  #id: string | undefined;
  #plan: ForwardPlan | undefined;
  readonly #startBytes: number;

  constructor(parsed: ParsedRequest, connection: ConnectionParts) {
    this.parsed = parsed;
    this.connection = connection;
    this.#startBytes = connection.outlet.total;
  }

  get id(): string {
    this.#id ??= randomBytes(ID_BYTES).toString("hex");
    return this.#id;
  }

  get request(): RequestHead {
    return this.#named ?? this.parsed.head;
  }

  nameHost(host: string): void {
    this.#named = { ...this.parsed.head, host };
  }

  get remoteAddress(): string {
    return this.connection.remoteAddress;
  }

  get secure(): boolean {
    return this.connection.owner.secure;
  }

  get hasBody(): boolean {
    const { framing } = this.parsed;
    return framing !== "none" && framing !== 0;
  }

  get webSocket(): boolean {
    return this.parsed.webSocket;
  }

  get gone(): boolean {
    return this.#gone;
  }

  answer(status: number, headers: HeaderList, body: string | Bytes): void {
    if (this.#gone) return;
    if (this.#state !== "open" && this.#state !== "failing") {
      throw new Error(`Cannot answer as the exchange must be open: current value is ${this.#state}`);
    }
    const keepAlive = this.keepAlive() && this.connection.canDiscardBody();
    const { method, minorVersion } = this.parsed.head;
    let text: string;
    try {
      text = this.connection.owner.answers.write({ status, headers, body }, { method, minorVersion, keepAlive });
    } catch (error) {
      // An answer that cannot be written is our error: the visitor gets a 500.
      this.crashed(error);
      return;
    }
    this.connection.outlet.text(text);
    this.#end(status);
    this.connection.finish(keepAlive);
  }

  forward(plan: ForwardPlan): void {
    if (this.#gone) return;
    if (this.#state !== "open") {
      throw new Error(`Cannot forward as the exchange must be open: current value is ${this.#state}`);
    }
    if (this.connection.halfClosed) {
      plan.onAbandoned?.();
      this.cancel(CLIENT_GONE);
      this.connection.end(true);
      return;
    }
    this.#plan = plan;
    this.#state = "forwarding";
    try {
      this.forwarding = new Forward(this, plan);
      this.forwarding.start();
    } catch (error) {
      this.crashed(error);
    }
    this.connection.resume();
  }

  /** Where the request's body goes; undefined while that is not known. */
  get sink(): Forward | BodyCollector | undefined {
    return this.forwarding ?? this.#collector;
  }

  collect(bytesMax: number, then: (body: string | undefined) => void): void {
    if (this.#gone) return;
    if (this.#state !== "open" || this.#collector !== undefined) {
      throw new Error(`Cannot collect the body as the exchange must be open: current value is ${this.#state}`);
    }
    const { framing, expectsContinue } = this.parsed;
    // A client that waits for 100 (Continue) would wait for ever.
    if (expectsContinue || (typeof framing === "number" && framing > bytesMax)) {
      then(undefined);
      return;
    }
    this.#collector = collecting(bytesMax, (body) => {
      if (this.#gone) return;
      try {
        then(body);
      } catch (error) {
        this.crashed(error);
      }
    });
    this.connection.resume();
  }

  /** Ends the exchange without the handler's answer: the client is gone, or gets `status` instead. */
  cancel(status = CLIENT_GONE): void {
    this.#gone = true;
    if (this.#state === "ended") return;
    this.#abandon();
    this.#end(this.forwarding?.status ?? status, "client");
  }

  sweep(tickMs: number): void {
    this.forwarding?.sweep(tickMs);
    if (this.#state !== "forwarding" || this.#isCut) return;
    this.#guarded(() => this.#plan?.whileOpen?.(this));
  }

  get passedBytes(): number {
    return this.connection.outlet.total - this.#startBytes + this.connection.receivedBytes;
  }

  cut(closing: Closing, answer: () => void): void {
    if (this.#state !== "forwarding" || this.#isCut) return;
    this.#isCut = true;
    if (this.forwarding === undefined) {
      this.connection.closeTunnel(closing);
      return;
    }
    this.#abandon();
    if (this.forwarding.status !== undefined) {
      this.#breakOff("gate");
      return;
    }
    this.#state = "failing";
    answer();
  }

  /** Our own code failed: a 500 as long as nothing was sent, otherwise a broken stream. */
  crashed(error: unknown): void {
    this.connection.owner.onError(error);
    if (this.#state === "ended" || this.#gone) return;
    this.#abandon();
    if (this.forwarding?.status !== undefined) this.#breakOff("gate");
    else {
      this.#state = "failing";
      this.#apologise(500);
    }
  }

  keepAlive(): boolean {
    return this.parsed.keepAlive && !this.connection.isLast && !this.connection.owner.draining;
  }

  forwarded(keepAlive: boolean): void {
    this.#end(this.forwarding?.status ?? 200);
    this.connection.finish(keepAlive);
  }

  broken(failure: ForwardFailure): void {
    this.#guarded(() => this.#plan?.onBroken?.(failure));
    this.#breakOff("origin");
  }

  #breakOff(by: ExchangeEnd["abortedBy"]): void {
    this.#end(this.forwarding?.status ?? 502, by);
    // Without length or chunks (HTTP/1.0) only a reset distinguishes a broken body from a complete one.
    this.connection.end(this.parsed.head.minorVersion === 1);
  }

  failed(failure: ForwardFailure): void {
    this.forwarding = undefined;
    this.#state = "failing";
    this.#guarded(() => this.#plan?.onFailure(failure));
    if (this.#state === "failing") this.#apologise(failure.kind === "timeout" ? 504 : 502);
  }

  switched(origin: OriginConnection, rest: Buffer): void {
    this.forwarding = undefined;
    this.connection.becomeTunnel(origin, rest);
  }

  /** The tunnel that this exchange became has ended. */
  tunnelEnded(): void {
    this.#end(101);
  }

  #abandon(): void {
    const { forwarding } = this;
    forwarding?.abort();
    if (forwarding === undefined || forwarding.status !== undefined) return;
    this.#guarded(() => this.#plan?.onAbandoned?.());
  }

  /** An error in what the plan does is reported, and costs no more than that. */
  #guarded(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.connection.owner.onError(error);
    }
  }

  #apologise(status: number): void {
    const reason = STATUS_CODES[status] ?? "";
    this.answer(status, ["Content-Type", "text/plain; charset=utf-8", ...NO_STORE], `${status} ${reason}\n`);
  }

  #end(status: number, abortedBy?: ExchangeEnd["abortedBy"]): void {
    if (this.#state === "ended") return;
    this.#state = "ended";
    const bytesSent = this.connection.outlet.total - this.#startBytes;
    this.connection.owner.onEnd?.(this, {
      status,
      bytesSent,
      bytesReceived: this.connection.receivedBytes,
      abortedBy,
    });
  }
}

type BodyCollector = ReturnType<typeof collecting>;

/**
 * Collects a body, as latin1, for the gate itself. `then` is called once: with undefined as soon as it is longer than
 * `bytesMax`.
 */
function collecting(bytesMax: number, then: (body: string | undefined) => void) {
  let text: string | undefined = "";
  return {
    /** It never holds the client back: what does not fit is given up. */
    blocked: false,
    body(piece: Buffer): void {
      if (text === undefined) return;
      text += piece.toString("latin1");
      if (text.length <= bytesMax) return;
      text = undefined;
      then(undefined);
    },
    bodyEnd(): void {
      const whole = text;
      text = undefined;
      if (whole !== undefined) then(whole);
    },
  };
}
