/**
 * What a room keeps on the disk of a node, each under the room's id. All of it is small, and grows with minutes, not
 * with visitors, but for the contacts that some leave.
 */

import { z } from "zod";
import { Entry } from "../../../mesh/core/wire/entry.ts";
import { minute, nodeId, roomId, unixMs, whole } from "../../../mesh/core/wire/shapes.ts";
import type { AdmissionRecord, StoredContact } from "../admission-record.ts";
import type { LineSummary } from "../line.ts";
import type { Draws } from "../queue-order.ts";

/** Characters of a seed: a room's id, or a secret in hexadecimal. */
const SEED_MAX = 200;

/** Slots by the minute to which they are held. Of a session that a stray clock has given, the minute may be any. */
const slots = z.array(z.tuple([minute, whole]));

/** How a room's sessions are stored, and handed over to an heir. */
export const admissionRecord: z.ZodType<AdmissionRecord> = z.object({
  slots,
  pots: z.array(z.tuple([z.string(), slots])).optional(),
  minute,
  admittedInMinute: whole,
  site: roomId.optional(),
});

const ms = z.number().min(0);
/** Where the places of a line come from. */
export const draws: z.ZodType<Draws> = z.object({
  seed: z.string().max(SEED_MAX),
  isRandom: z.boolean(),
  shuffleMs: unixMs,
  /** Left out where no draw was held. */
  isDrawn: z.boolean().optional(),
});
const line: z.ZodType<LineSummary> = z.object({
  horizon: ms,
  lastKey: ms,
  ranges: z.array(z.tuple([ms, ms, whole])),
  /** Left out for a line in the order of arrival. */
  draws: draws.optional(),
});

export const ADMISSION = new Entry<AdmissionRecord>({
  key: "admission",
  names: ["room"],
  shape: admissionRecord,
  writer: "node/admission/mesh/session-home.ts",
  holds: "how many slots sessions hold to which minute, and how many visitors were admitted in the last one",
  without: "slots of sessions that are inside would be given away again",
});

export const REVOKED = new Entry({
  key: "revoked",
  names: ["room", "session"],
  shape: minute,
  writer: "node/admission/mesh/session-home.ts",
  holds: "the last good minute of a session that its origin has ended",
  without: "a copy of its cookie would be served beside the visitor who has its slot now",
});

export const LINE = new Entry<LineSummary>({
  key: "line",
  names: ["room"],
  shape: line,
  writer: "node/admission/mesh/line-keeper.ts",
  holds: "a summary of the line: how many visitors joined when, and up to whom they were called",
  without:
    "the waiting visitors keep their places by their cookies, and positions are wrong until they have asked again",
});

export const RAMP = new Entry({
  key: "ramp",
  names: ["room"],
  shape: ms,
  writer: "node/admission/mesh/pace-keeper.ts",
  holds: "when the ramp of the room began",
  without: "the ramp begins again",
});

const contact: z.ZodType<StoredContact> = z.object({
  key: whole,
  lane: whole,
  line: z.string(),
  sealed: z.string(),
  leftMs: unixMs,
  keeper: nodeId,
});

export const CONTACT = new Entry<StoredContact>({
  key: "contact",
  names: ["room", "visitor"],
  shape: contact,
  writer: "node/admission/mesh/contacts.ts",
  holds: "the sealed address of a visitor who is to be told of the turn",
  without: "the visitor is not told",
});

export const ROOM_ENTRIES = [ADMISSION, REVOKED, LINE, RAMP, CONTACT] as const;
