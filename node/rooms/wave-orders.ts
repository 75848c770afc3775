/**
 * What an operator orders about a wave of passes: to start, pause, resume and end it. Each order is one change of the
 * room's document, so all gates follow it within a second or two, for passes that were sent out before as well.
 */

import type { Room } from "../config/room.ts";
import { paused, resumed, type Wave } from "../config/waves.ts";
import type { Author } from "./author.ts";
import { type Changed, refused } from "./changed.ts";
import type { LiveRoom } from "./live-room.ts";
import type { Rooms } from "./rooms.ts";

/** `end`: its passes are good from now on, as those without a wave. */
export type WaveOrder =
  | { readonly start: Wave }
  | { readonly change: "pause" | "resume" | "end"; readonly wave: string };

export function orderWave(
  rooms: Rooms,
  name: string,
  { order, nowMs, author }: { readonly order: WaveOrder; readonly nowMs: number; readonly author?: Author | undefined },
): Changed<LiveRoom> {
  const named = rooms.named(name);
  if (!named.ok) return named;
  const live = named.value;
  const { declared } = live;
  const waves = "start" in order ? started(declared, order.start) : changed(declared, order, nowMs);
  if (typeof waves === "string") return refused("conflict", waves);
  return rooms.replace(live, { ...declared, waves }, { author });
}

/** A second list of guests under one name would take the turn of the first one back. */
function started({ waves, name: room }: Room, wave: Wave): readonly Wave[] | string {
  if (waves.every(({ name }) => name !== wave.name)) return [...waves, wave];
  return `Cannot start wave ${wave.name} of room ${room} as it has one of that name: choose another, or end that one first with: anteroom pass ${room} --end ${wave.name}`;
}

function changed(
  { waves, name: room }: Room,
  { change, wave: wanted }: Extract<WaveOrder, { change: unknown }>,
  nowMs: number,
): readonly Wave[] | string {
  const wave = waves.find(({ name }) => name === wanted);
  if (wave === undefined) {
    const known = waves.map(({ name }) => name).join(", ") || "none";
    return `Cannot ${change} wave ${wanted} of room ${room} as its waves are ${known}`;
  }
  if (change === "end") return waves.filter((each) => each !== wave);
  const next = change === "pause" ? paused(wave, nowMs) : resumed(wave, nowMs);
  return waves.map((each) => (each === wave ? next : each));
}
