/** What a room needs of the draws of its mesh: see node/peer/draws.ts. */

import type { DrawNow } from "../../config/room.ts";
import type { Entry } from "./roll.ts";

/** A draw as a room's document has it. */
export interface DrawPlan {
  /** The room as statements name it. */
  readonly room: string;
  /** Its name, for people. */
  readonly name: string;
  readonly event: string;
  readonly prequeueMs: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly announced: string;
}

export interface RoomDraws {
  /** Changes whenever a seed becomes known. */
  readonly version: number;
  /** Takes part in a draw from now on, and says what is known of it. */
  follow(plan: DrawPlan): DrawNow;
  /** A visitor of this locality's line was answered here: `id` is of the place's cookie. */
  note(draw: string, key: number, id: string): void;
  /** The visitors of this locality's line that are known to a draw. */
  entries(draw: string): Iterable<Entry>;
}
