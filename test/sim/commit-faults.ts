/**
 * What goes wrong around a commit of a simulated process: it crashes before it, between it and its messages, or after
 * them; or something of ours throws where it is made, where it is sent, or where a visitor waits for it.
 */

import type { Batch } from "../../mesh/core/wire/outbox.ts";
import { ADMISSION } from "../../node/admission/mesh/stored-room.ts";
import type { Peer } from "../../node/peer/peer.ts";
import type { Ready } from "../../node/peer/peer-options.ts";
import type { Link } from "../../node/process/shell-parts.ts";
import type { GroupCommit, Source } from "../../node/storage/group-commit.ts";

export type CrashPoint = "before-commit" | "before-send" | "after-send";

/** Where something of ours throws. */
export type ThrowingPlace = "take" | "send" | "answer";

/** What a plan of faults has throw. */
class DrawnFault extends Error {}

/** Entries that are written because of what is told next: admissions, gifts, votes. Most steps only tick. */
const TELLING_KEYS = [`${ADMISSION.key}/`, "ledger/cell/", "members/"];
/** The process ended while it committed. */
const CRASHED = new Error("the process has ended");

export class CommitFaults {
  /** Set to crash at this point of the next step that has something to tell. */
  crashAt: CrashPoint | undefined;
  /** Set to throw there in the next commit that has something to tell. */
  throwsAt: ThrowingPlace | undefined;
  /** How often what was due was committed, and the disk took it. */
  commits = 0;
  /** What is being committed. */
  #ready: Ready | undefined;
  #tells = false;
  /** Whether what was taken last is neither on the disk nor given back. */
  #isRefused = false;
  readonly #crash: () => void;
  readonly #broken: (text: string) => never;

  constructor({ crash, broken }: { readonly crash: () => void; readonly broken: (text: string) => never }) {
    this.#crash = crash;
    this.#broken = broken;
  }

  /** The process's part in the mesh, as its commits see it. */
  sourceOf(peer: Peer): Source<Ready> {
    return {
      get isIdle() {
        return peer.isIdle;
      },
      take: () => {
        if (this.#isRefused) this.#broken("what the disk refused was not kept for the next commit");
        const ready = peer.take();
        this.#ready = ready;
        this.commits += 1;
        const isStruck = this.crashAt !== undefined || this.throwsAt !== undefined;
        this.#tells = isStruck && tells(ready.batch);
        if (this.#tells) this.#throwAt("take", () => peer.retry(ready));
        this.#crashAt("before-commit");
        this.#isRefused = ready.batch.writes.size > 0;
        return ready;
      },
      retry: (ready) => {
        this.#isRefused = false;
        this.commits -= 1;
        peer.retry(ready);
      },
    };
  }

  /** A commit is on the disk; its messages leave next. */
  committed(batch: Pick<Batch, "writes">): void {
    if (batch !== this.#ready?.batch) return;
    this.#isRefused = false;
    this.#crashAt("before-send");
  }

  /** A link that throws when it is to. */
  linkOf(link: Link): Link {
    return {
      ...link,
      send: (to, purpose, frame) => {
        if (this.#tells) this.#throwAt("send");
        return link.send(to, purpose, frame);
      },
    };
  }

  /** A visitor comes who may wait for the next commit: what throws there stands before. */
  visited(commit: GroupCommit<Ready>): void {
    if (this.throwsAt !== "answer") return;
    this.throwsAt = undefined;
    commit.afterCommit(() => {
      throw new DrawnFault();
    });
  }

  /** The messages have left, and all who waited were told. */
  flushed(): void {
    if (this.crashAt === "after-send" && this.#tells) this.#crash();
    this.#tells = false;
  }

  /** Whether an error was drawn, and is none of ours. */
  isDrawn(error: unknown): boolean {
    return error === CRASHED || error instanceof DrawnFault;
  }

  #crashAt(point: CrashPoint): void {
    if (this.crashAt !== point || !this.#tells) return;
    this.#crash();
    throw CRASHED;
  }

  #throwAt(place: ThrowingPlace, undo = (): void => {}): void {
    if (this.throwsAt !== place) return;
    this.throwsAt = undefined;
    undo();
    throw new DrawnFault();
  }
}

function tells({ writes }: Batch): boolean {
  return [...writes.keys()].some((key) => TELLING_KEYS.some((prefix) => key.startsWith(prefix)));
}
