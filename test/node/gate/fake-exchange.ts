/** An exchange without sockets: it notes the one answer or the one forward plan, and plays the origin's part. */

import { randomBytes } from "node:crypto";
import type {
  Exchange,
  ForwardFailure,
  ForwardPlan,
  HeaderList,
  RequestHead,
} from "../../../node/gate/http/message.ts";

export interface Asked {
  readonly method?: string;
  readonly host?: string;
  readonly target?: string;
  /** Fields besides Host. */
  readonly headers?: Readonly<Record<string, string>> | HeaderList;
  readonly from?: string;
  readonly tls?: boolean;
  readonly webSocket?: boolean;
  readonly hasBody?: boolean;
}

export interface Answered {
  readonly kind: "answer";
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: string;
}

export interface Forwarded {
  readonly kind: "forward";
  readonly plan: ForwardPlan;
}

export type Outcome = Answered | Forwarded;

export class FakeExchange implements Exchange {
  readonly id = randomBytes(8).toString("hex");
  readonly request: RequestHead;
  readonly remoteAddress: string;
  readonly secure: boolean;
  readonly webSocket: boolean;
  readonly hasBody: boolean;
  readonly gone = false;
  /** All that was called, in order: more than one entry only after `onFailure`. */
  readonly outcomes: Outcome[] = [];
  #isDone = false;
  #first: (outcome: Outcome) => void = () => undefined;
  readonly outcome = new Promise<Outcome>((resolve) => {
    this.#first = resolve;
  });

  constructor({ method = "GET", host = "shop.example", target = "/", headers = {}, ...rest }: Asked = {}) {
    const fields = Array.isArray(headers) ? headers : Object.entries(headers).flat();
    this.request = { method, target, minorVersion: 1, headers: ["Host", host, ...fields], authority: host, host };
    this.remoteAddress = rest.from ?? "203.0.113.7";
    this.secure = rest.tls ?? false;
    this.webSocket = rest.webSocket ?? false;
    this.hasBody = rest.hasBody ?? false;
  }

  answer(status: number, headers: HeaderList, body: string | Uint8Array): void {
    this.#note({ kind: "answer", status, headers, body: String(body) });
  }

  forward(plan: ForwardPlan): void {
    this.#note({ kind: "forward", plan });
  }

  /** What was forwarded has failed: it may be answered now. */
  reopen(): void {
    this.#isDone = false;
  }

  /** As the real one: one answer or one forward, and one answer more when the forward has failed. */
  #note(outcome: Outcome): void {
    if (this.#isDone) throw new Error(`Cannot ${outcome.kind} as the exchange must be open: it has been answered`);
    this.#isDone = true;
    this.outcomes.push(outcome);
    this.#first(outcome);
  }
}

/** What the visitor gets of an origin's answer with `headers`. */
export function originAnswers({ plan }: Forwarded, headers: HeaderList = []): HeaderList {
  return plan.onResponse({ status: 200, reason: "OK", headers });
}

/** What the visitor gets when the origin fails. */
export function originFails(exchange: FakeExchange, kind: ForwardFailure["kind"]): Answered {
  const [first] = exchange.outcomes;
  if (first?.kind !== "forward") throw new Error("The request was not forwarded");
  exchange.reopen();
  first.plan.onFailure({ kind, detail: "for the test" });
  const last = exchange.outcomes.at(-1);
  if (last?.kind !== "answer") throw new Error("The failure was not answered");
  return last;
}

/** All values of the field called `name`. */
export function fieldsOf(headers: HeaderList, name: string): string[] {
  return headers.flatMap((field, at) =>
    at % 2 === 0 && field.toLowerCase() === name.toLowerCase() ? [headers[at + 1] ?? ""] : [],
  );
}

/** The value of the field called `name`, or undefined. */
export function fieldOf(headers: HeaderList, name: string): string | undefined {
  return fieldsOf(headers, name)[0];
}

/** `name=value` of the first Set-Cookie field, as a browser sends it back. */
export function cookieIn(headers: HeaderList): string {
  return fieldOf(headers, "Set-Cookie")?.split(";")[0] ?? "";
}
