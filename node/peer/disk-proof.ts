/**
 * Whether the disk of a start holds everything that the run before has sent: a removed node must know this before it
 * reports what it held.
 *
 * While a node is a member it is compared with others, and an old disk is found out. A node that is removed before that
 * has no peer to compare with. So the disk records where it was written. After a start it is sound if neither a kernel
 * crash nor a copy can lie between: the boot, the device and the file are the same; or the file is the same, and the
 * run before ended in order or had forced all its commits to disk. A doubt stays until the node has held a lease. An
 * old copy of a disk that ended in order is found out by nodes that know of a later start
 * (mesh/core/members/known-runs.ts). Not found out: a file, or the snapshot of a virtual machine, that was taken after
 * its node was cut off and is put back in place.
 */

import type { z } from "zod";
import type { Puts } from "../../mesh/core/wire/outbox.ts";
import { DISK_PROOF } from "./stored-peer.ts";

type Stored = z.output<(typeof DISK_PROOF)["shape"]>;

export interface DiskProofParts {
  readonly restored: ReadonlyMap<string, unknown>;
  readonly outbox: Puts;
  /** Whether the disk is that of a node that has been a member. */
  readonly isUsed: boolean;
  readonly bootId?: string;
  readonly diskPlace?: string;
  readonly isForced?: boolean;
}

export class DiskProof {
  readonly #outbox: Puts;
  #stored: Stored;

  constructor({ restored, outbox, isUsed, bootId, diskPlace, isForced = false }: DiskProofParts) {
    this.#outbox = outbox;
    const before = DISK_PROOF.read(restored);
    const isDoubted = isUsed && !isSound(before, bootId, diskPlace);
    this.#stored = {
      ...(bootId !== undefined && { boot: bootId }),
      ...(diskPlace !== undefined && { place: diskPlace }),
      isForced,
      hasEnded: false,
      isDoubted,
    };
    outbox.putVote(DISK_PROOF.at(), this.#stored);
  }

  /** Whether everything that was ever sent is there. */
  get isSound(): boolean {
    return !this.#stored.isDoubted;
  }

  /** The node holds a lease from others, who have compared what they know about it. */
  confirm(): void {
    if (this.#stored.isDoubted) this.#put({ ...this.#stored, isDoubted: false });
  }

  /** The process ends in order: this commit and all before it are forced to disk. */
  end(): void {
    this.#put({ ...this.#stored, hasEnded: true });
  }

  #put(stored: Stored): void {
    this.#stored = stored;
    this.#outbox.putVote(DISK_PROOF.at(), stored);
  }
}

function isSound(before: Stored | undefined, boot: string | undefined, place: string | undefined): boolean {
  if (before === undefined || before.isDoubted) return false;
  if (before.hasEnded) return true;
  const isSamePlace = place !== undefined && before.place === place;
  return isSamePlace && (before.isForced || (boot !== undefined && before.boot === boot));
}
