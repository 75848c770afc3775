/**
 * The rows that this node writes: which of their parts have changed since they were published, the signing of those,
 * and the alarm when another node holds a part that this node has not written.
 *
 * What was published was on disk before. So after a restart no node can hold more of an own row than the disk does,
 * except in two cases. The disk may have been rolled back, or copied while the copy runs: continuing would spend units
 * twice, so this is an alarm. Or the machine lost power and with it the last commits. Lost counts are merged and
 * published again, and the rooms must treat all their slots as used (`forgot`), since more may be lost than any node
 * knows. Lost gifts are an alarm as well.
 *
 * To tell the cases apart, each run uses versions above its start in Unix ms (`incarnation`). A signed version between
 * what the disk had and the incarnation is from an earlier run; one above it is from this run, byte for byte, or from a
 * second process.
 */

import type { AccountId, NodeId, RoomId } from "../ids.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { AT_ONCE, type CountData } from "../ledger/row.ts";
import { minutePlus } from "../minute.ts";
import { type Signatures, sameBytes } from "../wire/signed.ts";
import type { KnownRows } from "./known-rows.ts";
import { LeftOut, type LeftOutCounts } from "./left-out.ts";
import type { HeldPart } from "./part-log.ts";
import { type KnownVersions, knownLog, knownVersionsOf } from "./replica-messages.ts";
import type { StoredPart } from "./replica-store.ts";
import {
  during,
  type Entries,
  type LogName,
  type Minutes,
  outside,
  PART_BYTES_MAX,
  type Part,
  partBytes,
  partSignable,
  readPart,
  SECTIONS,
  type Section,
} from "./signed-part.ts";

/**
 * How far ahead of the window minutes are that the disk keeps although a part leaves them out: it cannot be known which
 * clock was wrong. Kept without need they cost the counts of as long a time, forgotten those of 35 minutes.
 */
const LEFT_OUT_MINUTES_AHEAD_MAX = 120;

interface OwnRowsOptions {
  readonly self: NodeId;
  readonly mesh: string;
  readonly incarnation: number;
  readonly signatures: Signatures;
  readonly ledger: Ledger;
  readonly rows: KnownRows;
  /** Puts a part on disk before it is published. */
  readonly store: (part: StoredPart & Part) => void;
  /** Puts on disk what that part leaves out. */
  readonly storeLeftOut: (leftOut: LeftOutCounts) => void;
  readonly outdated: (reason: string) => void;
  /** The disk has lost what was counted in a room, including admissions. */
  readonly forgot: (room: RoomId) => void;
}

export class OwnRows {
  readonly #options: OwnRowsOptions;
  readonly #accounts = new Set<AccountId>();
  /** Rooms whose parts have changed since they were published. */
  readonly #changed: Record<Section, Map<AccountId, Set<RoomId>>> = { gifts: new Map(), counts: new Map() };
  /** Versions that the disk had at the start. */
  readonly #onDisk: Record<Section, Map<AccountId, number>> = { gifts: new Map(), counts: new Map() };
  readonly #leftOut: LeftOut;

  constructor(options: OwnRowsOptions) {
    this.#options = options;
    this.#leftOut = new LeftOut(options.storeLeftOut);
  }

  /** Accounts that this node writes. */
  get accounts(): ReadonlySet<AccountId> {
    return this.#accounts;
  }

  /** Makes this node the writer of an account. */
  add(account: AccountId): void {
    this.#accounts.add(account);
    this.#options.rows.by(this.#options.self, account);
  }

