/**
 * One visitor's connection: a request at a time, kept alive for a while in between, as browsers and servers do.
 *
 * It is made of `node:http`: the runtime's `fetch` runs 256 requests at once and queues the others, so a crowd would
 * measure itself.
 */

import http from "node:http";
import https from "node:https";
import type { HeaderList } from "../../node/http/message.ts";
import { codeOf } from "../failure.ts";

/** What a visitor needs of a connection. */
export interface Client {
  get(url: string, fields: HeaderList): Promise<Outcome>;
  end(): void;
}

export interface Answer {
  readonly kind: "answer";
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: Buffer;
}

export type Outcome =
  | Answer
  | { readonly kind: "failure"; readonly failure: "refused" | "reset" | "timeout" | "bad answer" | "no socket" }
  /** The run is over. */
  | { readonly kind: "ended" };

export interface ClientParts {
  /** Longest wait for a whole answer. */
  readonly answerMaxMs: number;
  /** Whether the certificate may be anybody's. */
  readonly insecure?: boolean;
}

/**
 * Longest rest of a connection: visitors in line poll less often than that, and would hold a file each, here and at the
 * site.
 */
const IDLE_MAX_MS = 10_000;

/** Kept of a body: more than any waiting page. What follows is read and dropped. */
const BODY_KEPT_MAX = 64 * 1024;

export class HttpClient implements Client {
  readonly #parts: ClientParts;
  #agent: http.Agent | undefined;
  #idle: ReturnType<typeof setTimeout> | undefined;
  /** Ends the request in flight. */
  #done: ((outcome: Outcome) => void) | undefined;
  #isOver = false;

  constructor(parts: ClientParts) {
    this.#parts = parts;
  }

  async get(url: string, fields: HeaderList): Promise<Outcome> {
    const { outcome, isStale } = await this.#send(url, fields);
    // The site closed an idle connection while the request was on its way: a browser sends a GET again.
    return isStale ? (await this.#send(url, fields)).outcome : outcome;
  }

  /** The visitor has left, or the run is over: a request in flight ends without an answer. */
  end(): void {
    this.#isOver = true;
    this.#done?.({ kind: "ended" });
    this.#close();
  }

  async #send(url: string, fields: HeaderList): Promise<{ readonly outcome: Outcome; readonly isStale: boolean }> {
    const { answerMaxMs, insecure = false } = this.#parts;
    if (this.#isOver) return { outcome: { kind: "ended" }, isStale: false };
    clearTimeout(this.#idle);
    const { Agent, get } = url.startsWith("https:") ? https : http;
    this.#agent ??= new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: !insecure });
    const headers = Object.fromEntries(fields.flatMap((name, at) => (at % 2 === 0 ? [[name, fields[at + 1]]] : [])));
    const sent = get(url, { agent: this.#agent, headers });
    const { promise, resolve: done } = Promise.withResolvers<Outcome>();
    this.#done = done;
    const timer = setTimeout(() => done(failed("timeout")), answerMaxMs);
    sent.on("response", (response) => {
      const kept: Buffer[] = [];
      let bytes = 0;
      response.on("data", (piece: Buffer) => {
        if (bytes < BODY_KEPT_MAX) kept.push(piece.subarray(0, BODY_KEPT_MAX - bytes));
        bytes += piece.length;
      });
      response.on("end", () => {
        const { statusCode: status = 0, rawHeaders } = response;
        done({ kind: "answer", status, headers: rawHeaders, body: Buffer.concat(kept) });
      });
      response.on("error", () => done(failed("reset")));
    });
    sent.on("upgrade", () => done(failed("bad answer")));
    let isStale = false;
    sent.on("error", (error) => {
      isStale = sent.reusedSocket && failureOf(error) === "reset";
      done(failed(failureOf(error)));
    });
    const outcome = await promise;
    clearTimeout(timer);
    this.#done = undefined;
    if (outcome.kind === "answer") this.#idle = setTimeout(() => this.#close(), IDLE_MAX_MS);
    else {
      sent.destroy();
      this.#close();
    }
    return { outcome, isStale };
  }

  #close(): void {
    clearTimeout(this.#idle);
    this.#agent?.destroy();
    this.#agent = undefined;
  }
}

type Failure = Extract<Outcome, { kind: "failure" }>["failure"];

function failed(failure: Failure): Outcome {
  return { kind: "failure", failure };
}

/** This host has no more files, or no more ports. */
const NO_SOCKET = new Set(["EMFILE", "ENFILE", "EADDRNOTAVAIL"]);

function failureOf(error: unknown): Failure {
  const code = codeOf(error);
  if (code.startsWith("HPE_")) return "bad answer";
  if (NO_SOCKET.has(code)) return "no socket";
  return code === "ECONNRESET" || code === "EPIPE" ? "reset" : "refused";
}
