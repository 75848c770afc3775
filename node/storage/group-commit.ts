/**
 * Group commit (write-ahead): everything decided in one turn of the event loop shares one commit, before anything is
 * sent.
 *
 * Writes and messages wait in their source; visitors wait in `afterCommit`. When the disk refuses a commit, visitors
 * get `false` and the messages are dropped; the writes are tried again with the next commit. After an error of our own
 * they get `false` too, and the error goes to the handler that decides whether the process may continue.
 */

type Notify = (isOnDisk: boolean) => void;

/** Where writes and messages wait. */
export interface Source<Ready> {
  readonly isIdle: boolean;
  take(): Ready;
  /** Gives back what could not be committed. */
  retry(ready: Ready): void;
}

/** The part that a gate needs. */
export type CommitQueue = Pick<GroupCommit<unknown>, "afterCommit" | "wake">;

export interface GroupCommitOptions<Ready> {
  readonly source: Source<Ready>;
  /** Puts the writes on disk, all or none; throws if it cannot. */
  readonly commit: (ready: Ready) => void;
  /** Sends the messages; their writes are on disk. */
  readonly send: (ready: Ready) => void;
  /** The disk refused. */
  readonly onRefused: (error: unknown) => void;
  /** Our own code threw: what makes the batch, sends it, or waits for it. */
  readonly onFault: (error: unknown) => void;
  /** Does something at the end of this turn of the event loop. */
  readonly atTurnEnd?: (act: () => void) => void;
}

export class GroupCommit<Ready> {
  readonly #options: GroupCommitOptions<Ready>;
  #waiting: Notify[] = [];
  #isDue = false;

  constructor(options: GroupCommitOptions<Ready>) {
    this.#options = options;
  }

  /** Calls `notify` once everything that waits at the end of this turn is on disk. */
  afterCommit(notify: Notify): void {
    this.#waiting.push(notify);
    this.wake();
  }

  /** Schedules a commit of everything at the end of this turn. */
  wake(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    const { atTurnEnd = setImmediate } = this.#options;
    atTurnEnd(() => this.flush());
  }

  /** Commits and sends what is due now. */
  flush(): void {
    this.#isDue = false;
    const waiting = this.#waiting;
    if (waiting.length === 0 && this.#options.source.isIdle) return;
    this.#waiting = [];
    const isOnDisk = this.#commit();
    for (const notify of waiting) this.#guarded(() => notify(isOnDisk));
  }

  /** Whether everything that was due is on disk. */
  #commit(): boolean {
    const { source, commit, send, onRefused, onFault } = this.#options;
    let ready: Ready;
    try {
      ready = source.take();
    } catch (error) {
      // Nothing is known to be on disk: the waiting visitors get `false`.
      onFault(error);
      return false;
    }
    try {
      commit(ready);
    } catch (error) {
      // The process continues; the admissions of this turn are lost: each visitor is asked to come again.
      source.retry(ready);
      onRefused(error);
      return false;
    }
    this.#guarded(() => send(ready));
    return true;
  }

  /** An error of ours with one visitor; the others of this turn are still answered. */
  #guarded(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#options.onFault(error);
    }
  }
}
