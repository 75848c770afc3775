/**
 * `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): a change that is sent twice is made once, and its
 * answer is given again, so a client may repeat a request whose answer was lost.
 *
 * Kept in memory, by token: only answers of changes that were made. What was refused, or failed, changed nothing, so
 * the same key may try again. At another node, and after a restart, the key is new: there a repeated request is safe
 * only as far as the call itself is (docs/admin-api.md says of which calls that holds).
 */

import { createHash } from "node:crypto";
import type { Context } from "hono";
import { problemAt } from "../../config/problem.ts";
import type { Principal } from "../access/principal.ts";
import type { AdminEnv } from "../logs/audit.ts";
import { failure } from "./api-answers.ts";

/** Time for a person to repeat in the morning what failed at night. Programs repeat within minutes. */
export const KEY_KEPT_MS = 24 * 3_600_000;

/** A change each 9 s for a day. Beyond it the oldest are forgotten. */
export const KEYS_MAX = 10_000;

/** Of all answers: 1,600 bytes for each of so many keys; an answer with a room has less. */
export const ANSWERS_BYTES_MAX = 16 * 1024 * 1024;

/** Longer than any identifier; Stripe and others have the same limit. */
const KEY_CHARS_MAX = 255;

interface Kept {
  readonly fingerprint: string;
  readonly sinceMs: number;
  /** Undefined while the request is being answered. */
  answer?: {
    readonly status: number;
    readonly headers: readonly (readonly [string, string])[];
    readonly body: Uint8Array;
  };
}

export class IdempotencyKeys {
  readonly #steadyClock: () => number;
  /** The oldest first. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  constructor(steadyClock: () => number) {
    this.#steadyClock = steadyClock;
  }

  /** Answers a request with `act`, or as its key was answered before. */
  async once(c: Context<AdminEnv>, act: () => Response | Promise<Response>): Promise<Response> {
    const field = c.req.header("Idempotency-Key");
    if (field === undefined) return act();
    const key = keyIn(field);
    if (key === undefined) return badKey(field);
    const name = nameOf(c.var.principal, key);
    const fingerprint = await fingerprintOf(c);
    this.#forgetOld();
    const before = this.#kept.get(name);
    if (before !== undefined) return again(before, fingerprint);
    if (this.#kept.size >= KEYS_MAX && !this.#forgetOldest()) return tooMany();
    const kept: Kept = { fingerprint, sinceMs: this.#steadyClock() };
    this.#kept.set(name, kept);
    try {
      const answer = await act();
      if (!answer.ok) return answer;
      const body = new Uint8Array(await answer.clone().arrayBuffer());
      kept.answer = { status: answer.status, headers: [...answer.headers], body };
      this.#bytes += body.length;
      while (this.#bytes > ANSWERS_BYTES_MAX && this.#forgetOldest());
      return answer;
    } finally {
      // It changed nothing: the key may try again.
      if (kept.answer === undefined) this.#kept.delete(name);
    }
  }

  #forgetOld(): void {
    const sinceMs = this.#steadyClock() - KEY_KEPT_MS;
    for (const [name, kept] of this.#kept) {
      if (kept.sinceMs > sinceMs) return;
      if (kept.answer !== undefined) this.#forget(name, kept);
    }
  }

  /** False if every request is still being answered. */
  #forgetOldest(): boolean {
    for (const [name, kept] of this.#kept) {
      if (kept.answer === undefined) continue;
      this.#forget(name, kept);
      return true;
    }
    return false;
  }

  #forget(name: string, { answer }: Kept): void {
    this.#kept.delete(name);
    this.#bytes -= answer?.body.length ?? 0;
  }
}

/**
 * A token that is made after another of its name was deleted has none of that one's keys: their answers have secrets.
 */
function nameOf({ name, createdMs, scopes, namespace, rooms }: Principal, key: string): string {
  return JSON.stringify([name, createdMs, scopes, namespace, rooms, key]);
}

/** The key of a field: a string of structured fields (RFC 9651), or the same without quotes. */
function keyIn(field: string): string | undefined {
  const [, quoted, bare] = /^(?:"([ !#-[\]-~]+)"|([!#-[\]-~]+))$/.exec(field.trim()) ?? [];
  const key = quoted ?? bare;
  return key === undefined || key.length > KEY_CHARS_MAX ? undefined : key;
}

function badKey(field: string): Response {
  const repair = `write 1 to ${KEY_CHARS_MAX} printable ASCII characters, such as a UUID, once`;
  const problem = problemAt("Idempotency-Key", field, { problem: "is not an idempotency key", repair });
  return failure("bad-request", "Cannot read the field Idempotency-Key", { problems: [problem] });
}

function again({ fingerprint, answer }: Kept, wanted: string): Response {
  if (fingerprint !== wanted) {
    const hint = "use a new key for each change, and the same key only to repeat a request as it was";
    return failure("key-reused", "Cannot use this idempotency key as it was used for another request", { hint });
  }
  if (answer === undefined) {
    const hint = "repeat the request in a second";
    const detail = "Cannot answer as the first request with this idempotency key is still being answered";
    return failure("in-progress", detail, { hint, headers: { "Retry-After": "1" } });
  }
  const { status, headers, body } = answer;
  const repeated = new Response(body.slice(), { status, headers: headers.map(([name, value]) => [name, value]) });
  repeated.headers.set("Idempotency-Replayed", "true");
  return repeated;
}

function tooMany(): Response {
  const detail = `Cannot keep another idempotency key as ${KEYS_MAX} requests are being answered`;
  return failure("too-many", detail, { headers: { "Retry-After": "1" } });
}

/** Of everything that says what the request asks for. The body was read before, so this waits for nothing. */
async function fingerprintOf({ req }: Context): Promise<string> {
  const { pathname, search } = new URL(req.url);
  const conditions = [req.header("If-Match"), req.header("If-None-Match")];
  const head = JSON.stringify([req.method, pathname, search, conditions]);
  return createHash("sha256")
    .update(`${head}\n${await req.text()}`)
    .digest("base64");
}
