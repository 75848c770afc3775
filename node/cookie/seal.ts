/**
 * The visitor cookie: what a visitor carries instead of a server remembering it.
 *
 * Its text is JSON under a cipher. A cookie that does not open is a value, never a throw: its bearer is a
 * new visitor.
 */

import { createCipheriv, createDecipheriv } from "node:crypto";
import type { AccountId, Minute, RoomId } from "../../mesh/core/ids.ts";
import { derivedSecret, type MeshSecret } from "../keys/derived-keys.ts";
import { Recent } from "../recent.ts";

/** The pass by which a visitor joined. */
export interface PassUse {
  /** Names a pass that is good for one visitor at a time. */
  readonly name?: string;
  /** When the visitor first used it, in Unix ms. */
  readonly atMs: number;
  readonly lane?: number;
}

/**
 * A visitor with a session. Times are Unix ms; `bucketId` is the start of the minute of admission, as in the source
 * (WR-4).
 */
export interface InsideCookie {
  readonly kind: "inside";
  readonly room: RoomId;
  readonly id: string;
  readonly home: AccountId;
  readonly bucketId: number;
  readonly lastCheckInTime: number;
  readonly acceptedAt: number;
  readonly lastGood: Minute;
  /** Short id of the origin to which the session goes; only where the room has several. */
  readonly target?: string;
  readonly pass?: PassUse;
}

/** A visitor in line. `bucketId` is the start of the minute of joining. */
export interface WaitingCookie {
  readonly kind: "waiting";
  readonly room: RoomId;
  readonly id: string;
  readonly key: number;
  /** The locality in whose line the place is; none of a visitor who is not in line yet. */
  readonly line?: string;
  /** The place in the order of the line, and the lowest number that was told for it: no later one is higher. */
  readonly told?: readonly [place: number, position: number];
  readonly bucketId: number;
  readonly lastCheckInTime: number;
  /** The wait that was estimated then: the place is kept for as long, and a grace. */
  readonly waitSeconds?: number;
  readonly pass?: PassUse;
  /** Whether the visitor has left an address at which to be told of the turn: the place is kept for the longest time. */
  readonly hasContact?: true;
  /** The proof of work that is still asked for: hashes to try, on average. */
  readonly work?: number;
}

export type VisitorCookie = InsideCookie | WaitingCookie;

/** Why a cookie is not accepted. */
type BadCookie = "malformed" | "unknown-key" | "forged" | "wrong-room" | "expired";

export type Opened =
  | { readonly kind: "good"; readonly cookie: VisitorCookie }
  | { readonly kind: "bad"; readonly reason: BadCookie };

/** Called once, now or later: with the value, or with what went wrong. */
export type Sealed = (value: string | undefined, error?: unknown) => void;

/** Makes cookie values that only this mesh can make and read. */
export interface CookieCipher {
  encrypt(plain: Uint8Array, nowMs: number, sealed: Sealed): void;
  /** The plain text of a value, or why there is none. */
  decrypt(value: string, nowMs: number): Buffer | BadCookie;
  /** Changes whenever a value that was decrypted before must be decrypted again: its key may be retired. */
  periodOf(nowMs: number): number;
}

/**
 * Opened cookies remembered: visitors in line poll with the same one for minutes, pages ask for a dozen assets. About
 * 35 MB at worst. In a longer line each poll opens its cookie again, which costs some µs more.
 */
const OPENED_MAX = 50_000;

export class CookieSeal {
  readonly #cipher: CookieCipher;
  /** Cookies opened lately, in the key period `#openedIn`. */
  #opened = rememberedCookies();
  #openedIn = 0;

  constructor(cipher: CookieCipher) {
    this.#cipher = cipher;
  }

  /** Seals `cookie` under the key of `nowMs`. */
  seal(cookie: VisitorCookie, nowMs: number, sealed: Sealed): void {
    this.#cipher.encrypt(Buffer.from(JSON.stringify(cookie)), nowMs, sealed);
  }

