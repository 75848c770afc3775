/**
 * Which requests are traced, and their spans: the gate's (server), and the origin's part as the gate sees it (client).
 *
 * Names follow OpenTelemetry's semantic conventions for HTTP; what is anteroom's own begins with `anteroom.`. A request
 * that is not traced costs one look at its `traceparent` and one random number, and its fields stay as they came.
 */

import { cleanTarget } from "../../gate/marked-target.ts";
import type { Tracing } from "../../gate/tracing.ts";
import type { Client } from "../../http/client.ts";
import { fieldValue } from "../../http/fields.ts";
import type {
  Exchange,
  ExchangeEnd,
  ForwardFailure,
  HeaderList,
  OriginTarget,
  RequestTrace,
} from "../../http/message.ts";
import { SAMPLED, type TraceContext, traceContextOf, traceparent, withTraceparent } from "../../http/trace-context.ts";
import { shownTarget } from "../logs/shown-target.ts";
import type { Attributes, Span } from "./span.ts";

export interface TracerOptions {
  /** The share of requests to record, 0 to 1, where no trusted proxy decides. */
  readonly sample: number;
  /** Unix ms, and ms that never go back. */
  readonly clock: () => number;
  readonly steadyMs: () => number;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** That many random hexadecimal digits, never all zero. */
  readonly newId: (digits: number) => string;
  readonly add: (span: Span) => void;
}

const TRACE_ID_DIGITS = 32;
const SPAN_ID_DIGITS = 16;

/** Longest text of a visitor's own in a span: the queue holds thousands of spans. */
const TEXT_MAX = 1_024;

/** The methods that the conventions know (RFC 9110, RFC 5789). Others share one name, as visitors choose them. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"];

/** A client that left before its answer. */
const CLIENT_GONE = 499;

export class Tracer implements Tracing {
  readonly #options: TracerOptions;

  constructor(options: TracerOptions) {
    this.#options = options;
  }

  begin(exchange: Exchange, client: Client): RequestTrace | undefined {
    const came = traceContextOf(exchange.request.headers);
    const { sample, random } = this.#options;
    // Anybody can claim that a trace is recorded; a trusted proxy has decided it.
    const isRecorded = came !== undefined && client.proxied ? (came.flags & SAMPLED) !== 0 : random() < sample;
    return isRecorded ? new GateTrace(this.#options, { exchange, client, came }) : undefined;
  }

  /** A request has ended: its spans are complete. */
  ended(exchange: Exchange, end: ExchangeEnd): void {
    if (exchange.trail?.trace instanceof GateTrace) exchange.trail.trace.finish(end);
  }
}

interface Begun {
  readonly exchange: Exchange;
  readonly client: Client;
  /** The trace that the request continues. */
  readonly came: TraceContext | undefined;
}

/** The origin's part. */
interface OriginPart {
  readonly context: TraceContext;
  readonly startMs: number;
  readonly path: string;
  origin: OriginTarget;
  resends: number;
  endMs?: number;
  result?: number | ForwardFailure["kind"];
}

class GateTrace implements RequestTrace {
  readonly #options: TracerOptions;
  readonly #begun: Begun;
  readonly #context: TraceContext;
  readonly #startMs: number;
  readonly #startSteadyMs: number;
  #origin: OriginPart | undefined;

  constructor(options: TracerOptions, begun: Begun) {
    const { clock, steadyMs, newId } = options;
    this.#options = options;
    this.#begun = begun;
    this.#startMs = clock();
    this.#startSteadyMs = steadyMs();
    const { traceId, flags } = begun.came ?? { traceId: newId(TRACE_ID_DIGITS), flags: 0 };
    this.#context = { traceId, spanId: newId(SPAN_ID_DIGITS), flags: flags | SAMPLED };
  }

