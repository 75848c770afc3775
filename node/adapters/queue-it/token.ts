/**
 * The token with which a visitor returns to a site behind one of Queue-it's connectors.
 *
 * Its form is theirs: `e_EVENT~q_VISITOR~ts_UNTIL~ce_false~cv_MINUTES~rt_queue~h_HASH`, where the hash is the
 * HMAC-SHA256 of all before it under the customer's secret. A connector takes it until the second `ts`, and then keeps
 * a cookie of its own for `cv` minutes. It never asks the gate about the cookie. So the times of the token
 * (`tokenTimes`) are such that the last cookie that it can give ends before the session's slot is free.
 */

import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** What is said in a token. */
export interface TokenContent {
  readonly eventId: string;
  /** Names the visitor, without underscores and tildes. */
  readonly queueId: string;
  /** Why the visitor may come in: `queue` after the line, `disabled` past it. */
  readonly redirectType: "queue" | "disabled";
  readonly times: TokenTimes;
}

export interface TokenTimes {
  /** The last second, in Unix time, in which the token is good. */
  readonly untilSeconds: number;
  /** How long the connector's cookie is good from then on at most, in whole minutes. */
  readonly cookieMinutes: number;
}

/**
 * Least time for the way back. Halved, slow networks lose it, and their visitors go round once more; doubled, a session
 * that cannot be extended ends that much earlier.
 */
const RETURN_SECONDS_MIN = 20;

/** Most time for the way back: as long as a copy of the address lets others in too. */
const RETURN_SECONDS_MAX = 60;

/**
 * The times of a token made at `nowMs` for a session whose slot is held beyond `endMs`; undefined if too little is
 * left.
 *
 * A cookie that the connector gives in the second `untilSeconds` ends by `endMs`. In a renewable session it ends when
 * about half of the session is over: then the connector sends the visitor here, and the session is extended.
 */
export function tokenTimes(nowMs: number, endMs: number, isRenewable: boolean): TokenTimes | undefined {
  const nowSeconds = Math.ceil(nowMs / 1_000);
  // The connector counts whole seconds, and takes a cookie in the one in which it ends.
  const endSeconds = Math.floor(endMs / 1_000) - 1;
  const leftSeconds = endSeconds - nowSeconds - RETURN_SECONDS_MIN;
  if (leftSeconds < 60) return undefined;
  const cookieMinutes = isRenewable ? Math.max(1, Math.floor(leftSeconds / 120)) : Math.floor(leftSeconds / 60);
  return { cookieMinutes, untilSeconds: Math.min(nowSeconds + RETURN_SECONDS_MAX, endSeconds - cookieMinutes * 60) };
}

export class QueueItKeys {
  readonly #secret: string;
  readonly #apiKeyDigest: Buffer | undefined;

  constructor({ secret, apiKey }: { readonly secret: string; readonly apiKey: string | undefined }) {
    this.#secret = secret;
    this.#apiKeyDigest = apiKey === undefined ? undefined : digest(apiKey);
  }

  token({ eventId, queueId, redirectType, times }: TokenContent): string {
    const { untilSeconds, cookieMinutes } = times;
    const said = `e_${eventId}~q_${queueId}~ts_${untilSeconds}~ce_false~cv_${cookieMinutes}~rt_${redirectType}`;
    return `${said}~h_${this.#hash(said)}`;
  }

  /** Whether `token` is one of ours for `eventId` that is still good at `nowMs`. */
  isGood(token: string, eventId: string, nowMs: number): boolean {
    const [, said = "", hash = ""] = /^(e_[^~]*~.*)~h_([0-9a-f]{64})$/.exec(token) ?? [];
    if (said === "" || !timingSafeEqual(Buffer.from(hash), Buffer.from(this.#hash(said)))) return false;
    const [, until = "0"] = /~ts_(\d{1,12})~/.exec(said) ?? [];
    return said.startsWith(`e_${eventId}~`) && Number(until) * 1_000 >= nowMs;
  }

  /** Whether there is an API key, and `shown` is it. */
  isApiKey(shown: string): boolean {
    return this.#apiKeyDigest !== undefined && timingSafeEqual(this.#apiKeyDigest, digest(shown));
  }

  #hash(text: string): string {
    return createHmac("sha256", this.#secret).update(text).digest("hex");
  }
}

/** Of one length for all texts, so that a comparison takes the same time for all. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
