/**
 * Readers of single values from text: the one form in which flags, environment and config file all arrive.
 *
 * A reader returns the value or a complaint with its repair, and never throws.
 */

import { UNIX_PREFIX } from "../http/origin-target.ts";
import type { Complaint } from "./problem.ts";
import { hostComplaint, normalRange, rangeComplaint, unixPathComplaint } from "./text-checks.ts";

export type Reading<Value> = { readonly value: Value } | { readonly complaint: NonNullable<Complaint> };
export type Reader<Value> = (text: string) => Reading<Value>;

/** Where to listen or to connect to. */
export interface Address {
  /** Host name or IP address, IPv6 without brackets; empty for every interface. */
  readonly host: string;
  /** 0 for one that the system picks. */
  readonly port: number;
  /** Path of a unix socket, used instead of host and port. */
  readonly unix?: string;
}

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Longest duration of a setting: a timeout longer than a day is useless. */
const DURATION_MAX_MS = 24 * 3_600_000;

const WITHOUT_WILDCARDS = { problem: "is not one name", repair: "write the names themselves" } as const;

const NAME_REPAIR = "write 1 to 64 letters, digits, dots, hyphens and underscores";

/** Any text. */
export function readText(text: string): Reading<string> {
  return { value: text };
}

/** A text for which `complaintOf` has no complaint. */
export function textThat(complaintOf: (text: string) => Complaint): Reader<string> {
  return (text) => {
    const complaint = complaintOf(text);
    return complaint === undefined ? { value: text } : { complaint };
  };
}

/** `:8080`, `127.0.0.1:8080`, `[::1]:8080` or `name:8080`. */
export function readAddress(text: string): Reading<Address> {
  const repair = "write :8080 for every interface, or 127.0.0.1:8080, [::1]:8080; port 0 picks a free one";
  if (/^\d+$/.test(text)) return refuse("has no colon before the port", `write :${text} or 127.0.0.1:${text}`);
  const [, host, digits] = /^(.*):(\d{1,5})$/.exec(text) ?? [];
  if (host === undefined || digits === undefined) return refuse("has no port", repair);
  if (host === "*" || (host !== "" && hostComplaint(host) !== undefined)) return refuse("is not an address", repair);
  const port = Number(digits);
  if (port > 65_535) return refuse("has a port above 65535", repair);
  return { value: { host: host.replace(/^\[(.*)\]$/, "$1"), port } };
}

/** An address as `readAddress` takes it, or `unix:/run/anteroom.sock`. */
export function readListenAddress(text: string): Reading<Address> {
  if (!text.startsWith(UNIX_PREFIX)) return readAddress(text);
  const complaint = unixPathComplaint(text);
  return complaint === undefined
    ? { value: { host: "", port: 0, unix: text.slice(UNIX_PREFIX.length) } }
    : { complaint };
}

