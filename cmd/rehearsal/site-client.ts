/**
 * One visitor's connection to the site: a request at a time, kept alive in between.
 *
 * It is built on the gate's own HTTP layer: the runtime's `fetch` runs 256 requests at once and queues the others, so
 * it would measure itself. It connects to the host of the run and to no other.
 */

import { BodyReader } from "../../node/http/body-reader.ts";
import { fieldLines } from "../../node/http/fields.ts";
import { DEFAULT_HTTP_LIMITS } from "../../node/http/limits.ts";
import type { ForwardFailure, HeaderList, OriginTarget } from "../../node/http/message.ts";
import { OriginConnection, type OriginTls, type OriginUser } from "../../node/http/origin-connection.ts";
import { type ParsedResponse, parseResponseHead } from "../../node/http/response-head.ts";
import type { Sockets } from "./sockets.ts";

export interface Site {
  readonly target: OriginTarget;
  readonly tls: OriginTls;
  readonly sockets: Sockets;
}

/** What a visitor needs of a connection. */
export interface Client {
  get(path: string, fields: HeaderList): Promise<Outcome>;
  end(): void;
}

export type FailureKind = "refused" | "reset" | "timeout" | "bad answer" | "no socket";

export type Outcome =
  | { readonly kind: "answer"; readonly status: number; readonly headers: HeaderList; readonly body: Buffer }
  | { readonly kind: "failure"; readonly failure: FailureKind; readonly detail: string }
  /** The run is over. */
  | { readonly kind: "ended" };

/** The waiting page's own limit for a poll. Doubled, a hung site holds twice the sockets. */
export const ANSWER_MAX_MS = 20_000;

/** Kept of a body: more than any waiting page. What follows is read and dropped. */
const BODY_KEPT_MAX = 64 * 1024;

const { originHeadBytesMax: HEAD_BYTES_MAX, interimMax: INTERIM_MAX, backlogBytesMax } = DEFAULT_HTTP_LIMITS;

export class SiteClient implements OriginUser, Client {
  readonly #site: Site;
  #connection: OriginConnection | undefined;
  #request: { readonly text: string; readonly done: (outcome: Outcome) => void } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the request may be sent again: the connection was used before, and nothing has come back. */
  #isFirstTry = true;
  #input: Buffer = EMPTY;
  #interims = 0;
  #response: ParsedResponse | undefined;
  #body: BodyReader | undefined;
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #isOver = false;

  constructor(site: Site) {
    this.#site = site;
  }

