/**
 * A request that this process makes at its own gate, for a visitor who uses an API in place of pages.
 *
 * The gate decides on it as on any other: address limits, a full line and the disk included. Nothing goes to an origin:
 * it is a question whether the visitor may pass, as a proxy asks one.
 */

import { randomBytes } from "node:crypto";
import type { Exchange, HeaderList, ProxyQuestion, RequestHead, Trail } from "../../http/message.ts";

export interface InnerVisitor {
  readonly host: string;
  readonly target: string;
  readonly headers: HeaderList;
  readonly remoteAddress: string;
  readonly steadyMs: number;
}

/** What the gate made of it. */
export interface InnerOutcome {
  /** Whether the visitor may pass. */
  readonly mayPass: boolean;
  /** What the gate counted. */
  readonly outcome: string;
  /** Set-Cookie values. */
  readonly cookies: readonly string[];
}

const ID_BYTES = 8;

export class InnerVisit implements Exchange {
  readonly id = randomBytes(ID_BYTES).toString("hex");
  readonly request: RequestHead;
  readonly remoteAddress: string;
  readonly secure = true;
  readonly gone = false;
  readonly hasBody = false;
  readonly webSocket = false;
  readonly question: ProxyQuestion;
  readonly trail: Trail;
  visitor: string | undefined;
  readonly outcome: Promise<InnerOutcome>;
  readonly #settle: (outcome: InnerOutcome) => void;

  constructor({ host, target, headers, remoteAddress, steadyMs }: InnerVisitor) {
    const { promise, resolve } = Promise.withResolvers<InnerOutcome>();
    this.outcome = promise;
    this.#settle = resolve;
    this.remoteAddress = remoteAddress;
    this.trail = { startedMs: steadyMs, outcome: "refused" };
    const fields = ["Host", host, ...headers];
    this.request = { method: "GET", target, minorVersion: 1, authority: host, host, headers: fields };
    this.question = { isInsideOnly: false, allow: (cookies) => this.#end(true, cookies) };
  }

  answer(_status: number, headers: HeaderList): void {
    this.#end(
      false,
      headers.filter((_, at) => at % 2 === 1 && headers[at - 1] === "Set-Cookie"),
    );
  }

  forward(): void {
    throw new Error("Cannot forward a question as nothing of it goes to an origin");
  }

  #end(mayPass: boolean, cookies: readonly string[]): void {
    this.#settle({ mayPass, outcome: this.trail.outcome, cookies });
  }
}
