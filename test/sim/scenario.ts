/**
 * One thing to simulate: a mesh, rooms, visitors and faults as data; and the usual ones, from which a scenario differs.
 *
 * Sizes and rates are of one run; a seed varies what is left to chance. Minutes are short where nothing depends on
 * their length.
 */

import type { Room } from "../../node/config/room.ts";
import type { FaultPlan } from "./fault-kinds.ts";
import { type Behaviour, PATIENT } from "./visitor.ts";
import type { World } from "./world.ts";

export interface Scenario {
  readonly name: string;
  /** One line for help. */
  readonly summary: string;
  readonly localities: readonly string[];
  readonly minuteMs: number;
  readonly minutes: number;
  readonly leaseMs: number;
  readonly room: Partial<Room>;
  /** Rooms beside that one: each visitor wants one of all. */
  readonly more?: readonly Partial<Room>[];
  /** The places, in all of them, of the rooms that a visitor of that minute may want; all unless given. */
  readonly wanted?: (minute: number) => readonly number[];
  /** The same, made by the plan's hand only. */
  readonly late?: readonly Partial<Room>[];
  /** New visitors per minute in a locality, `minute` minutes after the start. */
  readonly rate: (minute: number, locality: string) => number;
  /** Minutes that visitors stay inside, on average. */
  readonly stayMinutes: number;
  /** Kinds of visitors, each as often as it stands here. */
  readonly crowd: readonly Behaviour[];
  /**
   * `hasScenes`: what one follows from another, what operators do (fault-scenes.ts), and what goes wrong at the front
   * of nodes (front-faults.ts), as well.
   */
  readonly faults?: { readonly everyMs: number; readonly disks: boolean; readonly hasScenes?: boolean };
  /**
   * Certain faults instead of drawn ones, shorter or rarer than what a promise allows for: nobody may be thrown out by
   * them.
   */
  readonly plan?: (seed: number) => FaultPlan;
  /** Called four times a second, with the minutes since the start. */
  readonly script?: (world: World, minute: number) => void;
  /** Whether the load balancer sends each request to a gate of any locality. */
  readonly sprays?: boolean;
  /** How many visitors the first gate of a locality meets for each one at any other; 1 unless given. */
  readonly skew?: number;
  /**
   * Other limits than elsewhere, in percent: of visitor-seconds in line beside a free slot, and of slots used while
   * visitors wait, within reach and of all.
   */
  readonly earlyMax?: number;
  readonly useMin?: number;
  /**
   * Whether no visitor may be overtaken for longer than a poll interval. Where localities lend each other a whole
   * minute's slots, it happens.
   */
  readonly keepsOrder?: boolean;
  /** Whether the room's limits change at random. */
  readonly limitsChange?: boolean;
  /** Whether visitors bring passes, proofs and the like (doors.ts). */
  readonly hasDoors?: boolean;
  /** Whether nodes count minutes, and tell each other; elsewhere that would be one more thing that a seed draws. */
  readonly hasHistory?: boolean;
  /** For what plays on a certain day: Unix ms at which visitors begin to come. */
  readonly startsAtMs?: number;
}

/** What a seed makes of a name. */
export type Drawn = Omit<Scenario, "name" | "summary">;

/** A scenario that each seed varies. */
export interface DrawnScenario extends Pick<Scenario, "name" | "summary"> {
  readonly draw: (seed: number) => Drawn;
}

const MINUTE_MS = 60_000;

/** As a node has them by default. */
export const DEFAULT_TIMES = { minuteMs: MINUTE_MS, leaseMs: 30_000 };

/** Short ones, so that much happens in little time. */
export const SHORT_TIMES = { minuteMs: 6_000, leaseMs: 4_000 };

export const CALM: Omit<Scenario, "name" | "summary" | "rate"> = {
  localities: ["sjc", "sjc", "lon", "lon", "del"],
  ...DEFAULT_TIMES,
  minutes: 15,
  room: { totalActiveUsers: 600, newUsersPerMinute: 200, sessionDuration: 2, refreshIntervalSeconds: 20 },
  stayMinutes: 3,
  crowd: [PATIENT],
};

const PARTS: Readonly<Record<string, number>> = { sjc: 0.5, lon: 0.35, del: 0.15 };
/** The part of all visitors who come to a locality. */
export const part = (locality: string): number => PARTS[locality] ?? 0;
