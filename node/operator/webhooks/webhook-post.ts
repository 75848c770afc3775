/**
 * One attempt to send a notice to a receiver: a signed POST. Only the status of the answer counts.
 *
 * No redirect is followed: the operator must change the address. The body of the answer is not read.
 */

import { messageOf } from "../../message-of.ts";
import type { Fetch } from "../../outside.ts";
import type { NoticeDocument } from "../notices/notice.ts";
import type { Outcome } from "./deliveries.ts";
import { type WebhookFormat, webhookBody } from "./webhook-body.ts";
import { signedHeaders } from "./webhook-secret.ts";

/** Standard Webhooks asks for 15 to 30 s at most: a receiver should answer first and work later. */
const ANSWER_MS_MAX = 10_000;

export interface Attempt {
  readonly url: string;
  readonly secrets: readonly string[];
  readonly notice: NoticeDocument;
  readonly format: WebhookFormat;
  readonly version: string;
  readonly nowMs: number;
  readonly fetch: Fetch;
  /** By which the receiver is reached. */
  readonly proxy: string | false;
  /** Ends the attempt: this node stops. */
  readonly signal: AbortSignal;
}

export interface Answered extends Outcome {
  /** Undefined without an answer. */
  readonly status?: number;
}

export async function post(attempt: Attempt): Promise<Answered> {
  const { url, secrets, notice, format, version, nowMs, fetch, proxy, signal } = attempt;
  if (secrets.length === 0) {
    return { kind: "down", error: "its secret was sealed with another mesh key: rotate it" };
  }
  const body = webhookBody(notice, format);
  const signed = signedHeaders({ id: notice.id, seconds: Math.floor(nowMs / 1_000), body }, secrets);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...signed, "content-type": "application/json", "user-agent": `anteroom/${version}` },
      body,
      redirect: "manual",
      proxy,
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS_MAX)]),
    });
    // Not read, however long it is.
    void response.body?.cancel().catch(() => undefined);
    return judged(response, nowMs);
  } catch (error) {
    const isLate = error instanceof Error && error.name === "TimeoutError";
    return {
      kind: "down",
      error: isLate ? `no answer within ${ANSWER_MS_MAX / 1_000} s` : withoutUrl(messageOf(error), url),
    };
  }
}

/** The address of a receiver for people: its path may be a secret. */
export function shownReceiver(url: string): string {
  return URL.parse(url)?.origin ?? "its receiver";
}

function judged({ status, headers }: Response, nowMs: number): Answered {
  const error = `status ${status}`;
  if (status >= 200 && status < 300) return { kind: "delivered", error: "", status };
  if (status >= 500 || status === 408 || status === 425 || status === 429)
    return { kind: "down", error, status, retryAfterMs: retryAfterMs(headers.get("retry-after"), nowMs) };
  return { kind: "refused", error: status < 400 ? `${error}: redirects are not followed` : error, status };
}

/** RFC 9110, section 10.2.3. */
function retryAfterMs(text: string | null, nowMs: number): number | undefined {
  if (text === null) return undefined;
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  return ms > 0 ? ms : undefined;
}

/** Errors may repeat what they were given. */
function withoutUrl(text: string, url: string): string {
  return text.replaceAll(url, shownReceiver(url)).slice(0, 300);
}
