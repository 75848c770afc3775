/**
 * The access log: one line for each request when it has ended, in the node's own log, or in the combined format that
 * web servers write and tools for logs read.
 */

import { fieldValue } from "../../http/fields.ts";
import type { Exchange, ExchangeEnd } from "../../http/message.ts";
import type { Fields } from "../../log.ts";

/** What is known of an ended request besides the exchange itself. */
export interface AccessLine {
  readonly exchange: Exchange;
  readonly end: ExchangeEnd;
  /** The visitor's address. */
  readonly client: string;
  readonly scheme: "http" | "https";
  /** The target without what is secret in it. */
  readonly target: string;
  /** Ms from the request's head to the end of the answer; undefined for a request that no room or rule has seen. */
  readonly durationMs: number | undefined;
  readonly nowMs: number;
  readonly node: string;
}

/** Longest text of a visitor's own in a line: browsers' names have some 200 characters. */
const TEXT_MAX = 400;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;

/** The fields of a line in the node's own log. */
export function accessFields({ exchange, end, client, scheme, target, durationMs }: AccessLine): Fields {
  const { id, request, visitor, trail } = exchange;
  const { status, bytesSent, bytesReceived, abortedBy } = end;
  const [agent, referer] = ["user-agent", "referer"].map((name) => fieldValue(request.headers, name));
  const originMs = trail?.originMs;
  return {
    request: id,
    ...(visitor !== undefined && { visitor }),
    client,
    method: request.method,
    scheme,
    host: request.host,
    target,
    status,
    ...(trail?.room !== undefined && { room: trail.room }),
    ...(trail !== undefined && { outcome: trail.outcome }),
    ...(durationMs !== undefined && { duration_seconds: inSeconds(durationMs) }),
    ...(originMs !== undefined && { origin_seconds: inSeconds(originMs) }),
    bytes_sent: bytesSent,
    bytes_received: bytesReceived,
    aborted: abortedBy !== undefined,
    ...(abortedBy !== undefined && { aborted_by: abortedBy }),
    ...(agent !== undefined && { user_agent: agent.slice(0, TEXT_MAX) }),
    ...(referer !== undefined && { referer: referer.replace(/\?.*/s, "").slice(0, TEXT_MAX) }),
  };
}

/**
 * The line in the combined log format, with our own fields after it, where tools that know the format ignore them:
 * the request's id, room, outcome, duration, origin's time, scheme and node.
 */
export function combinedLine(line: AccessLine): string {
  const { exchange, end, client, scheme, target, durationMs, nowMs, node } = line;
  const { request, trail, id } = exchange;
  const agent = fieldValue(request.headers, "user-agent");
  const referer = fieldValue(request.headers, "referer")?.replace(/\?.*/s, "");
  const times = [durationMs, trail?.originMs].map((ms) => (ms === undefined ? "-" : inSeconds(ms)));
  const own = [id, trail?.room ?? "-", trail?.outcome ?? "-", ...times, scheme, quoted(request.host ?? "-"), node];
  const first = `${client} - - [${commonTime(nowMs)}] ${quoted(`${request.method} ${target} HTTP/1.1`)}`;
  return `${first} ${end.status} ${end.bytesSent} ${quoted(referer ?? "-")} ${quoted(agent ?? "-")} ${own.join(" ")}\n`;
}

/** `22/Nov/2026:16:01:50 +0000`. */
function commonTime(unixMs: number): string {
  const at = new Date(unixMs);
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${two(at.getUTCDate())}/${MONTHS[at.getUTCMonth()]}/${at.getUTCFullYear()}`;
  return `${day}:${two(at.getUTCHours())}:${two(at.getUTCMinutes())}:${two(at.getUTCSeconds())} +0000`;
}

/** As Apache writes it: quotes, backslashes and characters that a terminal acts on are escaped. */
function quoted(text: string): string {
  const escaped = text
    .slice(0, TEXT_MAX * 4)
    .replaceAll(/["\\]/g, "\\$&")
    .replaceAll(/[^ -~]/gu, (char) =>
      Buffer.from(char).reduce((out, byte) => `${out}\\x${byte.toString(16).padStart(2, "0")}`, ""),
    );
  return `"${escaped}"`;
}

/** To the µs. */
function inSeconds(ms: number): number {
  return Math.round(ms * 1_000) / 1_000_000;
}