  /** Opens a cookie value of `room`. The caller decides whether its session or place is over. */
  open(value: string, room: RoomId, nowMs: number): Opened {
    const cookie = this.#openedBefore(value, nowMs) ?? this.#openAnew(value, nowMs);
    if (typeof cookie === "string") return { kind: "bad", reason: cookie };
    return cookie.room === room ? { kind: "good", cookie } : { kind: "bad", reason: "wrong-room" };
  }

  #openedBefore(value: string, nowMs: number): VisitorCookie | undefined {
    const period = this.#cipher.periodOf(nowMs);
    if (period !== this.#openedIn) {
      // A new day has new keys: values under a key that is retired now must be opened again.
      this.#openedIn = period;
      this.#opened = rememberedCookies();
    }
    return this.#opened.use(value, nowMs);
  }

  #openAnew(value: string, nowMs: number): VisitorCookie | BadCookie {
    const plain = this.#cipher.decrypt(value, nowMs);
    if (typeof plain === "string") return plain;
    const cookie = parse(plain);
    if (cookie === undefined) return "malformed";
    // A copy: the value is a part of the request's head, which would otherwise stay in memory.
    this.#opened.set(Buffer.from(value, "latin1").toString("latin1"), cookie, nowMs);
    return cookie;
  }
}

/** By number only: a cookie is good until its key retires, whenever it was opened. */
function rememberedCookies(): Recent<string, VisitorCookie> {
  return new Recent({ max: OPENED_MAX, forMs: Number.POSITIVE_INFINITY });
}

/**
 * Only holders of the mesh key write cookies, so this guards against other versions of anteroom, not against attackers.
 */
function parse(plain: Buffer): VisitorCookie | undefined {
  try {
    const cookie = JSON.parse(plain.toString("latin1")) as VisitorCookie;
    const isCommon = typeof cookie.id === "string" && typeof cookie.lastCheckInTime === "number";
    if (!isCommon) return undefined;
    if (cookie.kind === "waiting") return typeof cookie.key === "number" ? cookie : undefined;
    return cookie.kind === "inside" && typeof cookie.lastGood === "number" ? cookie : undefined;
  } catch {
    // Sealed by us but not JSON: a cookie of another version. Its bearer is a new visitor.
    return undefined;
  }
}

/** Longest value that is tried. Ours are under 600 characters; browsers drop cookies over 4,096 bytes. */
const VALUE_LENGTH_MAX = 2_048;
/**
 * Of a nonce of GCM. Random ones: with one key a day, 4 billion cookies a day keep within the bound of NIST SP 800-38D
 * §8.3.
 */
export const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * The cipher of the visitor cookie: a compact JWE (RFC 7516) with `dir` and `A256GCM`.
 *
 * Both ways are on the path of visitors, so they use node:crypto's GCM directly: a library goes by WebCrypto, whose
 * change of threads costs more than the cipher. A test has jose open what is sealed here, and a property test holds
 * opening to accepting exactly what jose accepts. A value that does not open gives a reason, never a throw.
 */
export class JweCipher implements CookieCipher {
  readonly #ring: KeyRing;

  constructor(ring: KeyRing) {
    this.#ring = ring;
  }

  periodOf(nowMs: number): number {
    return this.#ring.periodOf(nowMs);
  }

