/**
 * A visitor's browser on the wire: the request that it sends, and what it reads from an answer.
 */

import { PROBE_NAME } from "../../node/cookie/cookie-header.ts";
import type { HeaderList, RequestHead } from "../../node/http/message.ts";
import { readPlain } from "./plain-cipher.ts";
import type { SimRoom } from "./sim-room.ts";
import type { SimCookie, Visitor } from "./visitor.ts";

/** A request as an app sends it, so that the gate answers in JSON. */
export function requestTo({ name }: SimRoom, cookie: string | undefined): RequestHead {
  const host = `${name}.example`;
  const headers = ["Host", host, "Accept", "application/json"];
  if (cookie !== undefined) headers.push("Cookie", cookie);
  return { method: "GET", target: "/", minorVersion: 1, headers, authority: host, host };
}

/** An address of the visitor's own. */
export function addressOf({ number }: Visitor): string {
  return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
}

/** The cookie that an answer sets; undefined for none, and for a deleted one. */
export function cookieIn(headers: HeaderList): SimCookie | undefined {
  const text = fieldOf(headers, "Set-Cookie");
  const [pair = "", name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(text ?? "") ?? [];
  return value === "" || name === PROBE_NAME ? undefined : { ...readPlain(value), pair };
}

/** The position in line in a JSON answer; 0 for none. */
export function positionIn(body: string): number {
  return Number(/"anteroom":\{"position":(\d+)/.exec(body)?.[1] ?? 0);
}

export function fieldOf(headers: HeaderList, name: string): string | undefined {
  const at = headers.indexOf(name);
  return at < 0 ? undefined : headers[at + 1];
}
