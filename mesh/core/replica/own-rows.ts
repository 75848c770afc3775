/**
 * The row that this node publishes: which of its parts have changed since they were published, the signing of those,
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

import { type AccountId, accountOf, type Minute, type NodeId, type RoomId } from "../ids.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { AT_ONCE } from "../ledger/row.ts";
import { type Signatures, sameBytes } from "../wire/signed.ts";
import type { KnownRows } from "./known-rows.ts";
import type { HeldPart } from "./part-log.ts";
import { type KnownVersions, knownLog, knownVersionsOf } from "./replica-messages.ts";
import type { StoredPart } from "./replica-store.ts";
import {
  during,
  type Entries,
  isIn,
  type LogName,
  type Minutes,
  PART_BYTES_MAX,
  type Part,
  partBytes,
  partSignable,
  readPart,
  SECTIONS,
  type Section,
} from "./signed-part.ts";

interface OwnRowsOptions {
  readonly self: NodeId;
  readonly mesh: string;
  readonly incarnation: number;
  readonly signatures: Signatures;
  readonly ledger: Ledger;
  readonly rows: KnownRows;
  /** Puts a part on disk before it is published. */
  readonly store: (part: StoredPart & Part) => void;
  readonly outdated: (reason: string) => void;
  /** The disk has lost what was counted in a room, including admissions. */
  readonly forgot: (room: RoomId) => void;
}

export class OwnRows {
  readonly #options: OwnRowsOptions;
  readonly #account: AccountId;
  /** Rooms whose parts have changed since they were published. */
  readonly #changed: Record<Section, Set<RoomId>> = { gifts: new Set(), counts: new Set() };
  /** Versions that the disk had at the start. */
  readonly #onDisk: Record<Section, number> = { gifts: 0, counts: 0 };
  #window: Minutes | undefined;

  constructor(options: OwnRowsOptions) {
    this.#options = options;
    this.#account = accountOf(options.self);
  }

  /** Takes in a part as it was published before the restart. */
  restore({ section, signed }: StoredPart): void {
    const account = this.#account;
    const read = readPart(section, signed.bytes);
    if (read === undefined)
      throw new TypeError(
        `Cannot read ${section} of ${account} from the store as they are damaged: current value is ${signed.bytes.length} bytes`,
      );
    const { ledger, rows } = this.#options;
    ledger.merge({ account, ...read.entries });
    const log = rows.of(account)[section];
    log.hold({ ...read.part, signed, isVerified: true });
    log.settle();
    this.#onDisk[section] = log.newest;
  }

  /** Marks what is on disk and was not published before the restart: gifts given after the last publishing. */
  markUntold(): void {
    const { ledger, rows } = this.#options;
    for (const room of ledger.roomsOf(this.#account)) {
      const gifts = ledger.giftsOf(this.#account, room);
      const told = rows.of(this.#account).gifts.get(room);
      const isTold =
        told === undefined
          ? gifts.length === 0
          : sameBytes(told.signed.bytes, partBytes(told, { gifts, counts: [], firstMinute: AT_ONCE }, "gifts"));
      if (!isTold) this.mark("gifts", room);
    }
  }

  mark(section: Section, room: RoomId): void {
    this.#changed[section].add(room);
  }

  /**
   * Signs the next changed part, with the counts of `minutes`; undefined if nothing has changed. It is on disk before
   * it is published.
   */
  next(minutes: Minutes): { readonly name: LogName; readonly part: HeldPart } | "partTooLarge" | undefined {
    this.#moveWindow(minutes);
    for (const section of SECTIONS)
      for (const room of this.#changed[section]) {
        this.#changed[section].delete(room);
        return this.#publish(section, room, minutes);
      }
    return undefined;
  }

  /**
   * What to request from a peer whose digest shows parts of an own row that this run may not have written; undefined if
   * there are none. A digest proves nothing; the signed parts that it answers with do.
   */
  lacking(theirs: KnownVersions): KnownVersions | undefined {
    const asked = (section: Section) => {
      const { complete, beyond } = knownLog(section, theirs);
      const newest = this.#options.rows.get(this.#account)?.[section].newest ?? 0;
      const onDisk = this.#onDisk[section];
      const isOfEarlierRun = complete <= this.#runFloor(section) && (complete > onDisk || beyond > 0);
      const isStrange = complete > newest || isOfEarlierRun || (complete === newest && beyond > 0);
      return { isStrange, complete: isStrange ? onDisk : newest, beyond: 0 };
    };
    const [gifts, counts] = [asked("gifts"), asked("counts")];
    return gifts.isStrange || counts.isStrange ? knownVersionsOf(this.#account, { gifts, counts }) : undefined;
  }

  /**
   * Takes in a copy of a part of an own row whose signature was checked. Raises the alarm if this node has not written
   * it. Counts that an earlier run published and the disk has lost are merged, and published again.
   */
  heard(section: Section, { part, entries, bytes }: { part: Part; entries: Entries; bytes: Uint8Array }): void {
    const { ledger, rows, outdated, forgot } = this.#options;
    const account = this.#account;
    const isOnDisk = part.version <= this.#onDisk[section];
    if (isOnDisk && section === "gifts") return;
    const raised = ledger.merge({ account, ...entries });
    if (isOnDisk) {
      // A part by a clock that was wrong left minutes out, and a start forgot them: others keep the part that has them.
      if (raised) this.mark(section, part.room);
      return;
    }
    if (part.version <= this.#runFloor(section)) {
      if (section === "gifts")
        outdated(`gifts of ${account} are known up to ${part.version}, and the disk has ${this.#onDisk[section]}`);
      else {
        this.mark(section, part.room);
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

  /**
   * Marks the rooms that were published by a clock that was wrong, or are now: there are counts of minutes to come, or
   * of minutes that the window has again.
   */
  #moveWindow(minutes: Minutes): void {
    const before = this.#window;
    if (before !== undefined && before.first === minutes.first && before.last === minutes.last) return;
    this.#window = minutes;
    const { ledger } = this.#options;
    const account = this.#account;
    const isNews = (minute: Minute) =>
      minute > minutes.last || (before !== undefined && isIn(minutes, minute) && !isIn(before, minute));
    for (const room of ledger.roomsOf(account))
      if (ledger.countsOf(account, room).some(({ totals }) => totals.some(([minute]) => isNews(minute))))
        this.mark("counts", room);
  }

  #publish(section: Section, room: RoomId, minutes: Minutes): { name: LogName; part: HeldPart } | "partTooLarge" {
    const account = this.#account;
    const name = { account, section };
    const { ledger, rows, mesh, signatures, store } = this.#options;
    const log = rows.of(account)[section];
    const version = 1 + Math.max(log.newest, this.#runFloor(section));
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
    log.hold(held);
    log.settle();
    return { name, part: held };
  }

  /** Versions of this run are higher. */
  #runFloor(section: Section): number {
    return Math.max(this.#options.incarnation, this.#onDisk[section]);
  }
}
