/** What has happened lately, for the dashboard: the log's last lines, without those of single requests. */

import type { Fields, Log, LogLevel } from "../../log.ts";

export interface TimelineEntry {
  /** Unix ms. */
  readonly atMs: number;
  readonly level: LogLevel;
  readonly message: string;
  /** The room it is about. */
  readonly room?: string;
}

const ENTRIES_MAX = 200;

/** One line of the access log for each request. */
const ACCESS = "access";

export class Timeline {
  /** The newest last. */
  readonly entries: TimelineEntry[] = [];
  /** Counts entries, so that a reader sees whether there are new ones. */
  count = 0;
  readonly #clock: () => number;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** A log that writes to `log`, and keeps here what it writes. */
  over(log: Log): Log {
    const kept =
      (level: LogLevel) =>
      (fields: Fields, message: string): void => {
        log[level](fields, message);
        if (message !== ACCESS) this.#keep(level, fields, message);
      };
    return { error: kept("error"), warn: kept("warn"), info: kept("info"), debug: (...line) => log.debug(...line) };
  }

  #keep(level: LogLevel, fields: Fields, message: string): void {
    const { room } = fields;
    this.entries.push({ atMs: this.#clock(), level, message, ...(typeof room === "string" && { room }) });
    if (this.entries.length > ENTRIES_MAX) this.entries.shift();
    this.count += 1;
  }
}
