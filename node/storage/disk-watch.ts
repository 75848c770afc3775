/**
 * Whether the disk accepts what must be on it before any answer, and whether the data directory still exists.
 *
 * While it refuses, no new visitor is admitted, no room is changed, and the node is not ready. A directory that was
 * removed under a running node still accepts everything, and loses it when the process ends.
 */

import type { Log } from "../log.ts";

/** How long the status shows a refusal: longer than the time between two looks, shorter than it takes to forget it. */
const SHOWN_MS = 60_000;

/**
 * Between two checks of the data directory: a removed one is noticed within seconds, and a check is one system call.
 */
const LOOK_MS = 1_000;

/** Between two refusals that are logged: every request would meet one. */
const APART_MS = 1_000;

/** Something could not be stored, and nothing was changed. `hint`: the repair. */
export class NotStored extends Error {
  readonly hint: string;
  constructor(why: string, hint: string, cause?: unknown) {
    super(`Cannot change anything as ${why}`, { cause });
    this.name = "NotStored";
    this.hint = hint;
  }
}

/**
 * Does the work of each tick; what the disk refuses is tried again with the next one. Returns whether it was accepted.
 */
export function unlessRefused(act: () => void): boolean {
  try {
    act();
    return true;
  } catch (error) {
    // The rest of the tick continues. The refusal is already logged and in the status.
    if (!(error instanceof NotStored)) throw error;
    return false;
  }
}

export interface DiskWatchOptions {
  readonly log: Log;
  readonly clock: () => number;
  /** The data directory, for people. */
  readonly place: string;
  /** Whether its file is still the one that was opened. */
  readonly isThere: () => boolean;
}

export class DiskWatch {
  readonly #options: DiskWatchOptions;
  /** Writes that were refused since the start. */
  errors = 0;
  #failedMs = Number.NEGATIVE_INFINITY;
  /** When a refusal was logged last. */
  #loggedMs = Number.NEGATIVE_INFINITY;
  #isRefusing = false;
  #lookedMs = Number.NEGATIVE_INFINITY;
  #isGone = false;

  constructor(options: DiskWatchOptions) {
    this.#options = options;
  }

  /** Puts something on disk. Throws `NotStored` if the disk refuses, or would forget it when the process ends. */
  store(act: () => void): void {
    this.#lookForPlace();
    if (this.#isGone) throw new NotStored(`${this.#options.place} was removed or replaced under this node`, GONE_HINT);
    try {
      act();
    } catch (error) {
      this.failed(error);
      throw new NotStored(`the disk refuses the write: ${String(error)}`, REFUSED_HINT, error);
    }
    this.succeeded();
  }

  /** Records that the disk refused something. */
  failed(error: unknown): void {
    const { log, clock } = this.#options;
    const nowMs = clock();
    this.errors += 1;
    this.#failedMs = nowMs;
    this.#isRefusing = true;
    if (Math.abs(nowMs - this.#loggedMs) < APART_MS) return;
    this.#loggedMs = nowMs;
    log.error(
      { error: String(error) },
      "not stored: new visitors are asked to come back later, and no room is changed",
    );
  }

  /** Records that the disk accepted something. */
  succeeded(): void {
    if (this.#isRefusing) this.#options.log.info({}, "the disk accepts writes again");
    this.#isRefusing = false;
  }

  /** Checks the data directory now and then. */
  tick(): void {
    const nowMs = this.#options.clock();
    if (Math.abs(nowMs - this.#lookedMs) < LOOK_MS) return;
    this.#lookedMs = nowMs;
    this.#lookForPlace();
  }

  #lookForPlace(): void {
    const { log, place, isThere } = this.#options;
    const isGone = !isThere();
    if (isGone && !this.#isGone) log.error({ data: place }, GONE);
    this.#isGone = isGone;
  }

  /** Why nothing can be stored durably; undefined while it can. */
  get trouble(): string | undefined {
    if (this.#isGone) return "the data directory is gone";
    return this.#isRefusing ? "the disk refuses writes" : undefined;
  }

  /** Warnings for operators: a refusal for a minute, a missing directory for as long as it is missing. */
  look(nowMs: number): string[] {
    const refused = nowMs - this.#failedMs <= SHOWN_MS;
    return [...(this.#isGone ? [`${this.#options.place}: ${GONE}`] : []), ...(refused ? [REFUSED] : [])];
  }
}

const REFUSED_HINT = "nothing was changed; free space on the disk of the data directory, or repair it, and try again";

const GONE_HINT =
  "nothing was changed; let this node leave (anteroom leave) and start it again with --join, or give the order at another node";

const REFUSED =
  "the disk refuses writes: new visitors get 503, no room is changed; free space in the data directory, or repair it";

const GONE =
  "the data directory was removed or replaced under this node, and what it stores is lost when it ends: let it leave (anteroom leave), then start it again with --join";