  encrypt(plain: Uint8Array, nowMs: number, sealed: Sealed): void {
    let value: string;
    try {
      value = compactJwe(plain, this.#ring.current(nowMs), crypto.getRandomValues(new Uint8Array(IV_BYTES)));
    } catch (error) {
      // No entropy or no memory: the visitor keeps the cookie of before, or is refused.
      sealed(undefined, error);
      return;
    }
    sealed(value);
  }

  decrypt(value: string, nowMs: number): Buffer | BadCookie {
    if (value.length > VALUE_LENGTH_MAX) return "malformed";
    const [header, wrappedKey, iv, text, tag, rest] = value.split(".");
    if (header === undefined || wrappedKey !== "" || !iv || text === undefined || !tag || rest !== undefined) {
      return "malformed";
    }
    const key = this.#ring.byHeader(header, nowMs);
    if (key === undefined) return "unknown-key";
    const ivBytes = bytesOf(iv);
    const textBytes = bytesOf(text);
    const tagBytes = bytesOf(tag);
    if (ivBytes?.length !== IV_BYTES || tagBytes?.length !== TAG_BYTES || textBytes === undefined) return "malformed";
    try {
      const decipher = createDecipheriv("aes-256-gcm", key.secret, ivBytes);
      decipher.setAAD(key.headerBytes).setAuthTag(tagBytes);
      const plain = decipher.update(textBytes);
      decipher.final();
      return plain;
    } catch {
      // Thrown when the tag is wrong: the bearer is treated as a new visitor.
      return "forged";
    }
  }
}

/** `plain` under a key as a compact JWE. A key must never see one `iv` twice. */
export function compactJwe(plain: Uint8Array, key: CookieKey, iv: Uint8Array): string {
  const cipher = createCipheriv("aes-256-gcm", key.secret, iv);
  cipher.setAAD(key.headerBytes);
  // GCM adds nothing at the end.
  const text = cipher.update(plain);
  cipher.final();
  return `${key.header}..${base64url(iv)}.${base64url(text)}.${base64url(cipher.getAuthTag())}`;
}

function base64url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** The decoder that jose uses: both must overlook (blanks, padding, unused bits) and refuse the same. */
function bytesOf(base64url: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.fromBase64(base64url, { alphabet: "base64url" });
  } catch {
    // Not base64url: rejected like any other malformed cookie.
    return undefined;
  }
}

/** One key of the ring. */
export interface CookieKey {
  readonly secret: Uint8Array;
  /** The protected header of all cookies under it, which names it, and the bytes that their tags cover. */
  readonly header: string;
  readonly headerBytes: Uint8Array;
}

const ROTATION_MS = 24 * 60 * 60 * 1_000;

/**
 * The key ring of the visitor cookie: one 32-byte key per day, derived from the mesh key, so that every node of a mesh
 * has it without asking, and a rotation ends no session.
 *
 * A cookie under yesterday's key is still opened (a stay is at most 31 minutes, a place is renewed every few minutes),
 * and one under tomorrow's, whose writer's clock is ahead.
 */
export class KeyRing {
  readonly #mesh: MeshSecret;
  readonly #keys = new Map<number, CookieKey>();

  constructor(mesh: MeshSecret) {
    this.#mesh = mesh;
  }

  /** The number of the key in use at `nowMs`; it changes once a day. */
  periodOf(nowMs: number): number {
    return Math.floor(nowMs / ROTATION_MS);
  }

  /** The key to seal with at `nowMs`. */
  current(nowMs: number): CookieKey {
    return this.#key(this.periodOf(nowMs));
  }

  /** The key of cookies with this header; undefined when it is retired, not yet in use, or none of ours. */
  byHeader(header: string, nowMs: number): CookieKey | undefined {
    const today = this.periodOf(nowMs);
    for (const period of [today, today - 1, today + 1]) {
      const key = this.#key(period);
      if (key.header === header) return key;
    }
    return undefined;
  }

  #key(period: number): CookieKey {
    const known = this.#keys.get(period);
    if (known !== undefined) return known;
    for (const old of this.#keys.keys()) if (old < period - 2) this.#keys.delete(old);
    const kid = String(period);
    const header = Buffer.from(JSON.stringify({ alg: "dir", enc: "A256GCM", kid })).toString("base64url");
    const secret = derivedSecret(this.#mesh, `anteroom visitor cookie ${period}`);
    const key = { secret, header, headerBytes: Buffer.from(header, "latin1") };
    this.#keys.set(period, key);
    return key;
  }
}
