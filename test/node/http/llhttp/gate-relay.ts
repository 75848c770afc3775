/**
 * An origin's answer as a client reads it through the gate: relayed, written again, and read from what was written.
 */

import { DEFAULT_HTTP_LIMITS } from "../../../../node/http/limits.ts";
import { Outlet } from "../../../../node/http/outlet.ts";
import { isRefusal, parseRequestHead } from "../../../../node/http/request-head.ts";
import { BadResponse, ResponseRelay } from "../../../../node/http/response-relay.ts";
import { readByLlhttp } from "./llhttp.ts";
import type { Reading } from "./message.ts";
import { pieces } from "./pieces.ts";

export interface Asked {
  readonly method: "GET" | "HEAD";
  /** The client's version. */
  readonly minorVersion: 0 | 1;
  /** Whether the origin closes its connection after the bytes. */
  readonly ends: boolean;
}

/** Where the answer comes from; the relay does not look at it. */
const ORIGIN = { hostname: "origin.test", port: 80, tls: false, basePath: "", authority: "origin.test" };

/**
 * Of interim answers only their heads are compared: the gate does not say where they end, and takes their Connection
 * for nothing.
 */
const INTERIM = { keepAlive: true, end: 0 };

/**
 * Relays `text`. `keepAlive` of the last message says whether the origin's connection serves another request, `end`
 * where the gate saw the answer's end.
 */
export function readByRelay(text: string, cuts: readonly number[], asked: Asked): Reading {
  let written = "";
  const outlet = new Outlet({ write: taking((part) => (written += part)) }, DEFAULT_HTTP_LIMITS.backlogBytesMax);
  const request = parseRequestHead(
    `${asked.method} / HTTP/1.${asked.minorVersion}\r\nHost: a\r\n`,
    DEFAULT_HTTP_LIMITS,
  );
  if (isRefusal(request)) throw new Error(request.reason);
  const plan = {
    origin: ORIGIN,
    headers: [],
    onResponse: ({ headers }: { headers: readonly string[] }) => headers,
    onFailure() {},
  };
  const relay = new ResponseRelay({
    ...{ request, plan, outlet, limits: DEFAULT_HTTP_LIMITS },
    keepAlive: () => false,
  });
  let refusal: string | undefined;
  let end = 0;
  let isDone = false;
  try {
    for (const piece of pieces(text, cuts)) {
      if (isDone) break;
      end += piece.length;
      isDone = relay.feed(piece) !== "more";
    }
  } catch (error) {
    if (!(error instanceof BadResponse)) throw error;
    refusal = error.message;
  }
  const isKept = isDone && relay.response?.keepAlive === true && relay.rest.length === 0;
  if (!isDone && refusal === undefined && asked.ends) isDone = relay.end();
  outlet.flush();
  const client = readByLlhttp(written, { type: "response", method: asked.method, ends: isDone });
  if (client.refusal !== undefined)
    throw new Error(`a client reads no answer in what the gate wrote: ${client.refusal}`);
  const messages = client.messages.map((message) => ({
    ...message,
    ...(message.status < 200 ? INTERIM : { keepAlive: isKept, end: end - relay.rest.length }),
  }));
  return { messages, refusal };
}

/** The same by llhttp: interim answers other than 100, which the gate gives itself, and the final one. */
export function readAnswer(text: string, { method, ends, minorVersion }: Asked): Reading {
  const { messages, refusal } = readByLlhttp(text, { type: "response", method, ends });
  const final = messages.findIndex(({ status }) => status >= 200);
  const answer = final < 0 ? messages : messages.slice(0, final + 1);
  const kept = answer.filter(({ status }) => status >= 200 || (status !== 100 && minorVersion === 1));
  // What follows the answer is another question: the gate drops the connection.
  return {
    messages: kept.map((message) => ({ ...message, minorVersion: 1, ...(message.status < 200 && INTERIM) })),
    refusal: final >= 0 && messages[final]?.isComplete ? undefined : refusal,
  };
}

function taking(take: (text: string) => void) {
  return (bytes: string | Uint8Array): number => {
    take(typeof bytes === "string" ? bytes : Buffer.from(bytes).toString("latin1"));
    return bytes.length;
  };
}
