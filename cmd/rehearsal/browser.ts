/** A visitor's browser: one connection to the site, its cookies, and the fields that browsers send. */

import { isField } from "../../node/http/fields.ts";
import type { HeaderList } from "../../node/http/message.ts";
import { CookieJar } from "../crowd/cookie-jar.ts";
import { pageSeen, pollSeen, type Seen } from "./answer-kind.ts";
import { requestFields, USER_AGENT } from "./request-fields.ts";
import { type FailureKind, type Site, SiteClient } from "./site-client.ts";

export type Got =
  | { readonly kind: "seen"; readonly seen: Seen }
  | { readonly kind: "failure"; readonly failure: FailureKind }
  /** The run is over. */
  | { readonly kind: "ended" };

export class Browser {
  readonly #site: Site;
  readonly #client: SiteClient;
  readonly #jar = new CookieJar();
  /** Names the visitor to the site. */
  readonly #name: string;

  constructor(site: Site, name: string) {
    this.#site = site;
    this.#client = new SiteClient(site);
    this.#name = name;
  }

  end(): void {
    this.#client.end();
  }

  /** Loads a page, or asks as the waiting page's script does. */
  async get(path: string, isPoll: boolean): Promise<Got> {
    const cookie = this.#jar.field(path, Date.now());
    const outcome = await this.#client.get(path, [
      ...["User-Agent", USER_AGENT, "X-Load-Visitor", this.#name],
      ...requestFields(isPoll, this.#site.target.tls),
      ...(cookie === undefined ? [] : ["Cookie", cookie]),
    ]);
    if (outcome.kind !== "answer") return outcome;
    this.#jar.keep(valuesOf(outcome.headers, "set-cookie"), Date.now());
    return { kind: "seen", seen: isPoll ? pollSeen(outcome) : pageSeen(outcome) };
  }

  /** Whether it has a good cookie of the room. */
  get hasGoodCookie(): boolean {
    return this.#jar.ofRoom(Date.now()) !== undefined;
  }

  /** For how long it is good, in ms; Infinity without one. */
  get goodForMs(): number {
    return (this.#jar.ofRoom(Date.now())?.untilMs ?? Number.POSITIVE_INFINITY) - Date.now();
  }

  /** The path of `to`, as seen from `path`; undefined for another host, scheme or port. */
  onSite(to: string, path: string): string | undefined {
    const { tls, authority } = this.#site.target;
    const origin = `${tls ? "https" : "http"}://${authority}`;
    const url = URL.parse(to, origin + path);
    return url !== null && url.origin === new URL(origin).origin ? url.pathname + url.search : undefined;
  }
}

function valuesOf(fields: HeaderList, name: string): string[] {
  return fields.filter((_, at) => at % 2 === 1 && isField(fields[at - 1] ?? "", name));
}