  /** GET `path` with `fields`; Host is added. */
  get(path: string, fields: HeaderList): Promise<Outcome> {
    const { target } = this.#site;
    const text = `GET ${target.basePath}${path} HTTP/1.1\r\nHost: ${target.authority}\r\n${fieldLines(fields)}\r\n`;
    if (this.#isOver) return Promise.resolve({ kind: "ended" });
    return new Promise((done) => {
      this.#request = { text, done };
      this.#timer = setTimeout(() => this.#fail("timeout", `no answer within ${ANSWER_MAX_MS} ms`), ANSWER_MAX_MS);
      this.#isFirstTry = true;
      this.#send();
    });
  }

  /** Closes an idle connection. */
  close(): void {
    this.#drop();
  }

  /** The visitor has left, or the run is over: a request in flight ends without an answer. */
  end(): void {
    this.#isOver = true;
    this.#drop();
    this.#finish({ kind: "ended" });
  }

  onRefused({ detail }: ForwardFailure): void {
    this.#forget();
    this.#fail("refused", detail);
  }

  onOpen(): void {
    this.#connection?.outlet.flush();
  }

  onDrain(): void {
    // The outlet sends by itself.
  }

  onGone(clean: boolean): void {
    const response = this.#response;
    this.#forget();
    if (this.#request === undefined) return;
    if (clean && response?.framing === "until-close") this.#answer(response);
    else if (response === undefined && this.#input.length === 0 && this.#isFirstTry && this.#wasReused) {
      // The site closed an idle connection while the request was on its way: a browser sends a GET again.
      this.#isFirstTry = false;
      this.#send();
    } else this.#fail("reset", "the connection broke before the answer was complete");
  }

  onData(bytes: Buffer): void {
    // An answer that nobody asked for.
    if (this.#request === undefined) this.#drop();
    else if (this.#body !== undefined) this.#takeBody(this.#body, bytes);
    else this.#takeHead(bytes);
  }

  #wasReused = false;

  #send(): void {
    const { target, tls, sockets } = this.#site;
    this.#reset();
    let connection = this.#connection;
    this.#wasReused = connection !== undefined;
    if (connection === undefined) {
      if (!sockets.take()) {
        this.#fail("no socket", `all ${sockets.max} connections are in use`);
        return;
      }
      connection = new OriginConnection(target, this, { tls, backlogBytesMax, onError: () => {} });
      this.#connection = connection;
    } else sockets.rest(this, false);
    connection.outlet.text(this.#request?.text ?? "");
    connection.outlet.flush();
  }

  #takeHead(bytes: Buffer): void {
    // A copy: the runtime may use its buffer again.
    let input = Buffer.concat([this.#input, bytes]);
    for (;;) {
      const end = input.indexOf("\r\n\r\n");
      if (end > HEAD_BYTES_MAX || (end < 0 && input.length > HEAD_BYTES_MAX)) {
        this.#fail("bad answer", `its head is longer than ${HEAD_BYTES_MAX} bytes`);
        return;
      }
      this.#input = input;
      if (end < 0) return;
      const response = parseResponseHead(input.toString("latin1", 0, end + 2), "GET");
      if (typeof response === "string" || response.head.status === 101) {
        this.#fail("bad answer", typeof response === "string" ? response : "it switches to a protocol not asked for");
        return;
      }
      input = input.subarray(end + 4);
      if (response.head.status >= 200) {
        this.#response = response;
        this.#body = new BodyReader(response.framing, DEFAULT_HTTP_LIMITS);
        this.#takeBody(this.#body, input);
        return;
      }
      this.#interims += 1;
      if (this.#interims > INTERIM_MAX) {
        this.#fail("bad answer", "it sends interim answers without end");
        return;
      }
    }
  }

  #takeBody(body: BodyReader, bytes: Buffer): void {
    const used = body.feed(bytes, { body: (piece) => this.#keep(piece) });
    if (used < 0) this.#fail("bad answer", "its chunked body is malformed");
    else if (body.done && this.#response !== undefined) {
      // Bytes after the end: no request can be sent here without doubt about whose answer comes.
      if (used < bytes.length || !this.#response.keepAlive) this.#drop();
      this.#answer(this.#response);
    }
  }

  #keep(piece: Buffer): void {
    const kept = Buffer.from(piece.subarray(0, BODY_KEPT_MAX - this.#keptBytes));
    this.#keptBytes += kept.length;
    if (kept.length > 0) this.#kept.push(kept);
  }

  #answer({ head: { status, headers } }: ParsedResponse): void {
    const body = Buffer.concat(this.#kept);
    this.#reset();
    if (this.#connection !== undefined) this.#site.sockets.rest(this, true);
    this.#finish({ kind: "answer", status, headers, body });
  }

  #fail(failure: FailureKind, detail: string): void {
    this.#drop();
    this.#finish({ kind: "failure", failure, detail });
  }

  #finish(outcome: Outcome): void {
    clearTimeout(this.#timer);
    const request = this.#request;
    this.#request = undefined;
    request?.done(outcome);
  }

  #drop(): void {
    const connection = this.#connection;
    this.#forget();
    connection?.abort();
  }

  #forget(): void {
    if (this.#connection === undefined) return;
    this.#connection = undefined;
    this.#site.sockets.gone(this);
  }

  #reset(): void {
    this.#input = EMPTY;
    this.#interims = 0;
    this.#response = undefined;
    this.#body = undefined;
    this.#kept = [];
    this.#keptBytes = 0;
  }
}

const EMPTY = Buffer.alloc(0);
