/**
 * W3C Trace Context: the field `traceparent`, read strictly (https://www.w3.org/TR/trace-context/ §3.2).
 *
 * A request with a field that cannot be read, or with two, continues no trace. Its `tracestate` means nothing then.
 */

import { isField } from "./fields.ts";
import type { HeaderList } from "./message.ts";

export interface TraceContext {
  /** 32 lower-case hexadecimal digits. */
  readonly traceId: string;
  /** 16 lower-case hexadecimal digits. */
  readonly spanId: string;
  /** Eight bits. */
  readonly flags: number;
}

/** The caller records its part of the trace. */
export const SAMPLED = 0x01;
/** The trace id is random. */
const RANDOM = 0x02;

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** The context that a request came with; undefined for none that can be read. */
export function traceContextOf(headers: HeaderList): TraceContext | undefined {
  let text: string | undefined;
  for (let at = 0; at < headers.length; at += 2) {
    if (!isField(headers[at] ?? "", "traceparent")) continue;
    if (text !== undefined) return undefined;
    text = headers[at + 1];
  }
  const [, version, traceId = "", spanId = "", flags = "", rest] = TRACEPARENT.exec(text ?? "") ?? [];
  // A later version may have more parts; this one has four.
  if (version === undefined || version === "ff" || (version === "00" && rest !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}

/**
 * The field's value for a part of the trace that is recorded: flags that version 00 does not know are not passed on.
 */
export function traceparent({ traceId, spanId, flags }: TraceContext): string {
  const known = (flags & RANDOM) | SAMPLED;
  return `00-${traceId}-${spanId}-${known.toString(16).padStart(2, "0")}`;
}

/** `headers` with `value` as the only `traceparent`, and with `tracestate` only if the trace `isContinued`. */
export function withTraceparent(headers: HeaderList, value: string, isContinued: boolean): HeaderList {
  const kept = headers.filter((_, at) => {
    const name = headers[at - (at % 2)] ?? "";
    return !isField(name, "traceparent") && (isContinued || !isField(name, "tracestate"));
  });
  return [...kept, "traceparent", value];
}
