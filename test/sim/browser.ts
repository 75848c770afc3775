/**
 * A visitor's browser on the wire: the request that it sends, and what it reads from an answer.
 */

import { COOKIE_PREFIX, PROBE_NAME } from "../../node/cookie/cookie-header.ts";
import type { HeaderList, RequestHead } from "../../node/http/message.ts";
import type { SimCipher } from "./sim-cipher.ts";
import type { SimRoom } from "./sim-room.ts";
import type { SimCookie, Visitor } from "./visitor.ts";

/** A request as an app sends it, so that the gate answers in JSON. */
export function requestTo({ name }: SimRoom, ...cookies: readonly string[]): RequestHead {
  const host = `${name}.example`;
  const headers = ["Host", host, "Accept", "application/json"];
  if (cookies.length > 0) headers.push("Cookie", cookies.join("; "));
  return { method: "GET", target: "/", minorVersion: 1, headers, authority: host, host };
}

/** An address of the visitor's own. */
export function addressOf({ number }: Visitor): string {
  return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
}

/** The cookie of a place or session that an answer sets; undefined for none, and for one that is taken away. */
export function cookieIn(headers: HeaderList, cipher: SimCipher): SimCookie | undefined {
  // That of a pass has a dot after the prefix.
  const isOther = (value: string): boolean => value.startsWith(`${COOKIE_PREFIX}.`);
  // Of two of one name, a browser keeps the last.
  const text = headers.findLast((value, at) => headers[at - 1] === "Set-Cookie" && !isOther(value));
  const [pair = "", name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(text ?? "") ?? [];
  if (value === "" || name === PROBE_NAME) return undefined;
  const maxAgeMs = 1_000 * Number(/; *Max-Age=(\d+)/i.exec(text ?? "")?.[1] ?? 0);
  return { ...cipher.read(value), pair, maxAgeMs };
}

/** The pair of a cookie that is not ours: as long, and nobody with the mesh key has sealed it. */
export function forged(pair: string): string {
  const last = pair.at(-4) === "A" ? "B" : "A";
  return `${pair.slice(0, -4)}${last}${pair.slice(-3)}`;
}

/**
 * The position in line in a JSON answer: 0 while places are drawn; undefined if the answer gives the visitor no place.
 */
export function positionIn(body: string): number | undefined {
  const [, text] = /"anteroom":\{"position":(\d+)/.exec(body) ?? [];
  const position = Number(text ?? 0);
  return position > 0 || /"(drawing|counting)":true/.test(body) ? position : undefined;
}

/** The moment of the next poll in a JSON answer, in ms from now; undefined where only whole seconds are said. */
export function pollMsIn(body: string): number | undefined {
  const [, ms] = /"pollMs":(\d+)/.exec(body) ?? [];
  return ms === undefined ? undefined : Number(ms);
}

export function fieldOf(headers: HeaderList, name: string): string | undefined {
  const at = headers.indexOf(name);
  return at < 0 ? undefined : headers[at + 1];
}
