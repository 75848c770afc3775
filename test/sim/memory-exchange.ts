/**
 * An exchange without sockets that holds both sides to the contract of `Exchange` (node/http/message.ts): the gate
 * answers once or forwards once, and answers once more when the forward has failed; the origin's part is played at most
 * once. What breaks the contract throws. When the client has gone, calls do nothing.
 */

import type {
  Bytes,
  Exchange,
  ForwardFailure,
  ForwardPlan,
  HeaderList,
  OriginTarget,
  RequestHead,
  ResponseHead,
  Trail,
} from "../../node/http/message.ts";

export interface Answered {
  readonly kind: "answer";
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: string;
}

export interface Forwarded {
  readonly kind: "forward";
  /** Its functions play the origin's part. */
  readonly plan: ForwardPlan;
}

export type ExchangeOutcome = Answered | Forwarded;

export interface MemoryRequest {
  readonly id?: string;
  readonly request: RequestHead;
  readonly remoteAddress: string;
  readonly secure?: boolean;
  readonly webSocket?: boolean;
  readonly hasBody?: boolean;
  /** The body, as far as the gate reads it. */
  readonly body?: string;
  /** Whether the client is gone by itself: with the process, as it is for a simulated one. */
  readonly isGone?: () => boolean;
}

/** tchar of RFC 9110 §5.6.2 */
const FIELD_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** No control character but the tab: RFC 9110 §5.5. */
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

export class MemoryExchange implements Exchange {
  readonly id: string;
  request: RequestHead;
  readonly remoteAddress: string;
  readonly secure: boolean;
  readonly webSocket: boolean;
  readonly hasBody: boolean;
  visitor: string | undefined;
  trail?: Trail;
  readonly #body: string;
  readonly #onOutcome: (outcome: ExchangeOutcome) => void;
  #state: "open" | "forwarding" | "failing" | "ended" = "open";
  #plan: ForwardPlan | undefined;
  #gone = false;
  readonly #isGone: (() => boolean) | undefined;

  /** `onOutcome` hears of the answer, and of the forward. */
  constructor(request: MemoryRequest, onOutcome: (outcome: ExchangeOutcome) => void) {
    this.id = request.id ?? "";
    this.request = request.request;
    this.remoteAddress = request.remoteAddress;
    this.secure = request.secure ?? false;
    this.webSocket = request.webSocket ?? false;
    this.#body = request.body ?? "";
    this.hasBody = request.hasBody ?? this.#body !== "";
    this.#isGone = request.isGone;
    this.#onOutcome = onOutcome;
  }

  get gone(): boolean {
    return this.#gone || this.#isGone?.() === true;
  }

  nameHost(host: string): void {
    this.request = { ...this.request, host };
  }

  answer(status: number, headers: HeaderList, body: string | Bytes): void {
    if (this.gone) return;
    if (this.#state !== "open" && this.#state !== "failing") this.#broken("answer");
    if (!Number.isInteger(status) || status < 200 || status > 599)
      throw new RangeError(`Cannot answer as the status must be from 200 to 599: current value is ${status}`);
    this.#state = "ended";
    this.#onOutcome({
      kind: "answer",
      status,
      headers: checked(headers),
      body: typeof body === "string" ? body : body.latin1,
    });
  }

  forward(plan: ForwardPlan): void {
    if (this.gone) return;
    if (this.#state !== "open") this.#broken("forward");
    this.#state = "forwarding";
    this.#plan = plan;
    checked(plan.headers);
    this.#onOutcome({ kind: "forward", plan: this.#played(plan) });
  }

  collect(bytesMax: number, then: (body: string | undefined) => void): void {
    if (this.gone) return;
    if (this.#state !== "open") this.#broken("collect the body");
    then(this.#body.length > bytesMax ? undefined : this.#body);
  }

  /** The client goes away. */
  leave(): void {
    if (this.#gone) return;
    this.#gone = true;
    if (this.#state === "forwarding") this.#plan?.onAbandoned?.();
  }

  /** The gate ends the exchange before the origin has answered. */
  cut(answer: () => void): void {
    if (this.gone || this.#state !== "forwarding") this.#broken("cut it");
    this.#state = "failing";
    answer();
  }

  #played(plan: ForwardPlan): ForwardPlan {
    let isRetried = false;
    return {
      ...plan,
      onResponse: (head: ResponseHead): HeaderList => {
        if (this.gone || this.#state !== "forwarding") this.#broken("take the origin's answer");
        this.#state = "ended";
        return checked(plan.onResponse(head));
      },
      onFailure: (failure: ForwardFailure): void => {
        if (this.gone || this.#state !== "forwarding") this.#broken("take the origin's failure");
        this.#state = "failing";
        plan.onFailure(failure);
        if (this.#state === "failing") throw new Error("Cannot end the exchange as its failure must be answered");
      },
      ...(plan.retry && {
        retry: (failure: ForwardFailure): OriginTarget | undefined => {
          if (this.gone || this.#state !== "forwarding" || isRetried) this.#broken("retry");
          isRetried = true;
          return plan.retry?.(failure);
        },
      }),
    };
  }

  #broken(what: string): never {
    const state = this.gone ? "gone" : this.#state;
    throw new Error(`Cannot ${what} as the exchange must be open for it: current value is ${state}`);
  }
}

/** `headers`, if they can be sent. */
function checked(headers: HeaderList): HeaderList {
  if (headers.length % 2 !== 0)
    throw new RangeError(`Cannot send fields as each needs a name and a value: current value is ${headers.length}`);
  for (let at = 0; at < headers.length; at += 2) {
    const [name = "", value = ""] = [headers[at], headers[at + 1]];
    if (!FIELD_NAME.test(name) || !FIELD_VALUE.test(value))
      throw new RangeError(
        `Cannot send a field as it must be one of RFC 9110: current value is ${JSON.stringify(name)}`,
      );
  }
  return headers;
}
