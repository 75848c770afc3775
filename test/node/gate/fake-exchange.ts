/**
 * An exchange of a test: it notes what becomes of it, and plays the origin's part. Held to the contract by
 * `MemoryExchange`.
 */

import { randomBytes } from "node:crypto";
import type { ForwardFailure, HeaderList } from "../../../node/http/message.ts";
import { type Answered, type ExchangeOutcome, type Forwarded, MemoryExchange } from "../../sim/memory-exchange.ts";

export type { Answered, Forwarded };
export type Outcome = ExchangeOutcome;

export interface Asked {
  readonly method?: string;
  readonly host?: string;
  readonly target?: string;
  /** Fields besides Host. A list is taken as it is; otherwise a GET accepts HTML, as those of browsers do. */
  readonly headers?: Readonly<Record<string, string>> | HeaderList;
  readonly from?: string;
  readonly tls?: boolean;
  readonly webSocket?: boolean;
  readonly hasBody?: boolean;
  readonly body?: string;
}

export class FakeExchange extends MemoryExchange {
  /** All that was called, in order: more than one entry only after `onFailure`. */
  readonly outcomes: Outcome[];
  readonly outcome: Promise<Outcome>;

  constructor({ method = "GET", host = "shop.example", target = "/", headers = {}, ...rest }: Asked = {}) {
    const fields = Array.isArray(headers) ? headers : browserFields(rest.webSocket ? "" : method, headers);
    const outcomes: Outcome[] = [];
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    super(
      {
        id: randomBytes(8).toString("hex"),
        request: { method, target, minorVersion: 1, headers: ["Host", host, ...fields], authority: host, host },
        remoteAddress: rest.from ?? "203.0.113.7",
        secure: rest.tls ?? false,
        webSocket: rest.webSocket ?? false,
        hasBody: rest.hasBody ?? rest.body !== undefined,
        body: rest.body ?? "",
      },
      (outcome) => {
        outcomes.push(outcome);
        resolve(outcome);
      },
    );
    this.outcomes = outcomes;
    this.outcome = promise;
  }
}

function browserFields(method: string, headers: object): string[] {
  const fields = Object.entries(headers).flat();
  const isSaid = Object.keys(headers).some((name) => name.toLowerCase() === "accept");
  return method === "GET" && !isSaid ? [...fields, "Accept", "text/html"] : fields;
}

/** What the visitor gets of an origin's answer with `headers`. */
export function originAnswers({ plan }: Forwarded, headers: HeaderList = []): HeaderList {
  return plan.onResponse({ status: 200, reason: "OK", headers });
}

/** What the visitor gets when the origin fails. */
export function originFails(exchange: FakeExchange, kind: ForwardFailure["kind"]): Answered {
  const [first] = exchange.outcomes;
  if (first?.kind !== "forward") throw new Error("The request was not forwarded");
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
