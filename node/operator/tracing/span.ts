/**
 * A finished span, as the OTLP serializer takes it. OTLP defines the wire form; the serializer is OpenTelemetry's own
 * (`@opentelemetry/otlp-transformer`). Nothing else of its SDK is used: the gate has no context to carry from call to
 * call.
 */

import { JsonTraceSerializer } from "@opentelemetry/otlp-transformer";
import { resourceFromAttributes } from "@opentelemetry/resources";
import type { TraceContext } from "../../http/trace-context.ts";

export type Attributes = Readonly<Record<string, string | number>>;

export interface Span {
  readonly name: string;
  readonly kind: "server" | "client";
  readonly context: TraceContext;
  /** The parent's span id, and whether another process has it; undefined where the trace begins. */
  readonly parent: { readonly spanId: string; readonly isRemote: boolean } | undefined;
  /** Unix ms, with fractions. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly isError: boolean;
}

/** Of the enum SpanKind in OpenTelemetry's API. */
const KINDS = { server: 1, client: 2 } as const;
/** Of the enum SpanStatusCode. */
const STATUS_UNSET = 0;
const STATUS_ERROR = 2;

/** Makes the body of an export request (OTLP/HTTP, JSON) from spans of this process. */
export function spanSerializer(
  process: Attributes,
  version: string,
): (spans: readonly Span[]) => Uint8Array | undefined {
  const resource = resourceFromAttributes(process);
  const instrumentationScope = { name: "anteroom", version };
  return (spans) =>
    JsonTraceSerializer.serializeRequest(
      spans.map(({ name, kind, context, parent, startMs, endMs, attributes, isError }) => ({
        name,
        kind: KINDS[kind],
        attributes,
        resource,
        instrumentationScope,
        spanContext: () => contextOf(context.traceId, context),
        ...(parent && { parentSpanContext: { ...contextOf(context.traceId, context), ...parent } }),
        startTime: hrTime(startMs),
        endTime: hrTime(endMs),
        duration: hrTime(endMs - startMs),
        status: { code: isError ? STATUS_ERROR : STATUS_UNSET },
        ended: true,
        links: [],
        events: [],
        droppedAttributesCount: 0,
        droppedEventsCount: 0,
        droppedLinksCount: 0,
      })),
    );
}

function contextOf(traceId: string, { spanId, flags }: TraceContext) {
  return { traceId, spanId, traceFlags: flags };
}

/** Seconds and nanoseconds, to the µs. */
function hrTime(ms: number): [number, number] {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1_000) * 1_000];
}
