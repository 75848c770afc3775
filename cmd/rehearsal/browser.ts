/** A visitor's browser: one connection to the site, its cookies, and the fields that browsers send. */

import { isField } from "../../node/http/fields.ts";
import type { HeaderList, OriginTarget } from "../../node/http/message.ts";
import { CookieJar } from "../crowd/cookie-jar.ts";
import { pageSeen, pollSeen, type Seen } from "./answer-kind.ts";
import type { Clock } from "./clock.ts";
import { requestFields, USER_AGENT } from "./request-fields.ts";
import type { Client, FailureKind } from "./site-client.ts";

export type Got =
  | { readonly kind: "seen"; readonly seen: Seen }
  | { readonly kind: "failure"; readonly failure: FailureKind }
  /** The run is over. */
  | { readonly kind: "ended" };

export interface BrowserParts {
  readonly target: OriginTarget;
  /** A connection to the site. */
  readonly connect: () => Client;
  readonly clock: Clock;
}

export class Browser {
  readonly #target: OriginTarget;
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #jar = new CookieJar();
  /** Names the visitor to the site. */
  readonly #name: string;

  constructor({ target, connect, clock }: BrowserParts, name: string) {
    this.#target = target;
    this.#client = connect();
    this.#clock = clock;
    this.#name = name;
  }

  end(): void {
    this.#client.end();
  }

  /** Loads a page, or asks as the waiting page's script does. */
  async get(path: string, isPoll: boolean): Promise<Got> {
    const cookie = this.#jar.field(path, this.#clock.unixMs());
    const outcome = await this.#client.get(path, [
      ...["User-Agent", USER_AGENT, "X-Load-Visitor", this.#name],
      ...requestFields(isPoll, this.#target.tls),
      ...(cookie === undefined ? [] : ["Cookie", cookie]),
    ]);
    if (outcome.kind !== "answer") return outcome;
    this.#jar.keep(valuesOf(outcome.headers, "set-cookie"), this.#clock.unixMs());
    return { kind: "seen", seen: isPoll ? pollSeen(outcome) : pageSeen(outcome) };
  }

  /** Whether it has a good cookie of the room. */
  get hasGoodCookie(): boolean {
    return this.#jar.ofRoom(this.#clock.unixMs()) !== undefined;
  }

  /** For how long it is good, in ms; Infinity without one. */
  get goodForMs(): number {
    return (this.#jar.ofRoom(this.#clock.unixMs())?.untilMs ?? Number.POSITIVE_INFINITY) - this.#clock.unixMs();
  }

  /** The path of `to`, as seen from `path`; undefined for another host, scheme or port. */
  onSite(to: string, path: string): string | undefined {
    const { tls, authority } = this.#target;
    const origin = `${tls ? "https" : "http"}://${authority}`;
    const url = URL.parse(to, origin + path);
    return url !== null && url.origin === new URL(origin).origin ? url.pathname + url.search : undefined;
  }
}

function valuesOf(fields: HeaderList, name: string): string[] {
  return fields.filter((_, at) => at % 2 === 1 && isField(fields[at - 1] ?? "", name));
}
