/**
 * The draw of an event: its terms, the hash that is public from the declaration on, and what is revealed at the start.
 *
 * Each node computes it by itself, from the room's document, the key that travels with it, and the time: so an event
 * with a draw starts in any partition. With a public value it starts once the value is given.
 */

import { z } from "zod";
import type { Register } from "../../mesh/core/replica/registers.ts";
import { type DrawTerms, drawKeyOf, hashOf, secretOf, seedOf } from "../admission/draw/draw-seed.ts";
import type { RoomEvent } from "../config/event.ts";
import { DRAW_VALUE_MAX } from "../config/event-schema.ts";
import type { Room } from "../config/room.ts";

const KEY_BYTES = 32;

export interface EventDraw {
  /** Names the draw among those of all rooms. */
  readonly key: string;
  readonly terms: DrawTerms;
  readonly prequeueMs: number;
  readonly endMs: number;
  /** The SHA-256 of the secret. */
  readonly hash: string;
  /** The public value; undefined until it is given, empty where none was announced. */
  readonly value: string | undefined;
  /** Undefined before the start, and until the value is given. */
  readonly opened: { readonly secret: string; readonly seed: string } | undefined;
}

export interface DrawGround {
  readonly mesh: string;
  /** The room as statements name it. */
  readonly room: string;
  /** The key that travels with the room's document. */
  readonly roomKey: string;
  /** Public values by the keys of their draws. */
  readonly values: ReadonlyMap<string, string>;
  readonly nowMs: number;
}

/** The draw of an event; undefined for one without. */
export function drawOfEvent(event: RoomEvent, { mesh, room, roomKey, values, nowMs }: DrawGround) {
  const { name, prequeueMs, startMs, endMs, isDrawn, shuffles, suspended, drawValue: announced = "" } = event;
  if (isDrawn !== true || !shuffles || suspended || prequeueMs === undefined) return undefined;
  const terms = { mesh, room, event: name, startMs, announced };
  const key = drawKeyOf(terms);
  const secret = secretOf(roomKey, terms);
  const value = announced === "" ? "" : values.get(key);
  const opened = nowMs < startMs || value === undefined ? undefined : { secret, seed: seedOf(terms, secret, value) };
  const draw: EventDraw = { key, terms, prequeueMs, endMs, hash: hashOf(secret), value, opened };
  return draw;
}

/** Whether a room needs a key for its draws. */
export function hasDraw({ events = [] }: Room): boolean {
  return events.some(({ isDrawn }) => isDrawn === true);
}

/** 64 hexadecimal digits that nobody can guess. */
export function newRoomKey(): string {
  return crypto.getRandomValues(new Uint8Array(KEY_BYTES)).toHex();
}

/**
 * Draws that are still to be held, by their names and new hashes, whose published hash another node's change of the room
 * has replaced.
 */
export function replacedDraws(before: readonly EventDraw[], after: readonly EventDraw[]) {
  return before.flatMap(({ terms, hash: old, opened }) => {
    const now = after.find((each) => each.terms.event === terms.event);
    return opened !== undefined || now === undefined || now.hash === old
      ? []
      : [{ event: terms.event, old, hash: now.hash }];
  });
}

const VALUES_SHAPE = z.record(z.string().max(64), z.string().max(DRAW_VALUE_MAX));

/** The public values in a room's register of them. */
export function drawValuesIn(register: Register | undefined): ReadonlyMap<string, string> {
  try {
    return new Map(Object.entries(VALUES_SHAPE.parse(JSON.parse(register?.document ?? "{}"))));
  } catch {
    // Any member may have written it: its draws wait until their values are given again.
    return new Map();
  }
}

/** The register of the values of a room's present draws. */
export function drawValuesRegister(
  firstName: string,
  values: ReadonlyMap<string, string>,
  nowMs: number,
): Omit<Register, "stamp"> {
  return { firstName, document: JSON.stringify(Object.fromEntries(values)), createdMs: nowMs };
}
