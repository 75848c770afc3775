/**
 * One request of an HTTP/2 connection, as a connection of its own with one request: what is read, decided, forwarded
 * and bounded is then the same code for both versions.
 *
 * The request goes in as HTTP/1.1; the answer comes out as HTTP/1.1 and is read as an origin's is.
 */

import { constants, type ServerHttp2Stream } from "node:http2";
import type { BodySink } from "./chunked.ts";
import { ClientConnection, type ClientSocket, type ConnectionPlace } from "./connection.ts";
import type { HttpOwner } from "./connection-owner.ts";
import { isFieldText, isToken, type Refusal } from "./fields.ts";
import { BodyReader } from "./framing.ts";
import type { HeaderList } from "./message.ts";
import { parseResponseHead } from "./response-head.ts";

const HEAD_END = "\r\n\r\n";

/**
 * What the stream gets at once. The connection holds the rest, and so knows when its client does not read; several
 * frames of the usual 16 KB keep the client's line busy.
 */
const PIECE_BYTES = 64 * 1024;

export class H2Stream implements ClientSocket, BodySink {
  readonly connection: ClientConnection;
  readonly #stream: ServerHttp2Stream;
  readonly #request: H2Request;
  readonly #owner: HttpOwner;
  /** Bytes of an answer's head that is not whole. */
  #head = "";
  #body: BodyReader | undefined;
  #receivedBytes = 0;
  /** For how long the whole answer has been with the stream, and the client has not taken it. */
  #untakenMs = 0;
  /** Whether the connection has no more use for the stream, and only the client's reading keeps it open. */
  #isLeft = false;

