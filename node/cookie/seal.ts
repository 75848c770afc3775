/**
 * The visitor cookie: what a visitor carries instead of a server remembering it.
 *
 * A compact JWE (RFC 7516) with `dir` and `A256GCM`, sealed by jose. Opening is on the path of every poll, so it uses
 * node:crypto's GCM directly, which takes a small part of the time; a property test holds it to accepting exactly what jose accepts.
 * A cookie that does not open is a value, never a throw: its bearer is a new visitor.
 */

import { createDecipheriv } from "node:crypto";
import { CompactEncrypt } from "jose";
import type { AccountId, Minute, RoomId } from "../../mesh/core/ids.ts";
import type { KeyRing } from "./keys.ts";
import { Recent } from "./recent.ts";

/** A visitor inside. Times are Unix ms; `bucketId` is the start of the minute of admission, as in the source (WR-4). */
export interface InsideCookie {
  readonly kind: "inside";
  readonly room: RoomId;
  readonly id: string;
  readonly home: AccountId;
  readonly bucketId: number;
  readonly lastCheckInTime: number;
  readonly acceptedAt: number;
  readonly lastGood: Minute;
  /** Short id of the origin that the session goes to; only where the room has several. */
  readonly target?: string;
}

/** A visitor in line. `bucketId` is the start of the minute of joining. */
export interface WaitingCookie {
  readonly kind: "waiting";
  readonly room: RoomId;
  readonly id: string;
  readonly key: number;
  readonly bucketId: number;
  readonly lastCheckInTime: number;
}

export type VisitorCookie = InsideCookie | WaitingCookie;

/** Why a cookie does not count. */
export type BadCookie = "malformed" | "unknown-key" | "forged" | "wrong-room" | "expired";

export type Opened =
  | { readonly kind: "good"; readonly cookie: VisitorCookie }
  | { readonly kind: "bad"; readonly reason: BadCookie };

/** Longest value that is looked at. Ours are under 600 characters; browsers drop cookies over 4,096 bytes. */
const VALUE_LENGTH_MAX = 2_048;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEADERS_REMEMBERED_MAX = 16;

/**
 * Opened cookies remembered: visitors in line poll with the same one for minutes, pages ask for a dozen assets. About 35 MB at
 * worst. A line longer than that opens each cookie anew, which costs a poll some µs more.
 */
const OPENED_MAX = 50_000;

/** A protected header: the key it names, and the bytes that the tag covers. */
interface Header {
  readonly kid: string;
  readonly bytes: Uint8Array;
}

export class CookieSeal {
  readonly #ring: KeyRing;
  /** Headers seen lately, by their text. Only the few headers of the ring's keys ever authenticate. */
  readonly #headers = new Map<string, Header>();
  /** Cookies opened lately, in the key period `#openedIn`. */
  #opened = new Recent<string, VisitorCookie>(OPENED_MAX);
  #openedIn = 0;

  constructor(ring: KeyRing) {
    this.#ring = ring;
  }

  /** Seals `cookie` under the key of `nowMs`. */
  async seal(cookie: VisitorCookie, nowMs: number): Promise<string> {
    const { kid, secret } = this.#ring.current(nowMs);
    return new CompactEncrypt(Buffer.from(JSON.stringify(cookie)))
      .setProtectedHeader({ alg: "dir", enc: "A256GCM", kid })
      .encrypt(secret);
  }

  /** Opens a cookie value of `room`. Whether its stay or place is over is the caller's question. */
  open(value: string, room: RoomId, nowMs: number): Opened {
    const cookie = this.#openedBefore(value, nowMs) ?? this.#openAnew(value, nowMs);
    if (typeof cookie === "string") return { kind: "bad", reason: cookie };
    return cookie.room === room ? { kind: "good", cookie } : { kind: "bad", reason: "wrong-room" };
  }

