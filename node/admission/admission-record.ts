/**
 * What a room's admission has on disk: the slots held, the admissions of the minute, and what a restart needs besides.
 */

import type { NodeId, RoomId } from "../../mesh/core/ids.ts";
import type { LineSummary } from "./line.ts";
import type { MinuteRecord } from "./room-minute.ts";
import type { Revoked, SessionsRecord } from "./sessions.ts";

/** What must be on disk before an admission or an extension is sent. */
export interface AdmissionRecord extends SessionsRecord, MinuteRecord {
  /** Slots held in pots, by their group, as `slots`. */
  readonly pots?: readonly (readonly [group: string, slots: SessionsRecord["slots"]])[] | undefined;
  /** The site that counts them, too. */
  readonly site?: RoomId | undefined;
}

/** The place of a visitor who left an address to be told of the turn: where it is, and who asks for it. */
export interface StoredContact {
  readonly key: number;
  readonly lane: number;
  /** The locality of its line. */
  readonly line: string;
  /** The address, sealed. */
  readonly sealed: string;
  /** When it was left, in Unix ms by the clock of the node at which it was. */
  readonly leftMs: number;
  /** The node that asks. */
  readonly keeper: NodeId;
}

/** What was on disk. A room held from the start has a line, but no record, because it admitted nobody. */
export interface Restored {
  readonly record: AdmissionRecord | undefined;
  readonly line: LineSummary | undefined;
  /** When the room's ramp last began, in Unix ms. */
  readonly rampStartMs?: number | undefined;
  readonly revoked?: readonly Revoked[];
  /** By visitor. */
  readonly contacts?: readonly (readonly [id: string, contact: StoredContact])[] | undefined;
}

/** Slots held in pots, by their group, as a record has them. */
export function potsIn(record: AdmissionRecord | undefined): NonNullable<AdmissionRecord["pots"]> {
  return record?.pots ?? [];
}
