/**
 * A room: a host and path prefixes with limits, and the origin behind them.
 *
 * The fields are those of Cloudflare's Waiting Room API where a field has that meaning; the others are ours.
 * room-schema.ts declares them, with what each means. Documents (YAML, JSON, API) write them in snake_case, code in
 * camelCase.
 */

import type { ValuesOf } from "./document-fields.ts";
import type { ROOM_FIELDS } from "./room-schema.ts";

type Declared = ValuesOf<typeof ROOM_FIELDS>;

export interface Room extends Omit<Declared, "events"> {
  /** Undefined where the document says nothing about events. */
  readonly events?: Declared["events"];
  /** Of a room as it works now, not as it is declared: the event that applies. */
  readonly event?: EventNow | undefined;
  /** Likewise: the draw whose order its line is in, or waits for. */
  readonly draw?: DrawNow | undefined;
}

export type QueueingMethod = Room["queueingMethod"];
export type ProofMode = Room["proofOfWorkMode"];
export type OriginCommandName = Room["enabledOriginCommands"][number];
export type Route = Room["additionalRoutes"][number];
export type BrandPage = Room["page"];
export type Rollout = NonNullable<Room["rollout"]>;
/** What a room says about visitors who are told of their turn. */
export type NotifyRoom = Pick<Room, "notify" | "disableSessionRenewal" | "refreshIntervalSeconds">;
export type QueueItRoom = NonNullable<Room["queueIt"]>;

/** One of several origins behind a room. */
export type OriginShare = Exclude<NonNullable<Room["origin"]>, string>[number];

/** An event in a room as it works at a moment. */
export interface EventNow {
  readonly name: string;
  /** `prequeue`: it has not started, and all new visitors are held in line. */
  readonly phase: "prequeue" | "active";
  /** Unix ms. */
  readonly startMs: number;
  readonly endMs: number;
  readonly shuffles: boolean;
}

/** A draw in a room as it works at a moment. */
export interface DrawNow {
  /** Names the draw among those of all rooms. */
  readonly key: string;
  /** All who joined before it are drawn, in Unix ms. */
  readonly startMs: number;
  /** What the order follows from; undefined until it is known. */
  readonly seed: string | undefined;
}
