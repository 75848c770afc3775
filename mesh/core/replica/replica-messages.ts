/**
 * What replicas say to each other. `rows` carries signed parts and registers, by gossip and in answers. The others find
 * differences, in the manner of Scuttlebutt (van Renesse et al., "Efficient Reconciliation and Flow Control for
 * Anti-Entropy Protocols", 2008): `digest` says what one knows, `want` what one lacks of the other's digest, `stamps`
 * lists the registers when their digests differ.
 *
 * After a start, one exchange is: a digest that wants one back, that digest, a want, rows. Later, a digest is answered
 * with the rows that it lacks. Equal digests are answered by nothing.
 */

import { z } from "zod";
import type { AccountId } from "../ids.ts";
import { ACCOUNTS_MAX, accountId, listOf, nodeId, ROOMS_MAX, unixMs, whole } from "../wire/shapes.ts";
import { type Signed, type SignedPair, signedShape } from "../wire/signed.ts";
import { REGISTERS_MAX } from "./register-keys.ts";
import { REGISTER_BYTES_MAX, type RegisterStamp, registerKey } from "./registers.ts";
import { type LogName, PART_BYTES_MAX, SECTIONS, type Section, version } from "./signed-part.ts";

/**
 * A replica's knowledge of one account: the version up to which it has missed nothing and, if it holds later parts
 * while others are missing, the sum of the versions of all parts held (otherwise 0).
 */
export type KnownVersions = readonly [
  account: AccountId,
  gifts: number,
  counts: number,
  giftsBeyond: number,
  countsBeyond: number,
];

const knownVersions: z.ZodType<KnownVersions> = z.tuple([accountId, version, version, whole, whole]);

/** One section's entry in a digest line. */
export interface KnownLog {
  readonly complete: number;
  readonly beyond: number;
}

export function knownLog(section: Section, [, gifts, counts, giftsBeyond, countsBeyond]: KnownVersions): KnownLog {
  return section === "gifts" ? { complete: gifts, beyond: giftsBeyond } : { complete: counts, beyond: countsBeyond };
}

export function knownVersionsOf(
  account: AccountId,
  { gifts, counts }: Readonly<Record<Section, KnownLog>>,
): KnownVersions {
  return [account, gifts.complete, counts.complete, gifts.beyond, counts.beyond];
}

/**
 * Parts of one log, lowest version first. `to` is the version of the last one: a receiver that knows as much can skip
 * them.
 */
const partsOfLog = z.object({
  account: accountId,
  section: z.enum(SECTIONS),
  to: version,
  parts: listOf(signedShape(PART_BYTES_MAX), ROOMS_MAX),
});

const rows = z.object({
  kind: z.literal("rows"),
  logs: listOf(partsOfLog, ACCOUNTS_MAX),
  registers: listOf(signedShape(REGISTER_BYTES_MAX), REGISTERS_MAX),
});

const digest = z.object({
  kind: z.literal("digest"),
  /** The sender wants the receiver's own digest. */
  wantsBack: z.boolean(),
  /**
   * The sender has heard since its start what others know about all rows: what it does not list is no longer news to
   * it.
   */
  isInStep: z.boolean(),
  known: listOf(knownVersions, ACCOUNTS_MAX),
  registers: whole,
});

const want = z.object({
  kind: z.literal("want"),
  known: listOf(knownVersions, ACCOUNTS_MAX),
  registers: listOf(registerKey, REGISTERS_MAX),
});

const registerStamp: z.ZodType<RegisterStamp> = z.tuple([registerKey, unixMs, whole, nodeId]);

const stamps = z.object({ kind: z.literal("stamps"), stamps: listOf(registerStamp, REGISTERS_MAX) });

/** The shapes of these messages, for the codec. */
export const replicaShapes = { rows, digest, want, stamps };

export type PartsOfLog = z.output<typeof partsOfLog>;
export type RowsMessage = z.output<typeof rows>;
export type DigestMessage = z.output<typeof digest>;
export type WantMessage = z.output<typeof want>;
export type StampsMessage = z.output<typeof stamps>;
export type ReplicaMessage = RowsMessage | DigestMessage | WantMessage | StampsMessage;

/**
 * Bytes of parts and registers after which a message is closed and another begun. With one part more at most, it stays
 * well below a frame; a small one takes little time at once from its receiver (some 200 signatures, 10 ms).
 */
const MESSAGE_BYTES = 128 * 1024;

/** Collects parts and registers into as many `rows` messages as they need. */
export class RowsMessages {
  readonly #messages: RowsMessage[] = [];
  #logs: (Omit<PartsOfLog, "parts"> & { parts: SignedPair[]; to: number })[] = [];
  #registers: SignedPair[] = [];
  #bytes = 0;

  /** Bytes of all parts and registers so far, about. */
  bytesInAll = 0;

  /** Whether the first message is complete. */
  get isFull(): boolean {
    return this.#messages.length > 0;
  }

  /** Adds a part; parts of one log in sequence, lowest version first. */
  addPart(log: LogName, { version, signed }: { readonly version: number; readonly signed: Signed }): void {
    let last = this.#logs.at(-1);
    if (last?.account !== log.account || last.section !== log.section) {
      last = { account: log.account, section: log.section, to: 0, parts: [] };
      this.#logs.push(last);
    }
    last.parts.push([signed.bytes, signed.signature]);
    last.to = version;
    this.#count(signed);
  }

  addRegister(signed: Signed): void {
    this.#registers.push([signed.bytes, signed.signature]);
    this.#count(signed);
  }

  /** All messages; the collector is empty afterwards. */
  take(): RowsMessage[] {
    this.#close();
    return this.#messages.splice(0);
  }

  #count({ bytes, signature }: Signed): void {
    const length = bytes.length + signature.length;
    this.bytesInAll += length;
    this.#bytes += length;
    if (this.#bytes >= MESSAGE_BYTES) this.#close();
  }

  #close(): void {
    if (this.#logs.length === 0 && this.#registers.length === 0) return;
    this.#messages.push({ kind: "rows", logs: this.#logs, registers: this.#registers });
    this.#logs = [];
    this.#registers = [];
    this.#bytes = 0;
  }
}
