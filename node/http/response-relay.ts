/**
 * An origin's answer on its way to the client: head by head (1xx first), then the body, re-framed and otherwise
 * untouched.
 *
 * Status, reason, order, case and duplicates of fields stay. Content-Length stays; chunked is decoded and encoded
 * again, which is where bad framing is caught; a body that ends with the connection becomes chunked, so that a broken
 * one shows. An HTTP/1.0 client gets the end of the connection instead.
 */

import type { BodySink } from "./chunked.ts";
import { connectionLine, fieldLines, withoutHandled } from "./fields.ts";
import { BodyReader } from "./framing.ts";
import type { HttpLimits } from "./limits.ts";
import type { ForwardPlan, HeaderList } from "./message.ts";
import type { Outlet } from "./outlet.ts";
import type { ParsedRequest } from "./request-head.ts";
import { cannotBecomeHead, headEnd, type ParsedResponse, parseResponseHead } from "./response-head.ts";

export interface RelayContext {
  readonly request: ParsedRequest;
  readonly plan: ForwardPlan;
  /** The client's side. */
  readonly outlet: Outlet;
  readonly limits: HttpLimits;
  /** Whether the client's connection is to be kept after this answer, asked when its head is written. */
  keepAlive(): boolean;
}

const OURS = /^(?:anteroom|cf-waiting-room)-/i;

/** `switched`: the origin has agreed to be a WebSocket; what follows its head is not HTTP. */
type RelayProgress = "more" | "done" | "switched";

export class ResponseRelay implements BodySink {
  /** Whether the origin has sent anything. */
  begun = false;
  /** The final answer; undefined while nothing of it was written to the client. */
  response: ParsedResponse | undefined;
  /** Whether the client's connection can serve a further request after this answer. */
  keepAlive = false;
  /** Bytes after the answer's end: a WebSocket's first, or a reason not to use the connection again. */
  rest: Buffer = EMPTY;
  /** Whether the origin may still send what nobody reads. */
  isCut = false;
  #input: Buffer = EMPTY;
  #body: BodyReader | undefined;
  #chunked = false;
  #interims = 0;
  readonly #context: RelayContext;

  constructor(context: RelayContext) {
    this.#context = context;
  }

  /** Takes bytes of the origin. Throws a `BadResponse` when they are not an answer. */
  feed(bytes: Buffer): RelayProgress {
    this.begun = true;
    if (this.#body !== undefined) return this.#feedBody(this.#body, bytes);
    let input = this.#input.length === 0 ? bytes : Buffer.concat([this.#input, bytes]);
    for (;;) {
      const emptyLine = headEnd(input);
      const { originHeadBytesMax } = this.#context.limits;
      if ((emptyLine?.start ?? input.length) > originHeadBytesMax) {
        throw new BadResponse(`its head is longer than ${originHeadBytesMax} bytes`);
      }
      if (emptyLine === undefined) {
        // Said at once: an origin that keeps such a connection open would cost the visitor the whole timeout.
        if (cannotBecomeHead(input.toString("latin1"))) throw new BadResponse("its head is malformed");
        this.#input = input;
        return "more";
      }
      const head = input.toString("latin1", 0, emptyLine.start);
      // The empty line must end as all others do.
      const isBareLf = emptyLine.end - emptyLine.start === 1;
      if (isBareLf === head.includes("\r")) throw new BadResponse("its lines end in different ways");
      const response = parseResponseHead(head, this.#context.request.head.method);
      if (typeof response === "string") throw new BadResponse(response);
      input = input.subarray(emptyLine.end);
      if (response.head.status === 101) return this.#switch(response, input);
      if (response.head.status >= 200) return this.#start(response, input);
      this.#interim(response);
    }
  }

  /** Whether the origin wrote its body in a way that leaves room for doubt: its connection is not kept. */
  get isLoose(): boolean {
    return this.#body?.isLoose ?? false;
  }

  /** The origin has closed in good order: whether the answer is complete with that. */
  end(): boolean {
    if (this.response?.framing !== "until-close") return false;
    this.#finish();
    return true;
  }

  body(piece: Buffer): void {
    const { outlet, plan } = this.#context;
    if (plan.dropsBody === true) return;
    if (this.#chunked) outlet.chunk(piece);
    else outlet.bytes(piece);
  }

  #start(response: ParsedResponse, rest: Buffer): RelayProgress {
    const { request, plan, outlet, limits } = this.#context;
    const { minorVersion } = request.head;
    const { framing, contentLength, head } = response;
    const drops = plan.dropsBody === true;
    const open = !drops && (framing === "chunked" || framing === "until-close");
    const fields = fieldLines(withoutHandled(plan.onResponse(head)));
    this.response = response;
    this.#chunked = open && minorVersion === 1;
    this.keepAlive = this.#context.keepAlive() && (!open || this.#chunked);
    outlet.text(
      `HTTP/1.1 ${head.status} ${head.reason}\r\n${fields}` +
        lengthLine(drops && framing !== "none" ? 0 : contentLength) +
        (this.#chunked ? "Transfer-Encoding: chunked\r\n" : "") +
        `${connectionLine(this.keepAlive, minorVersion)}\r\n`,
    );
    this.#body = new BodyReader(framing, limits, true);
    const progress = this.#feedBody(this.#body, rest);
    if (!drops || progress === "done") return progress;
    // The rest of a dropped body is not waited for: the answer is whole, the connection is of no more use.
    this.isCut = true;
    return "done";
  }

  #feedBody(body: BodyReader, bytes: Buffer): RelayProgress {
    const used = body.feed(bytes, this);
    if (used < 0) throw new BadResponse("its chunked body is malformed");
    if (!body.done) return "more";
    this.rest = bytes.subarray(used);
    this.#finish();
    return "done";
  }

  #finish(): void {
    if (this.#chunked) this.#context.outlet.text(`0\r\n${fieldLines(this.#body?.trailers ?? [])}\r\n`);
  }

  #interim({ head }: ParsedResponse): void {
    this.#interims += 1;
    if (this.#interims > this.#context.limits.interimMax) throw new BadResponse("it sends interim answers without end");
    const { request, plan } = this.#context;
    // The client of a body was told 100 (Continue) by the gate itself.
    if (request.head.minorVersion === 0 || head.status === 100 || plan.dropsBody === true) return;
    this.#context.outlet.text(`HTTP/1.1 ${head.status} ${head.reason}\r\n${fieldLines(withoutOurs(head.headers))}\r\n`);
  }

  #switch(response: ParsedResponse, rest: Buffer): RelayProgress {
    const { request, plan, outlet } = this.#context;
    if (!request.webSocket || !response.webSocket) throw new BadResponse("it switches to a protocol not asked for");
    const { head } = response;
    const fields = fieldLines(withoutHandled(plan.onResponse(head)));
    this.response = response;
    this.rest = rest;
    outlet.text(`HTTP/1.1 101 ${head.reason}\r\n${fields}Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n`);
    return "switched";
  }
}

/** An interim head without what the origin may only say to the gate: nobody obeys it there, and nobody is to see it. */
function withoutOurs(headers: HeaderList): HeaderList {
  return headers.filter((_, at) => !OURS.test(headers[at - (at % 2)] ?? ""));
}

function lengthLine(length: number | undefined): string {
  return length === undefined ? "" : `Content-Length: ${length}\r\n`;
}

/** The origin's bytes are not an answer to this request. */
export class BadResponse extends Error {
  override readonly name = "BadResponse";
}

const EMPTY = Buffer.alloc(0);
