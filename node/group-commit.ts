/**
 * Disk before telling: everything decided in one turn of the event loop shares one commit.
 *
 * Writes and messages lie in their source; visitors wait in `afterCommit`. A commit that fails tells visitors `false` and drops the
 * messages: slots stay taken in memory (nobody gets them twice), and the writes are tried again with the next commit.
 */

type Told = (isOnDisk: boolean) => void;

/** Where writes and messages wait. */
export interface Source<Ready> {
  readonly isIdle: boolean;
  take(): Ready;
  /** Gives back what could not be committed. */
  retry(ready: Ready): void;
}

/** What a gate needs of it. */
export type CommitQueue = Pick<GroupCommit<unknown>, "afterCommit" | "wake">;

export interface GroupCommitOptions<Ready> {
  readonly source: Source<Ready>;
  /** Puts the writes on disk, all or none; throws if it can't. */
  readonly commit: (ready: Ready) => void;
  /** Sends the messages, whose writes are on disk. */
  readonly send: (ready: Ready) => void;
  readonly onError: (error: unknown) => void;
}

export class GroupCommit<Ready> {
  readonly #options: GroupCommitOptions<Ready>;
  #waiting: Told[] = [];
  #isDue = false;

  constructor(options: GroupCommitOptions<Ready>) {
    this.#options = options;
  }

  /** Calls `told` once everything that waits at the end of this turn is on disk. */
  afterCommit(told: Told): void {
    this.#waiting.push(told);
    this.wake();
  }

  /** Has everything taken at the end of this turn. */
  wake(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => this.flush());
  }

  /** Commits and sends what is due now. */
  flush(): void {
    this.#isDue = false;
    const { source, commit, send, onError } = this.#options;
    const waiting = this.#waiting;
    if (waiting.length === 0 && source.isIdle) return;
    this.#waiting = [];
    const ready = source.take();
    let isOnDisk = true;
    try {
      commit(ready);
    } catch (error) {
      // Saves the process; costs the admissions of this turn: each keeps its slot and is told to come again.
      isOnDisk = false;
      source.retry(ready);
      onError(error);
    }
    if (isOnDisk) this.#guarded(() => send(ready));
    for (const told of waiting) this.#guarded(() => told(isOnDisk));
  }

  /** A fault of ours with one visitor; the others of this turn are told all the same. */
  #guarded(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#options.onError(error);
    }
  }
}
