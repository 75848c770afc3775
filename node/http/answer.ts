/**
 * Complete answers of our own, as one latin1 text for one write: head and body.
 *
 * Only the HTTP layer writes Content-Length, Date and Connection, so that no caller can frame an answer wrongly. Texts
 * are UTF-8; they become latin1 text byte by byte, which costs nothing for the ASCII pages that a flood requests.
 */

import { STATUS_CODES } from "node:http";
import { connectionLine, fieldLines, NO_STORE, type Refusal, withoutHandled } from "./fields.ts";
import type { Bytes, HeaderList } from "./message.ts";
import { ALLOWED_METHODS } from "./request-head.ts";

export interface Answer {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: string | Bytes;
}

/** Writes answers, with the current second's Date. */
export class AnswerWriter {
  #second = 0;
  #dateLine = "";

  /** The answer as latin1 text. Throws when a field cannot be written. */
  write(answer: Answer, request: { method: string; minorVersion: 0 | 1; keepAlive: boolean }): string {
    const { status } = answer;
    const head =
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n` +
      fieldLines(withoutHandled(answer.headers)) +
      this.#date() +
      connectionLine(request.keepAlive, request.minorVersion);
    if (status === 204 || status === 304) return `${head}\r\n`;
    const body = typeof answer.body === "string" ? latin1Of(answer.body) : answer.body.latin1;
    return `${head}Content-Length: ${body.length}\r\n\r\n${request.method === "HEAD" ? "" : body}`;
  }

  /** The answer to a request that is refused; the connection ends after it. */
  refuse(refusal: Refusal): string {
    const headers = ["Content-Type", "text/plain; charset=utf-8", ...NO_STORE];
    if (refusal.status === 405) headers.push("Allow", ALLOWED_METHODS);
    const body = `${refusal.status} ${STATUS_CODES[refusal.status] ?? ""}: ${refusal.reason}\n`;
    return this.write({ status: refusal.status, headers, body }, { method: "GET", minorVersion: 1, keepAlive: false });
  }

  #date(): string {
    const now = Date.now();
    const second = Math.floor(now / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#dateLine = `Date: ${new Date(now).toUTCString()}\r\n`;
    }
    return this.#dateLine;
  }
}

/** `text` in UTF-8, each byte as one character: the text itself if it is ASCII. */
export function latin1Of(text: string): string {
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text).toString("latin1");
}