  sent(origin: OriginTarget, path: string, headers: HeaderList): HeaderList {
    const context = { ...this.#context, spanId: this.#options.newId(SPAN_ID_DIGITS) };
    this.#origin = { context, startMs: this.#nowMs(), origin, path, resends: 0 };
    return withTraceparent(headers, traceparent(context), this.#begun.came !== undefined);
  }

  sentAgain(origin: OriginTarget): void {
    if (this.#origin === undefined) return;
    this.#origin.origin = origin;
    this.#origin.resends += 1;
  }

  answered(result: number | ForwardFailure["kind"]): void {
    if (this.#origin === undefined) return;
    this.#origin.endMs = this.#nowMs();
    this.#origin.result = result;
  }

  finish(end: ExchangeEnd): void {
    const { came } = this.#begun;
    const { request } = this.#begun.exchange;
    const endMs = this.#nowMs();
    const [method] = methodOf(request.method);
    const name = method === "_OTHER" ? "HTTP" : method;
    const error = errorOf(end);
    this.#options.add({
      name,
      kind: "server",
      context: this.#context,
      startMs: this.#startMs,
      endMs,
      parent: came && { spanId: came.spanId, isRemote: true },
      attributes: { ...this.#attributes(end), ...(error !== undefined && { "error.type": error }) },
      // What the visitor did is no error of ours.
      isError: end.status >= 500 || (end.abortedBy !== undefined && end.status !== CLIENT_GONE),
    });
    const part = this.#origin;
    if (part === undefined) return;
    this.#options.add({
      name,
      kind: "client",
      context: part.context,
      startMs: part.startMs,
      endMs: part.endMs ?? endMs,
      parent: { spanId: this.#context.spanId, isRemote: false },
      attributes: originAttributes(part, request.method),
      isError: typeof part.result === "number" ? part.result >= 400 : part.result !== undefined,
    });
  }

  #attributes({ status }: ExchangeEnd): Attributes {
    const { exchange, client } = this.#begun;
    const { request, trail, id } = exchange;
    const [method, original] = methodOf(request.method);
    const [path, query] = parted(shownTarget(cleanTarget(request.target)).slice(0, TEXT_MAX));
    const port = /:(\d+)$/.exec(request.authority)?.[1];
    const agent = fieldValue(request.headers, "user-agent");
    return {
      "http.request.method": method,
      ...(original !== undefined && { "http.request.method_original": original.slice(0, TEXT_MAX) }),
      "url.scheme": client.secure ? "https" : "http",
      "url.path": path,
      ...(query !== undefined && { "url.query": query }),
      "server.address": request.host,
      ...(port !== undefined && { "server.port": Number(port) }),
      "client.address": client.address,
      ...(agent !== undefined && { "user_agent.original": agent.slice(0, TEXT_MAX) }),
      ...(status !== CLIENT_GONE && { "http.response.status_code": status }),
      ...(trail?.room !== undefined && { "anteroom.room": trail.room }),
      "anteroom.outcome": trail?.outcome ?? "",
      "anteroom.request": id,
    };
  }

  #nowMs(): number {
    return this.#startMs + this.#options.steadyMs() - this.#startSteadyMs;
  }
}

function originAttributes({ origin, path, resends, result }: OriginPart, asked: string): Attributes {
  const [method, original] = methodOf(asked);
  const scheme = origin.tls ? "https" : "http";
  return {
    "http.request.method": method,
    ...(original !== undefined && { "http.request.method_original": original.slice(0, TEXT_MAX) }),
    "server.address": origin.unix ?? origin.hostname,
    ...(origin.unix === undefined && { "server.port": origin.port }),
    "url.full": `${scheme}://${origin.authority}${origin.basePath}${shownTarget(path)}`.slice(0, TEXT_MAX),
    ...(resends > 0 && { "http.request.resend_count": resends }),
    ...(typeof result === "number" && { "http.response.status_code": result }),
    ...(typeof result === "number" && result >= 400 && { "error.type": String(result) }),
    ...(typeof result === "string" && { "error.type": result }),
    ...(result === undefined && { "error.type": "abandoned" }),
  };
}

/** A server's own faults, and answers that broke off. */
function errorOf({ status, abortedBy }: ExchangeEnd): string | undefined {
  if (status === CLIENT_GONE) return "client_gone";
  if (status >= 500) return String(status);
  return abortedBy === undefined ? undefined : "aborted";
}

function methodOf(method: string): readonly [name: string, original?: string] {
  return METHODS.includes(method) ? [method] : ["_OTHER", method];
}

function parted(target: string): readonly [path: string, query?: string] {
  const at = target.indexOf("?");
  return at < 0 ? [target] : [target.slice(0, at), target.slice(at + 1)];
}
