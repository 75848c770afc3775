/**
 * The host under a simulated node, which outlives its processes: its disk, a backup of that, and how often it was
 * started.
 *
 * A restored backup is an old disk. What shows that is another boot of the host, or what the node has told others
 * since.
 */

import type { NodeId } from "../../mesh/core/ids.ts";
import type { Batch } from "../../mesh/core/wire/outbox.ts";
import { ADMISSION } from "../../node/admission/mesh/stored-room.ts";
import { type DiskCopy, SimDisk, type SimDiskParts } from "./sim-disk.ts";

/**
 * Entries that only this node knows of until they are published: the sessions here, and gifts, which one other node
 * knows of.
 */
const NEWS_KEYS = [`${ADMISSION.key}/`, "ledger/cell/"];
/** Entries that are written as rows are published. */
const PUBLISHED_KEYS = "ledger/part/";

export class SimHost {
  readonly disk: SimDisk;
  /** How often the host has started. */
  #boots = 1;
  #backup: { readonly identity: NodeId; readonly disk: DiskCopy } | undefined;
  /** Whether the node has published anything of its own since the last backup. */
  #hasToldSince = false;

  constructor(parts: SimDiskParts) {
    this.disk = new SimDisk(parts);
  }

  get bootId(): string {
    return `boot ${this.#boots}`;
  }

  /** The messages of a commit leave. */
  tells({ writes }: Pick<Batch, "writes">): void {
    this.#hasToldSince ||= [...writes.keys()].some((key) => key.startsWith(PUBLISHED_KEYS));
  }

  /** A backup of the disk of `identity`. */
  backUp(identity: NodeId): void {
    this.#backup = { identity, disk: this.disk.copy() };
    this.#hasToldSince = false;
  }

  /**
   * Restores the last backup, if it is of `identity`, once `stop` has ended the process: on a restarted host, unless
   * told otherwise, or if no node can have heard of what is lost. Then nothing else could show that the disk is an old
   * one.
   */
  rollBack(identity: NodeId, { isSameBoot, stop }: { isSameBoot: boolean; stop: () => void }): boolean {
    if (this.#backup === undefined || this.#backup.identity !== identity) return false;
    stop();
    if (!isSameBoot || !this.#hasToldSince || this.#hasNews()) this.#boots += 1;
    this.disk.replace(this.#backup.disk);
    return true;
  }

  /**
   * Loses power, once no process runs: what was committed in the last `lostMs`, and not forced to disk since, is lost.
   */
  losePower(lostMs: number): void {
    this.#boots += 1;
    this.disk.losePower(lostMs);
  }

  /**
   * Whether a visitor was admitted or extended here in the last moment, or slots were given away, without any other
   * node knowing.
   */
  #hasNews(): boolean {
    return NEWS_KEYS.some((prefix) => this.disk.hasNews(prefix));
  }
}
