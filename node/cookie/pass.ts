/**
 * A pass: what an operator hands out so that its bearer may enter an invite-only room, or bypass a room (staff).
 *
 * It is a compact JWS (RFC 7515) with HS256, under a key derived from the mesh key: every node makes and checks passes
 * without asking, and stores none. A room's `pass_generation` is part of the key, so raising it withdraws all passes
 * made before. node:crypto signs and checks, because a check stands before each decision on a visitor; a test holds it
 * to jose. The bearer can read a pass, so its key should be an id and not a name. What is wrong with a pass is a value,
 * never a throw.
 */

import { createHash, timingSafeEqual } from "node:crypto";
import { derivedSecret, type MeshSecret } from "../keys/derived-keys.ts";
import { signature, signedToken, tokenHeader } from "../keys/hs256.ts";

export interface Pass {
  /** First name of its room. */
  readonly room: string;
  /** Names its bearer; absent for a pass that any number of visitors may use at once. */
  readonly key?: string;
  /** The lane of its bearer in line, 1 to 9. */
  readonly lane?: number;
  /** The wave of invitations that it belongs to, and its number in there. */
  readonly wave?: PassWave;
  /** Whether its bearer passes without a session and without being counted. */
  readonly isStaff: boolean;
  /** Unix ms, in whole seconds. */
  readonly madeMs: number;
  readonly expiresMs: number;
}

export interface PassWave {
  readonly name: string;
  /** From 1. */
  readonly number: number;
}

/**
 * Why a pass is not accepted. `foreign`: another mesh made it; `other-room`: it is for another room; `withdrawn`: of
 * another generation.
 */
export type BadPass = "malformed" | "foreign" | "other-room" | "withdrawn" | "forged" | "expired";

/** For which room a pass is made or shown. */
export interface PassScope {
  /** First name of the room. */
  readonly room: string;
  readonly generation: number;
}

/** Longest key in characters: the pass must fit into a link and a cookie. */
export const PASS_KEY_CHARS_MAX = 128;

/** Longest text that is tried: no pass of ours is longer. Checking it takes some µs. */
export const PASS_CHARS_MAX = 1_600;

/** 96 bits: no two keys have one name. */
const NAME_BYTES = 12;
/** Of the name of a mesh in a pass. */
const TAG_BYTES = 6;

/** Rooms rarely raise their generation; a key is derived again in some µs. */
const KEYS_REMEMBERED_MAX = 64;

/** The key of a generation, and the header of its passes. */
interface PassKey {
  readonly header: string;
  readonly secret: Uint8Array;
}

export class PassMaker {
  readonly #mesh: MeshSecret;
  /** Names this mesh in a pass, without giving away its id. */
  readonly #tag: string;
  readonly #keys = new Map<number, PassKey>();

  constructor(mesh: MeshSecret) {
    this.#mesh = mesh;
    this.#tag = Buffer.from(derivedSecret(mesh, "anteroom pass mesh", TAG_BYTES)).toString("base64url");
  }

  make({ key, lane, wave, isStaff, madeMs, expiresMs }: Omit<Pass, "room">, { room, generation }: PassScope): string {
    const { header, secret } = this.#key(generation);
    const claims = {
      aud: room,
      ...(key !== undefined && { sub: key }),
      ...(lane !== undefined && { lane }),
      ...(wave !== undefined && { wave: wave.name, number: wave.number }),
      ...(isStaff && { staff: true }),
      iat: Math.floor(madeMs / 1_000),
      exp: Math.floor(expiresMs / 1_000),
    };
    return signedToken(header, claims, secret);
  }

  read(text: string, { room, generation }: PassScope, nowMs: number): Pass | BadPass {
    if (text.length > PASS_CHARS_MAX) return "malformed";
    const [header = "", payload = "", given = "", rest] = text.split(".");
    if (rest !== undefined) return "malformed";
    const key = this.#key(generation);
    const about = header === key.header ? undefined : this.#headerFault(header, generation);
    if (about === "malformed" || about === "foreign") return about;
    const claims = parsed(payload);
    if (claims === undefined) return "malformed";
    if (claims.aud !== room) return typeof claims.aud === "string" ? "other-room" : "malformed";
    if (about !== undefined) return about;
    if (!isSame(given, signature(`${header}.${payload}`, key.secret))) return "forged";
    const pass = passOf(room, claims);
    if (pass === undefined) return "malformed";
    return pass.expiresMs > nowMs ? pass : "expired";
  }

  /** Why a header is not that of the generation's passes. */
  #headerFault(header: string, generation: number): BadPass {
    const { alg, kid } = parsed(header) ?? {};
    if (alg !== "HS256" || typeof kid !== "string") return "malformed";
    const [, tag, number] = /^([\w-]{1,32})\.([1-9]\d{0,8})$/.exec(kid) ?? [];
    if (tag === undefined) return "malformed";
    if (tag !== this.#tag) return "foreign";
    return Number(number) === generation ? "malformed" : "withdrawn";
  }

  #key(generation: number): PassKey {
    if (this.#keys.size >= KEYS_REMEMBERED_MAX) this.#keys.clear();
    return this.#keys.getOrInsertComputed(generation, () => ({
      header: tokenHeader(`${this.#tag}.${generation}`),
      secret: derivedSecret(this.#mesh, `anteroom pass ${generation}`),
    }));
  }
}

/** Names a pass to other nodes and in cookies, without giving its key away. */
export function passName(key: string): string {
  return createHash("sha256").update(key).digest().subarray(0, NAME_BYTES).toString("base64url");
}

/** Lengths are compared as bytes: a client's text may have characters of several. */
function isSame(one: string, other: string): boolean {
  const [given, wanted] = [Buffer.from(one), Buffer.from(other)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

function parsed(base64url: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(base64url, "base64url").toString("utf8"));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    // Not JSON: malformed, as its caller says.
    return undefined;
  }
}

/** Only holders of the mesh key sign claims, so this guards against other versions of anteroom. */
function passOf(room: string, claims: Readonly<Record<string, unknown>>): Pass | undefined {
  const { sub, lane, wave, number, staff, iat, exp } = claims;
  if (typeof iat !== "number" || typeof exp !== "number") return undefined;
  if (sub !== undefined && typeof sub !== "string") return undefined;
  if (lane !== undefined && typeof lane !== "number") return undefined;
  const isOfWave = typeof wave === "string" && typeof number === "number";
  if (wave !== undefined && !isOfWave) return undefined;
  return {
    room,
    ...(sub !== undefined && { key: sub }),
    ...(lane !== undefined && { lane }),
    ...(isOfWave && { wave: { name: wave, number } }),
    isStaff: staff === true,
    madeMs: iat * 1_000,
    expiresMs: exp * 1_000,
  };
}