/** The address as text, as `readListenAddress` takes it. */
export function addressText({ host, port, unix }: Address): string {
  if (unix !== undefined) return UNIX_PREFIX + unix;
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** A span with its unit (`250ms`, `5s`, `2m`, `1h`), in ms. */
export function durationFrom(minMs: number): Reader<number> {
  const repair = `write a number and its unit, such as 500ms, 30s, 5m or 1h${minMs > 0 ? "" : "; 0s for none"}`;
  return (text) => {
    const [, digits, unit] = /^(\d+(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(text) ?? [];
    if (digits === undefined)
      return /^\d+$/.test(text)
        ? refuse("has no unit", `write ${text}s or ${text}ms`)
        : refuse("is not a span of time", repair);
    const value = Math.round(Number(digits) * (UNITS_MS[unit ?? ""] ?? 0));
    if (value < minMs) return refuse(`is below ${minMs} ms`, repair);
    return value > DURATION_MAX_MS ? refuse("is above 24h", repair) : { value };
  };
}

/** A whole number from `min` to `max`. */
export function countFrom(min: number, max: number): Reader<number> {
  const repair = `write a whole number from ${min} to ${max}`;
  return (text) => {
    if (!/^-?\d{1,15}$/.test(text)) return refuse("is not a whole number", repair);
    const value = Number(text);
    if (value < min) return refuse(`is below ${min}`, repair);
    return value > max ? refuse(`is above ${max}`, repair) : { value };
  };
}

/** A number above 0 and up to `max`. */
export function numberTo(max: number): Reader<number> {
  const repair = `write a number above 0, up to ${max}`;
  return (text) => {
    const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    return value > 0 && value <= max ? { value } : refuse(`is not a number above 0, up to ${max}`, repair);
  };
}

/** A number from 0 to 1. */
export function shareOf(text: string): Reading<number> {
  const value = /^\d(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
  return value <= 1 ? { value } : refuse("is not a number from 0 to 1", "write a share such as 0.01 for one in 100");
}

/** One of the `values`. */
export function oneOf<const Value extends string>(...values: readonly Value[]): Reader<Value> {
  return (text) => {
    const value = values.find((known) => known === text);
    return value === undefined ? refuse("is not known here", `write ${values.join(" or ")}`) : { value };
  };
}

/** `true` or `false`; `1` and `0` too, as environments often have them. */
export function readSwitch(text: string): Reading<boolean> {
  if (text === "true" || text === "1") return { value: true };
  if (text === "false" || text === "0") return { value: false };
  return refuse("is not true or false", "write true or false");
}

/** Values with commas between them; the first one that is wrong is named. */
export function listOf<Value>(read: Reader<Value>): Reader<readonly Value[]> {
  return (text) => {
    const entries = text.split(",").map((entry) => entry.trim());
    const values: Value[] = [];
    for (const entry of entries) {
      const reading = read(entry);
      if ("complaint" in reading) {
        const { problem, repair } = reading.complaint;
        const place = entries.length === 1 ? "" : `has an entry ${JSON.stringify(entry)} that `;
        return refuse(place + problem, repair);
      }
      values.push(reading.value);
    }
    return { value: values };
  };
}

/** An address or a range, in its normal form. */
export function readRange(text: string): Reading<string> {
  const complaint = rangeComplaint(text);
  return complaint === undefined ? { value: normalRange(text) } : { complaint };
}

/** Paths of files with commas between them. */
export const readPaths = listOf((path) =>
  path === "" ? refuse("is empty", "write each path once, with commas between them") : { value: path },
);

/** A secret that travels in a header: visible ASCII without blanks. */
export function readSecret(text: string): Reading<string> {
  if (/^[!-~]{1,512}$/.test(text)) return { value: text };
  return refuse("is not a secret that fits into a header", "write 1 to 512 visible ASCII characters without blanks");
}

/** The name of a locality or of a node. */
export function readName(text: string): Reading<string> {
  if (/^[A-Za-z0-9._-]{1,64}$/.test(text)) return { value: text };
  return refuse("is not a name", NAME_REPAIR);
}

/** Names of localities with commas between them, each once. */
export function readNames(text: string): Reading<readonly string[]> {
  const reading = listOf(readName)(text);
  return "complaint" in reading ? reading : { value: [...new Set(reading.value)] };
}

/** The name of a header field, in lower case. */
export function readFieldName(text: string): Reading<string> {
  if (/^[a-z0-9-]{1,64}$/i.test(text)) return { value: text.toLowerCase() };
  return refuse("is not the name of a header field", "write a name such as CF-Connecting-IP");
}

/** A host name, in lower case. */
export function readHostName(text: string): Reading<string> {
  const name = text.toLowerCase();
  const complaint = name === "*" ? WITHOUT_WILDCARDS : hostComplaint(name);
  return complaint === undefined ? { value: name } : { complaint };
}

function refuse(problem: string, repair: string): { readonly complaint: NonNullable<Complaint> } {
  return { complaint: { problem, repair } };
}
