/**
 * Sends word of the turn to browsers, by their push services (RFC 8030), encrypted for the browser (RFC 8291).
 *
 * One that is busy or out of reach is asked a few times, one that refuses or stays silent is not: a visitor may name a
 * host that is always silent, so each service has its own messages under way. What waits is lost with the process. No
 * log has anything of a subscription.
 */

import { createECDH } from "node:crypto";
import { encrypt } from "http_ece";
import type { Room } from "../../config/room.ts";
import { wordsFor } from "../../gate/brand.ts";
import type { PushKeys } from "../../keys/push-keys.ts";
import { type MayPush, type PushSubscription, subscriptionIn } from "../../keys/push-subscription.ts";
import type { Log } from "../../log.ts";
import type { Fetch } from "../../outside.ts";
import type { ProxyOf } from "../outbound-proxy.ts";

export interface PushParts {
  readonly keys: PushKeys;
  readonly fetch: Fetch;
  readonly proxyOf: ProxyOf;
  readonly clock: () => number;
  readonly log: Log;
  /** Left out: to the push services of browsers. */
  readonly mayPush?: MayPush;
}

/** As many as contacts of a room: at 1 kB each 5 MB. */
const WAITING_MAX = 5_000;

/** Messages under way to each service: it answers in 0.1 s, so a turn of a thousand visitors is told in 3 s. */
const AT_ONCE_MAX = 32;

/** A turn is short: who hears of it a minute later has lost a part of it. */
const TRIES_MAX = 3;
const PAUSE_MS = 5_000;

const ANSWER_MS_MAX = 10_000;

const NO_SUBSCRIPTION = "its subscription is none";

/** All fits into the 4,096 bytes that services take, in any script. */
const TITLE_MAX = 200;
const TEXT_MAX = 600;

/** Whose turn it is, and until when. */
export interface Turn {
  readonly room: Room;
  /** The subscription, as JSON. */
  readonly left: string;
  readonly untilMs: number;
}

interface Waiting extends Turn {
  readonly subscription: PushSubscription;
  readonly service: string;
  tries: number;
  dueMs: number;
}

export class PushSender {
  readonly #parts: PushParts;
  readonly #waiting = new Set<Waiting>();
  readonly #end = new AbortController();
  /** By service. */
  readonly #underWay = new Map<string, number>();
  /** Since the start of this node: messages that a service took, attempts that failed, and messages given up. */
  readonly counts = { delivered: 0, failed: 0, dropped: 0 };

  constructor(parts: PushParts) {
    this.#parts = parts;
  }

  /** Sends it soon. */
  add(turn: Turn): void {
    const subscription = this.#subscriptionOf(turn);
    if (subscription === undefined) this.#drop(turn, NO_SUBSCRIPTION);
    else if (this.#waiting.size >= WAITING_MAX) this.#drop(turn, "too many wait");
    else this.#waiting.add({ ...turn, subscription, service: serviceOf(subscription), tries: 0, dueMs: 0 });
  }

  /** Sends what is due. Call it often; the promise ends with the last of it. */
  async tick(): Promise<void> {
    const nowMs = this.#parts.clock();
    const due = [...this.#waiting].filter(({ dueMs }) => dueMs <= nowMs || dueMs > nowMs + PAUSE_MS);
    const now = due.filter((turn) => this.#begins(turn));
    await Promise.all(now.map((turn) => this.#try(turn)));
  }

  /** Ends what is under way. */
  close(): void {
    this.#end.abort();
    this.#waiting.clear();
  }

  /** Whether it is sent now: it waits on if its service has enough to do. */
  #begins(turn: Waiting): boolean {
    const underWay = this.#underWay.get(turn.service) ?? 0;
    if (underWay >= AT_ONCE_MAX) return false;
    this.#underWay.set(turn.service, underWay + 1);
    return this.#waiting.delete(turn);
  }

  async #try(turn: Waiting): Promise<void> {
    const { service } = turn;
    const problem = await this.#problemOf(turn).finally(() =>
      this.#underWay.set(service, (this.#underWay.get(service) ?? 1) - 1),
    );
    if (this.#end.signal.aborted) return;
    if (problem === undefined) {
      this.counts.delivered += 1;
      return;
    }
    this.counts.failed += 1;
    turn.tries += 1;
    turn.dueMs = this.#parts.clock() + PAUSE_MS;
    if (problem.isFinal || turn.tries >= TRIES_MAX) this.#drop(turn, problem.error);
    else this.#waiting.add(turn);
  }

  #drop({ room }: Turn, error: string): void {
    this.counts.dropped += 1;
    this.#parts.log.warn({ room: room.name, error }, "a visitor could not be told of the turn by push");
  }

  #subscriptionOf({ left }: Turn): PushSubscription | undefined {
    try {
      return subscriptionIn(left, this.#parts.mayPush);
    } catch {
      // A stranger wrote it: this visitor is not told.
      return undefined;
    }
  }

  async #problemOf(turn: Waiting): Promise<{ readonly error: string; readonly isFinal: boolean } | undefined> {
    const { keys, fetch, proxyOf, clock } = this.#parts;
    const { endpoint } = turn.subscription;
    try {
      const nowMs = clock();
      if (turn.untilMs <= nowMs) return { error: "the turn is over", isFinal: true };
      const body = bodyOf(turn);
      if (body === undefined) return { error: NO_SUBSCRIPTION, isFinal: true };
      const { status, body: answer } = await fetch(endpoint, {
        method: "POST",
        headers: {
          Authorization: await keys.authorization(endpoint, nowMs, contactOf(turn.room)),
          TTL: String(Math.ceil((turn.untilMs - nowMs) / 1_000)),
          Urgency: "high",
          "Content-Encoding": "aes128gcm",
          "Content-Type": "application/octet-stream",
        },
        body,
        redirect: "manual",
        proxy: proxyOf(endpoint),
        signal: AbortSignal.any([this.#end.signal, AbortSignal.timeout(ANSWER_MS_MAX)]),
      });
      void answer?.cancel().catch(() => undefined);
      if (status >= 200 && status < 300) return undefined;
      return { error: `status ${status}`, isFinal: status < 500 && status !== 429 };
    } catch (error) {
      // Its message may have the address in it, and is left out.
      const isSilent = error instanceof Error && error.name === "TimeoutError";
      return { error: isSilent ? "no answer" : "it could not be sent", isFinal: isSilent };
    }
  }
}

/** The service without the part of its name that a visitor may choose: as `push.apple.com`. */
function serviceOf({ endpoint }: PushSubscription): string {
  return new URL(endpoint).hostname.split(".").slice(-3).join(".");
}

/** What the service worker of the page shows; undefined if the browser's key is no point of the curve. */
function bodyOf({ room, untilMs, subscription: { keys, language } }: Waiting): Buffer | undefined {
  const { heading, advice } = wordsFor(room.page, language).texts.states.turn;
  const shown = { title: heading.slice(0, TITLE_MAX), text: advice.slice(0, TEXT_MAX), language, until: untilMs };
  const privateKey = createECDH("prime256v1");
  privateKey.generateKeys();
  try {
    const parameters = { version: "aes128gcm", privateKey, dh: keys.p256dh, authSecret: keys.auth } as const;
    return encrypt(Buffer.from(JSON.stringify(shown)), parameters);
  } catch {
    // A stranger wrote the key: this visitor is not told.
    return undefined;
  }
}

/** Some services want to know whom to ask. */
function contactOf({ page: { supportUrl }, host }: Room): string | undefined {
  if (/^(?:https|mailto):/.test(supportUrl)) return supportUrl;
  return host.includes("*") ? undefined : `https://${host}`;
}
