/** What a room needs of the draws of its mesh: see node/peer/draws.ts. */

import type { NodeId } from "../../../mesh/core/ids.ts";
import type { DrawNow } from "../../config/room.ts";
import type { DrawList } from "./draw-document.ts";
import type { Secret } from "./draw-seed.ts";
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

/** What anybody may know of a draw, before and after it is decided. */
export interface PublicDraw {
  readonly plan: DrawPlan;
  /** Each as its node signed it. */
  readonly commitments: readonly string[];
  /** Visitors that are known here. */
  readonly known: number;
  /** The lists that were closed, by node: one, unless a node that closed it fell silent. */
  readonly closed: readonly (DrawList & { readonly node: NodeId })[];
  /** Undefined until it is decided. */
  readonly outcome:
    | { readonly secrets: readonly Secret[]; readonly value: string; readonly list: DrawList; readonly seed: string }
    | undefined;
}

/** `value`: the public value that was announced. `nodes`: that the nodes agree, or answer. */
export type DrawWait = "value" | "nodes";

export interface RoomDraws {
  /** Changes whenever a seed becomes known. */
  readonly version: number;
  /** Takes part in a draw from now on, and says what is known of it. */
  follow(plan: DrawPlan): DrawNow;
  /** A room, as statements name it, has no draw now: one that was not decided is not made. */
  leave(room: string): void;
  /** What a draw waits for whose event should have begun; undefined once it is decided, and before. */
  waitsFor(draw: string): DrawWait | undefined;
  /** What is public of a draw; undefined for one that this node does not know. */
  shown(draw: string): PublicDraw | undefined;
  /** A visitor of this locality's line was answered here: `id` is of the place's cookie. */
  note(draw: string, key: number, id: string): void;
  /** The visitors of this locality's line that are known to a draw. */
  entries(draw: string): Iterable<Entry>;
}
