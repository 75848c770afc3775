/**
 * What a draw follows from, and how: docs/draw.md has the same for those who check it with a program of their own.
 *
 * The node that accepts the first event with a draw of a room makes a random key, which travels with the room's document
 * and is never shown. The secret of each draw is a hash of that key and of what is drawn: so it stays for as long as the
 * event stays as it is, and is another one once the event is moved. The secret's own hash is published at once, the
 * secret at the start. The seed is a hash of what is drawn, of the secret, and of a public value if one was announced.
 * The order follows from the seed and the visitors' ids alone: by the hash of both.
 */

import type { RoomId } from "../../../mesh/core/ids.ts";
import { isoOf } from "../../iso-time.ts";
import type { Checker } from "../../notary.ts";
import { sha256First49, sha256Hex } from "../../sha256.ts";

/** What is drawn. All of it goes into the seed, so that no secret can be used for another draw. */
export interface DrawTerms {
  readonly mesh: string;
  /** A digest of the room's id; see `publicRoom`. */
  readonly room: string;
  readonly event: string;
  readonly startMs: number;
  /** Which public value was announced, in words; empty for none. */
  readonly announced: string;
}

/** 96 bits. */
const ROOM_CHARS = 16;

/** The room as statements name it: the same for as long as it exists. The id itself may be the seed of its draws. */
export function publicRoom(id: RoomId, { digest }: Pick<Checker, "digest">): string {
  return digest(`room ${id}`).slice(0, ROOM_CHARS);
}

/** Hexadecimal digits of a visitor's id in a draw: 52 bits, so that it is a number that is exact. */
const ID_DIGITS = 13;

/** The visitor's id in a draw, as a number: a hash, so that nobody gets in by it. `id`: of the place's cookie. */
export function drawIdOf(id: string): number {
  return Number.parseInt(sha256Hex(`anteroom visitor ${id}`).slice(0, ID_DIGITS), 16);
}

/** The same as it is published. */
export function drawIdText(id: number): string {
  return id.toString(16).padStart(ID_DIGITS, "0");
}

/** The secret of a draw: 64 hexadecimal digits, from the key of its room. */
export function secretOf(roomKey: string, terms: DrawTerms): string {
  return sha256Hex(`anteroom draw ${roomKey} ${JSON.stringify(listed(terms))}`);
}

/** What is published of a secret from the declaration on. */
export function hashOf(secret: string): string {
  return sha256Hex(secret);
}

/** `value`: the public value, empty for none. */
export function seedOf(terms: DrawTerms, secret: string, value: string): string {
  const { mesh, room, event, startMs, announced } = terms;
  const lines = ["anteroom-draw 1", mesh, room, event, isoOf(startMs), announced, value, secret];
  return sha256Hex(lines.map((line) => `${line}\n`).join(""));
}

/** By which the ids are sorted, as text. */
export function rankOf(seed: string, id: string): string {
  return sha256Hex(`${seed}:${id}`);
}

/**
 * The lowest queue key of a visitor who was drawn. Such keys are moments long before anteroom was written, so all who
 * were drawn stand in front of all who joined since, and no key is mistaken for one of the other kind.
 */
const DRAWN_LOWEST = 2 ** 49;
const DRAWN_END = 2 ** 50;

/** The queue key that stands for a visitor's place in a draw: the first bits of the rank. */
export function drawnKeyOf(seed: string, id: number): number {
  return DRAWN_LOWEST + sha256First49(`${seed}:${drawIdText(id)}`);
}

/** Whether a queue key is one of those, and not a moment of joining. */
export function isDrawnKey(key: number): boolean {
  return key >= DRAWN_LOWEST && key < DRAWN_END;
}

/** Names a draw among all others: short, for messages and for the disk. */
export function drawKeyOf(terms: DrawTerms): string {
  return sha256Hex(JSON.stringify(listed(terms))).slice(0, KEY_DIGITS);
}

const KEY_DIGITS = 24;

function listed({ mesh, room, event, startMs, announced }: DrawTerms): readonly unknown[] {
  return [mesh, room, event, startMs, announced];
}