  /** Nobody writes an account any more. Returns the rooms of which the disk may have something of it. */
  drop(account: AccountId): RoomId[] {
    const logs = this.#options.rows.get(account);
    this.#accounts.delete(account);
    const rooms = SECTIONS.flatMap((section) => {
      this.#changed[section].delete(account);
      this.#onDisk[section].delete(account);
      return (logs?.[section].after(0) ?? []).map(({ room }) => room);
    });
    return [...new Set([...rooms, ...this.#leftOut.drop(account)])];
  }

  /** Takes in a part as it was published before the restart. */
  restore({ account, section, signed }: StoredPart): void {
    const read = readPart(section, signed.bytes);
    if (read === undefined)
      throw new TypeError(
        `Cannot read ${section} of ${account} from the store as they are damaged: current value is ${signed.bytes.length} bytes`,
      );
    const { ledger, rows, self } = this.#options;
    ledger.merge({ account, ...read.entries });
    const log = rows.by(self, account)[section];
    log.hold({ ...read.part, signed, isVerified: true });
    log.settle();
    this.#onDisk[section].set(account, log.newest);
  }

  /** Takes in counts that a part left out before the restart. */
  restoreLeftOut(leftOut: LeftOutCounts): void {
    this.#options.ledger.merge({ account: leftOut.account, gifts: [], counts: leftOut.counts });
    this.#leftOut.restore(leftOut);
  }

  /** Marks what is on disk and was not published before the restart: gifts given after the last publishing. */
  markUntold(): void {
    const { ledger, rows, self } = this.#options;
    for (const account of this.#accounts)
      for (const room of ledger.roomsOf(account)) {
        const gifts = ledger.giftsOf(account, room);
        const told = rows.by(self, account).gifts.get(room);
        const isTold =
          told === undefined
            ? gifts.length === 0
            : sameBytes(told.signed.bytes, partBytes(told, { gifts, counts: [], firstMinute: AT_ONCE }, "gifts"));
        if (!isTold) this.mark("gifts", account, room);
      }
  }

  mark(section: Section, account: AccountId, room: RoomId): void {
    this.#changed[section].getOrInsertComputed(account, () => new Set<RoomId>()).add(room);
  }

  /** Marks all parts of an account: those of an account that was taken over must be published again. */
  markAll(account: AccountId): void {
    const { ledger } = this.#options;
    for (const room of ledger.roomsOf(account)) {
      if (ledger.giftsOf(account, room).length > 0) this.mark("gifts", account, room);
      if (ledger.countsOf(account, room).length > 0) this.mark("counts", account, room);
    }
  }

  /**
   * Signs the next changed part, with the counts of `minutes`; undefined if nothing has changed. It is on disk before
   * it is published.
   */
  next(minutes: Minutes): { readonly name: LogName; readonly part: HeldPart } | "partTooLarge" | undefined {
    for (const { account, room } of this.#leftOut.due(minutes)) this.mark("counts", account, room);
    for (const section of SECTIONS)
      for (const [account, rooms] of this.#changed[section]) {
        for (const room of rooms) {
          rooms.delete(room);
          return this.#publish({ account, writer: this.#options.self, section }, room, minutes);
        }
        this.#changed[section].delete(account);
      }
    return undefined;
  }

  /**
   * What to request from a peer whose digest shows parts of an own row that this run may not have written; undefined if
   * there are none. A digest proves nothing; the signed parts that it answers with do.
   */
  lacking(theirs: KnownVersions): KnownVersions | undefined {
    const account = theirs[0];
    const asked = (section: Section) => {
      const { complete, beyond } = knownLog(section, theirs);
      const newest = this.#newest(section, account);
      const onDisk = this.#diskVersion(section, account);
      const isOfEarlierRun = complete <= this.#runFloor(section, account) && (complete > onDisk || beyond > 0);
      const isStrange = complete > newest || isOfEarlierRun || (complete === newest && beyond > 0);
      return { isStrange, complete: isStrange ? onDisk : newest, beyond: 0 };
    };
    const [gifts, counts] = [asked("gifts"), asked("counts")];
    return gifts.isStrange || counts.isStrange
      ? knownVersionsOf(account, this.#options.self, { gifts, counts })
      : undefined;
  }

  /**
   * Takes in a copy of a part of an own row whose signature was checked. Raises the alarm if this node has not written
   * it. Counts that an earlier run published and the disk has lost are merged, and published again.
   */
  heard(
    section: Section,
    account: AccountId,
    { part, entries, bytes }: { part: Part; entries: Entries; bytes: Uint8Array },
  ): void {
    const { ledger, rows, outdated, forgot } = this.#options;
    const isOnDisk = part.version <= this.#diskVersion(section, account);
    if (isOnDisk && section === "gifts") return;
    const raised = ledger.merge({ account, ...entries });
    if (isOnDisk) {
      // A clock that was far behind at a start has made this node forget minutes: others keep the part that has them.
      if (raised) this.mark(section, account, part.room);
      return;
    }
    if (part.version <= this.#runFloor(section, account)) {
      if (section === "gifts")
        outdated(
          `gifts of ${account} are known up to ${part.version}, and the disk has ${this.#diskVersion(section, account)}`,
        );
      else {
        this.mark(section, account, part.room);
        if (raised) forgot(part.room);
      }
      return;
    }
    const held = rows.get(account)?.[section].get(part.room);
    const isOlder = held !== undefined && held.version > part.version && !raised;
    const isSame = held !== undefined && held.version === part.version && sameBytes(held.signed.bytes, bytes);
    if (!isOlder && !isSame)
      outdated(`${section} of ${account} are known at version ${part.version}, which this process has not written`);
  }

  #publish(name: LogName, room: RoomId, minutes: Minutes): { name: LogName; part: HeldPart } | "partTooLarge" {
    const { account, section } = name;
    const { ledger, rows, self, mesh, signatures, store } = this.#options;
    const log = rows.by(self, account)[section];
    const version = 1 + Math.max(log.newest, this.#runFloor(section, account));
    const part = { room, version, sum: log.sum - (log.get(room)?.version ?? 0) + version };
    const counts = section === "counts" ? ledger.countsOf(account, room) : [];
    const entries = {
      gifts: section === "gifts" ? ledger.giftsOf(account, room) : [],
      counts: during(counts, minutes),
      firstMinute: minutes.first,
    };
    const bytes = partBytes(part, entries, section);
    if (bytes.length > PART_BYTES_MAX || !log.hasPlaceFor(room)) return "partTooLarge";
    const held = {
      ...part,
      signed: { bytes, signature: signatures.sign(partSignable(mesh, name, bytes)) },
      isVerified: true,
    };
    store({ account, section, ...held });
    if (section === "counts") this.#leftOut.note({ account, room, counts: leftOutOf(counts, minutes) });
    log.hold(held);
    log.settle();
    return { name, part: held };
  }

  #newest(section: Section, account: AccountId): number {
    const logs = this.#options.rows.get(account);
    return logs?.writer === this.#options.self ? logs[section].newest : 0;
  }

  #diskVersion(section: Section, account: AccountId): number {
    return this.#onDisk[section].get(account) ?? 0;
  }

  /** Versions of this run are higher. */
  #runFloor(section: Section, account: AccountId): number {
    return Math.max(this.#options.incarnation, this.#diskVersion(section, account));
  }
}

/**
 * Counts of later minutes are those of a clock that was ahead: kept, they would keep the present ones out of the
 * ledger.
 */
function leftOutOf(counts: readonly CountData[], { first, last }: Minutes): CountData[] {
  const kept = during(counts, { first: AT_ONCE, last: minutePlus(last, LEFT_OUT_MINUTES_AHEAD_MAX) });
  return outside(kept, { first, last });
}