  constructor(stream: ServerHttp2Stream, request: H2Request, place: ConnectionPlace) {
    this.#stream = stream;
    this.#request = request;
    this.#owner = place.owner;
    this.connection = new ClientConnection(this, place);
    stream.on("data", (bytes: Buffer) => this.#received(bytes));
    stream.on("end", () => {
      if (request.isChunked) this.connection.received(Buffer.from(`0${HEAD_END}`));
      else if (this.#receivedBytes < (request.length ?? 0)) this.terminate();
    });
    stream.on("drain", () => this.connection.drained());
    stream.on("finish", () => {
      if (this.#isLeft) this.#leave();
    });
    // A client that resets its stream has gone; `close` follows.
    stream.on("error", () => undefined);
  }

  /** Hands over the request's head; the body follows by itself. */
  start(): void {
    this.connection.received(Buffer.from(this.#request.text, "latin1"));
  }

  /** Whether the answer is whole, and only the client keeps the stream open: it does not read, or still sends. */
  get isStill(): boolean {
    if (!this.#isWhole) return false;
    return this.#stream.writableFinished || this.#untakenMs > this.#owner.limits.standstillMs;
  }

  sweep(tickMs: number): void {
    this.connection.sweep(tickMs);
    if (!this.#isWhole || this.#stream.writableFinished) return;
    this.#untakenMs += tickMs;
    if (this.#untakenMs > this.#owner.limits.stallMs) this.#reset();
  }

  write(data: string | Uint8Array): number {
    if (this.#stream.destroyed || this.#stream.closed) return -1;
    let taken = 0;
    try {
      // A stream that wants no more tells when it does.
      while (taken < data.length && !this.#stream.writableNeedDrain) {
        const piece = data.slice(taken, taken + PIECE_BYTES);
        taken += piece.length;
        this.#send(typeof piece === "string" ? Buffer.from(piece, "latin1") : Buffer.from(piece));
      }
    } catch (error) {
      // What the runtime does not send is lost for this request alone.
      this.#owner.onError(error);
      this.#reset();
      return -1;
    }
    return taken;
  }

  body(piece: Buffer): void {
    // The writer may use its bytes again.
    this.#stream.write(Buffer.from(piece));
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  shutdown(): void {
    this.end();
  }

  /** The answer is whole, or as whole as it will be: one that is not must not look so. */
  end(): void {
    if (this.#stream.closed) return;
    if (!this.#isWhole) this.#reset();
  }

  /** What is left of the request is not read. A whole answer still goes to a client that reads slowly. */
  terminate(): void {
    if (!this.#isWhole) this.#reset();
    else if (this.#stream.writableFinished) this.#leave();
    else {
      this.#isLeft = true;
      this.#stream.pause();
    }
  }

  get #isWhole(): boolean {
    return this.#body?.done === true;
  }

  /** The client has the answer: it need not send the rest of its request (RFC 9113 §8.1). */
  #leave(): void {
    this.#stream.close(constants.NGHTTP2_NO_ERROR);
  }

  #reset(): void {
    // `close` with a code would first end the stream in good order, and a part of an answer would look whole.
    this.#stream.destroy(new Error("the answer is not whole"));
  }

  #received(bytes: Buffer): void {
    this.#receivedBytes += bytes.length;
    if (!this.#request.isChunked) {
      this.connection.received(bytes);
      return;
    }
    if (bytes.length === 0) return;
    this.connection.received(
      Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]),
    );
  }

  #send(bytes: Buffer): void {
    if (this.#body === undefined) this.#readHead(bytes);
    else this.#readBody(this.#body, bytes);
  }

  #readHead(bytes: Buffer): void {
    this.#head += bytes.toString("latin1");
    const end = this.#head.indexOf(HEAD_END);
    if (end < 0) return;
    const parsed = parseResponseHead(this.#head.slice(0, end + 2), this.#request.method);
    const rest = Buffer.from(this.#head.slice(end + HEAD_END.length), "latin1");
    this.#head = "";
    if (typeof parsed === "string") {
      this.#owner.onError(new Error(`Cannot send an answer by HTTP/2 as ${parsed}`));
      this.terminate();
      return;
    }
    const { head, framing, contentLength } = parsed;
    const fields = [":status", String(head.status), ...head.headers];
    if (head.status < 200) {
      this.#stream.additionalHeaders(objectOf(fields));
      if (rest.length > 0) this.#readHead(rest);
      return;
    }
    if (contentLength !== undefined) fields.push("content-length", String(contentLength));
    this.#body = new BodyReader(framing, this.#owner.limits);
    this.#stream.respond(objectOf(fields), { endStream: this.#body.done });
    if (!this.#body.done) this.#readBody(this.#body, rest);
  }

  #readBody(body: BodyReader, bytes: Buffer): void {
    if (body.feed(bytes, this) < 0) this.terminate();
    else if (body.done) this.#finish();
  }

  #finish(): void {
    if (!this.#stream.writableEnded) this.#stream.end();
  }
}

/**
 * The form that Node.js takes. It refuses two values for many names, so they are joined as a list, which means the same
 * (RFC 9110 §5.3); only cookies cannot be.
 */
function objectOf(fields: readonly string[]): Record<string, string | string[]> {
  const byName = new Map<string, string[]>();
  for (let at = 0; at < fields.length; at += 2) {
    const name = (fields[at] ?? "").toLowerCase();
    byName.set(name, [...(byName.get(name) ?? []), fields[at + 1] ?? ""]);
  }
  // From entries, so that an origin's `__proto__` is a field like any other.
  return Object.fromEntries(
    [...byName].map(([name, values]) => [name, name === "set-cookie" ? values : values.join(", ")]),
  );
}

interface H2Request {
  readonly method: string;
  /** The whole head, its empty line included. */
  readonly text: string;
  /** Length of the body as the client states it; undefined when it goes in chunks, or there is none. */
  readonly length: number | undefined;
  /** Whether the body goes in chunks, because its length is not known. */
  readonly isChunked: boolean;
}

/** Fields of one HTTP/1.1 connection: a request with one of them is malformed (§8.2.2). */
const CONNECTION_FIELDS = new Set(["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"]);

const PSEUDO_FIELDS = new Set([":method", ":path", ":scheme", ":authority"]);

/**
 * The head of an HTTP/2 request in the form of HTTP/1.1 (RFC 9113 §8), for the one reader that checks all heads. What
 * could end a line or a head early is refused here; everything else is that reader's business.
 *
 * `fields` are names and values in turn, as they came; `hasBody`: whether more than the head is to come.
 */
export function h2Request(fields: HeaderList, hasBody: boolean): H2Request | Refusal {
  const pseudo = new Map<string, string>();
  const lines: string[] = [];
  const cookies: string[] = [];
  let host: string | undefined;
  let length: number | undefined;
  for (let at = 0; at < fields.length; at += 2) {
    const [name = "", value = ""] = [fields[at], fields[at + 1]];
    if (!isFieldText(value)) return { status: 400, reason: "a field holds a character that no field may" };
    // §8.2.1: a request with a blank around a value is malformed.
    if (/^[ \t]|[ \t]$/.test(value)) return malformed(name);
    if (name.startsWith(":")) {
      if (!PSEUDO_FIELDS.has(name) || pseudo.has(name) || lines.length > 0) return malformed(name);
      pseudo.set(name, value);
    } else if (!isToken(name) || /[A-Z]/.test(name) || CONNECTION_FIELDS.has(name)) return malformed(name);
    else if (name === "cookie") cookies.push(value);
    else if (name === "host") host = value;
    else if (name !== "te") {
      if (name === "content-length") length = Number(value);
      lines.push(`${name}: ${value}\r\n`);
    }
  }
  const [method, path] = [pseudo.get(":method"), pseudo.get(":path")];
  const authority = pseudo.get(":authority") ?? host;
  if (method === undefined || path === undefined || pseudo.get(":scheme") !== "https") return malformed(":path");
  if (authority === undefined || (host !== undefined && host !== authority)) return malformed("host");
  if (/[ \t]/.test(method + path)) return malformed(":path");
  // Pieces of one field, split for compression (§8.2.3).
  if (cookies.length > 0) lines.push(`cookie: ${cookies.join("; ")}\r\n`);
  const isChunked = hasBody && length === undefined;
  if (isChunked) lines.push("transfer-encoding: chunked\r\n");
  const text = `${method} ${path} HTTP/1.1\r\nhost: ${authority}\r\n${lines.join("")}connection: close\r\n\r\n`;
  return { method, text, length, isChunked };
}

function malformed(name: string): Refusal {
  return { status: 400, reason: `the HTTP/2 request is malformed at its field ${JSON.stringify(name.slice(0, 40))}` };
}
