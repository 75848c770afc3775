/**
 * One request of an HTTP/2 connection, as a connection of its own with one request: what is read, decided, forwarded
 * and bounded is then the same code for both versions.
 *
 * The request goes in as HTTP/1.1; the answer comes out as HTTP/1.1 and is read as an origin's is.
 */

import type { ServerHttp2Stream } from "node:http2";
import { BodyReader } from "./body-reader.ts";
import type { BodySink } from "./chunked.ts";
import { ClientConnection, type ClientSocket } from "./connection.ts";
import type { H2Request } from "./h2-request.ts";
import type { ConnectionOwner } from "./host.ts";
import type { HeaderList } from "./message.ts";
import { parseResponseHead } from "./response-head.ts";

const HEAD_END = "\r\n\r\n";

export class H2Stream implements ClientSocket, BodySink {
  readonly connection: ClientConnection;
  readonly #stream: ServerHttp2Stream;
  readonly #request: H2Request;
  readonly #owner: ConnectionOwner;
  /** Bytes of an answer's head that is not whole. */
  #head = "";
  #body: BodyReader | undefined;
  #receivedBytes = 0;

  constructor(stream: ServerHttp2Stream, request: H2Request, owner: ConnectionOwner, remoteAddress: string) {
    this.#stream = stream;
    this.#request = request;
    this.#owner = owner;
    this.connection = new ClientConnection(this, owner, remoteAddress);
    stream.on("data", (bytes: Buffer) => this.#received(bytes));
    stream.on("end", () => {
      if (request.isChunked) this.connection.received(Buffer.from(`0${HEAD_END}`));
      else if (this.#receivedBytes < (request.length ?? 0)) this.terminate();
    });
    stream.on("drain", () => this.connection.drained());
    // A client that resets its stream has gone; `close` follows.
    stream.on("error", () => undefined);
  }

  /** Hands over the request's head; the body follows by itself. */
  start(): void {
    this.connection.received(Buffer.from(this.#request.text, "latin1"));
  }

  write(data: string | Uint8Array): number {
    if (this.#stream.destroyed || this.#stream.closed) return -1;
    if (this.#stream.writableNeedDrain) return 0;
    const bytes = typeof data === "string" ? Buffer.from(data, "latin1") : Buffer.from(data);
    if (this.#body === undefined) this.#readHead(bytes);
    else this.#readBody(this.#body, bytes);
    return data.length;
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
    if (this.#body?.done !== true) this.terminate();
  }

  terminate(): void {
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
    const fields = [":status", String(head.status), ...lowerNames(head.headers)];
    if (head.status < 200) {
      // 100 (Continue) is sent by the runtime.
      if (head.status !== 100) this.#stream.additionalHeaders(objectOf(fields));
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

function lowerNames(headers: HeaderList): string[] {
  return headers.map((text, at) => (at % 2 === 0 ? text.toLowerCase() : text));
}

/** The form that Node.js takes: several values of one name as a list. */
function objectOf(fields: readonly string[]): Record<string, string | string[]> {
  const object: Record<string, string | string[]> = {};
  for (let at = 0; at < fields.length; at += 2) {
    const [name = "", value = ""] = [fields[at], fields[at + 1]];
    const before = object[name];
    object[name] = before === undefined ? value : [before, value].flat();
  }
  return object;
}
