/**
 * Each room's last two days, a sample per minute, for the dashboard's plots. In memory: it begins with the process.
 */

import type { NodeStatus, RoomStatus } from "../status.ts";

/** Two days of minutes. */
const SAMPLES_MAX = 2 * 24 * 60;

const LOOK_MS = 1_000;

/** About 100 kB each; rooms beyond have no plot. */
const ROOMS_MAX = 50;

/** One minute of a room. */
export interface Sample {
  /** Unix ms at which the minute ended. */
  readonly atMs: number;
  readonly inside: number;
  readonly limit: number;
  readonly waiting: number;
  /** By locality. */
  readonly admitted: Readonly<Record<string, number>>;
}

export class History {
  readonly #samples = new Map<string, Sample[]>();
  #minute = -1;
  #last: NodeStatus | undefined;

  /** Whether a look is worth its cost: one in each second. */
  isDue(nowMs: number): boolean {
    return this.#last === undefined || Math.abs(nowMs - this.#last.now_ms) >= LOOK_MS;
  }

  /** Takes a status; that of a minute's last look becomes its sample. */
  look(status: NodeStatus): void {
    const minute = Math.floor(status.now_ms / status.minute_ms);
    if (this.#last !== undefined && minute > this.#minute)
      this.#keep(this.#last, (this.#minute + 1) * status.minute_ms);
    this.#minute = Math.max(minute, this.#minute);
    this.#last = status;
  }

  /** A room's samples, the oldest first. */
  of(room: string): readonly Sample[] {
    return this.#samples.get(room) ?? [];
  }

  #keep({ rooms }: NodeStatus, atMs: number): void {
    const names = new Set(rooms.map(({ name }) => name));
    for (const name of this.#samples.keys()) if (!names.has(name)) this.#samples.delete(name);
    for (const room of rooms) {
      const samples = this.#samples.get(room.name) ?? [];
      if (samples.length === 0 && this.#samples.size >= ROOMS_MAX) continue;
      samples.push(sampleOf(room, atMs));
      if (samples.length > SAMPLES_MAX) samples.shift();
      this.#samples.set(room.name, samples);
    }
  }
}

function sampleOf({ inside, total_active_users: limit, waiting, localities }: RoomStatus, atMs: number): Sample {
  const admitted = localities.map(({ locality, admitted_this_minute: amount }) => [locality, amount] as const);
  return { atMs, inside, limit, waiting, admitted: Object.fromEntries(admitted) };
}