  #openedBefore(value: string, nowMs: number): VisitorCookie | undefined {
    const period = this.#ring.periodOf(nowMs);
    if (period !== this.#openedIn) {
      // Another day, other keys: what was good under a key that is retired now must be looked at anew.
      this.#openedIn = period;
      this.#opened = new Recent(OPENED_MAX);
    }
    return this.#opened.get(value);
  }

  #openAnew(value: string, nowMs: number): VisitorCookie | BadCookie {
    const plain = this.decrypt(value, nowMs);
    if (typeof plain === "string") return plain;
    const cookie = parse(plain);
    if (cookie === undefined) return "malformed";
    // A copy: the value is a part of the request's head, which must not be kept for its sake.
    this.#opened.set(Buffer.from(value, "latin1").toString("latin1"), cookie);
    return cookie;
  }

  /** The plain text of a sealed value, or why there is none. Apart from `open` for the test that compares it with jose. */
  decrypt(value: string, nowMs: number): Buffer | BadCookie {
    if (value.length > VALUE_LENGTH_MAX) return "malformed";
    const [header, wrappedKey, iv, text, tag, rest] = value.split(".");
    if (header === undefined || wrappedKey !== "" || !iv || text === undefined || !tag || rest !== undefined) {
      return "malformed";
    }
    const known = this.#headerOf(header);
    if (known === undefined) return "malformed";
    const key = this.#ring.byId(known.kid, nowMs);
    if (key === undefined) return "unknown-key";
    const ivBytes = bytesOf(iv);
    const textBytes = bytesOf(text);
    const tagBytes = bytesOf(tag);
    if (ivBytes?.length !== IV_BYTES || tagBytes?.length !== TAG_BYTES || textBytes === undefined) return "malformed";
    try {
      const decipher = createDecipheriv("aes-256-gcm", key.secret, ivBytes);
      decipher.setAAD(known.bytes).setAuthTag(tagBytes);
      const plain = decipher.update(textBytes);
      decipher.final();
      return plain;
    } catch {
      // Thrown when the tag does not fit: keeps the forger out of line and session, who is a new visitor now.
      return "forged";
    }
  }

  #headerOf(text: string): Header | undefined {
    const known = this.#headers.get(text);
    if (known !== undefined) return known;
    const kid = parseKid(text);
    if (kid === undefined) return undefined;
    if (this.#headers.size >= HEADERS_REMEMBERED_MAX) this.#headers.clear();
    const header = { kid, bytes: Buffer.from(text, "latin1") };
    this.#headers.set(text, header);
    return header;
  }
}

function parseKid(header: string): string | undefined {
  const bytes = bytesOf(header);
  if (bytes === undefined) return undefined;
  try {
    const fields: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
    if (typeof fields !== "object" || fields === null || Object.keys(fields).length !== 3) return undefined;
    const { alg, enc, kid } = fields as Record<string, unknown>;
    return alg === "dir" && enc === "A256GCM" && typeof kid === "string" ? kid : undefined;
  } catch {
    // Not JSON: keeps out, as any other malformed cookie.
    return undefined;
  }
}

/** The decoder that jose uses: what it overlooks (blanks, padding, unused bits) and refuses must be the same here. */
function bytesOf(base64url: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.fromBase64(base64url, { alphabet: "base64url" });
  } catch {
    // Not base64url: keeps out, as any other malformed cookie.
    return undefined;
  }
}

/** Only holders of the mesh key write cookies, so this guards against other versions of anteroom, not against attackers. */
function parse(plain: Buffer): VisitorCookie | undefined {
  try {
    const cookie = JSON.parse(plain.toString("latin1")) as VisitorCookie;
    const isCommon = typeof cookie.id === "string" && typeof cookie.lastCheckInTime === "number";
    if (!isCommon) return undefined;
    if (cookie.kind === "waiting") return typeof cookie.key === "number" ? cookie : undefined;
    return cookie.kind === "inside" && typeof cookie.lastGood === "number" ? cookie : undefined;
  } catch {
    // Sealed by us but no JSON: a cookie of another version. Its bearer is a new visitor.
    return undefined;
  }
}
