/**
 * An origin that reads what it gets by llhttp, and answers each whole request with its method and target.
 */

import { origin, type RawOrigin } from "../wire.ts";
import { readByLlhttp } from "./llhttp.ts";
import type { Message } from "./message.ts";

export interface ReadingOrigin extends RawOrigin {
  /** Whole requests in the order in which they came, by whichever connection. */
  readonly heard: Message[];
  /** Why bytes that came were no request. */
  readonly refusals: string[];
}

export function readingOrigin(): ReadingOrigin {
  const heard: Message[] = [];
  const refusals: string[] = [];
  const answered = new Map<unknown, number>();
  const raw = origin((peer) => {
    const { messages, refusal } = readByLlhttp(peer.text, { type: "request" });
    if (refusal !== undefined) refusals.push(refusal);
    const whole = messages.filter(({ isComplete }) => isComplete);
    for (const message of whole.slice(answered.get(peer) ?? 0)) {
      heard.push(message);
      const text = `${message.method} ${message.target}`;
      peer.send(`HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${message.method === "HEAD" ? "" : text}`);
    }
    answered.set(peer, whole.length);
  });
  return Object.assign(raw, { heard, refusals });
}
