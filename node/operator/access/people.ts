/**
 * People who log in to the dashboard by the identity provider of their company: OpenID Connect's authorization code
 * flow with PKCE, by openid-client.
 *
 * A log-in that has begun is remembered here, under a value that only its browser has in a cookie: nobody can make a
 * browser end a log-in that somebody else began.
 */

import type { Configuration } from "openid-client";
import { messageOf } from "../../message-of.ts";
import type { Fetch } from "../../outside.ts";
import { sha256Hex } from "../../sha256.ts";
import { randomText } from "../dashboard/session.ts";
import type { PeopleFile } from "./people-file.ts";
import type { Principal } from "./principal.ts";

export interface PeopleParts {
  /** Unix ms. */
  readonly clock: () => number;
  readonly fetch: Fetch;
}

/** A log-in at the provider that has begun. */
interface Begun {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly untilMs: number;
}

/** Why somebody does not get in, for people. */
export interface NotIn {
  readonly problem: string;
  readonly status: 403 | 503;
}

export const CALLBACK = "/dashboard/callback";

/** Time to find one's second factor. */
const BEGUN_MS = 10 * 60_000;

/** Anybody may begin one: the oldest makes way. At 200 bytes each it costs 200 KB. */
const BEGUN_MAX = 1_000;

/** Of a name in the audit log. */
const NAME_MAX = 100;

export class People {
  readonly #file: PeopleFile;
  readonly #parts: PeopleParts;
  /** By the hash of the value in the browser's cookie. */
  readonly #begun = new Map<string, Begun>();
  #provider: Promise<Configuration> | undefined;

  constructor(file: PeopleFile, parts: PeopleParts) {
    this.#file = file;
    this.#parts = parts;
  }

  /** Where people log in, for the button. */
  get providerName(): string {
    return new URL(this.#file.issuer).host;
  }

  /** Whether browsers reach the dashboard by https: this node speaks plain HTTP to the proxy that does. */
  get isSecure(): boolean {
    return this.#redirect.startsWith("https:");
  }

  /** Begins a log-in: where the browser goes, and the value of its cookie. */
  async begin(): Promise<{ readonly to: string; readonly cookie: string } | NotIn> {
    const client = await import("openid-client");
    const provider = await this.#discovered().catch((error: unknown) => this.#silent(error));
    if ("problem" in provider) return provider;
    const [cookie, state, nonce] = [randomText(), randomText(), randomText()];
    const verifier = client.randomPKCECodeVerifier();
    const to = client.buildAuthorizationUrl(provider, {
      redirect_uri: this.#redirect,
      scope: "openid email profile",
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      state,
      nonce,
    });
    const now = this.#parts.clock();
    for (const [key, { untilMs }] of this.#begun)
      if (untilMs <= now || this.#begun.size >= BEGUN_MAX) this.#begun.delete(key);
    this.#begun.set(sha256Hex(cookie), { state, nonce, verifier, untilMs: now + BEGUN_MS });
    return { to: to.href, cookie };
  }

  /** Who has come back from the provider with this query; `cookie` is what the browser's has. */
  async end(query: string, cookie: string): Promise<Principal | NotIn> {
    const begun = this.#begun.get(sha256Hex(cookie));
    this.#begun.delete(sha256Hex(cookie));
    if (begun === undefined || begun.untilMs <= this.#parts.clock())
      return { problem: "This log-in was not begun here, or is over: begin again.", status: 403 };
    const { state, nonce, verifier } = begun;
    try {
      const client = await import("openid-client");
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
      const answer = new URL(`${this.#redirect}${query}`);
      const tokens = await client.authorizationCodeGrant(await this.#discovered(), answer, checks);
      return this.#personOf(tokens.claims() ?? {});
    } catch (error) {
      return { problem: `${this.providerName} did not log you in: ${messageOf(error)}`, status: 403 };
    }
  }

  #personOf(claims: Readonly<Record<string, unknown>>): Principal | NotIn {
    const { groups, groups_claim: claim } = this.#file;
    const own = [claims[claim] ?? []].flat();
    const first = groups.find(({ group }) => own.includes(group));
    const { sub, email, preferred_username: login } = claims;
    const who = String(email ?? login ?? sub).replace(/[^\p{L}\p{N}@._+-]/gu, "_");
    if (first === undefined)
      return { problem: `${who} is in none of the groups that may see this dashboard.`, status: 403 };
    // As with a token: the dashboard shows what one may read.
    if (!first.scopes.includes("read"))
      return { problem: `${who} may not read: group ${first.group} has no scope read.`, status: 403 };
    // No token's name has a colon.
    return { name: `person:${who.slice(0, NAME_MAX)}`, scopes: first.scopes, namespace: first.namespace };
  }

  get #redirect(): string {
    return new URL(CALLBACK, this.#file.url).href;
  }

  /** What the provider says of itself; asked for again after a failure. */
  #discovered(): Promise<Configuration> {
    this.#provider ??= this.#discover().catch((error: unknown) => {
      this.#provider = undefined;
      throw error;
    });
    return this.#provider;
  }

  async #discover(): Promise<Configuration> {
    const { issuer, client_id: id, client_secret: secret } = this.#file;
    const client = await import("openid-client");
    return await client.discovery(new URL(issuer), id, secret, undefined, {
      [client.customFetch]: (url, { method, headers, redirect, body, signal }) =>
        this.#parts.fetch(url, { method, headers, redirect, body: body?.toString() ?? null, signal: signal ?? null }),
      // The file allows it on this host alone.
      execute: issuer.startsWith("http:") ? [client.allowInsecureRequests] : [],
    });
  }

  #silent(error: unknown): NotIn {
    return { problem: `${this.providerName} does not answer: ${messageOf(error)}`, status: 503 };
  }
}
