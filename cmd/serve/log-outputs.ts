/**
 * Where a node's log and access log go: to stderr and stdout, which may fail at any time. A disk is full, a reader is
 * gone, or it does not read.
 *
 * A line that cannot be written is dropped and counted; nothing waits for it, and nothing ends because of it. The log
 * says when lines are lost first, and again when they are written: if it is the log itself that fails, only the second
 * line arrives.
 */

import type { Settings } from "../../node/config/settings.ts";
import { createLog, type Log } from "../../node/log.ts";
import { nodeNameOf } from "../../node/own-hosts.ts";

/** What it needs of stdout and stderr. */
export interface OutputStream {
  readonly write: (text: string, done: (error?: Error | null) => void) => unknown;
}

export interface LogOutputs {
  readonly log: Log;
  /** Takes lines of the access log that are not in the log's own form. */
  readonly writeAccess: (line: string) => void;
  /** Lines that were lost, by stream. */
  readonly dropped: () => Readonly<Record<string, number>>;
}

/** What may wait for a slow reader: some seconds of a flood. Doubled, one that never reads costs twice the memory. */
const WAITING_CHARS_MAX = 1_000_000;

export function logOutputs(settings: Settings, streams: Record<"stdout" | "stderr", OutputStream>): LogOutputs {
  const { logLevel: level, logFormat: format, worker } = settings;
  const report: Report = (lost, message) => log.warn(lost, message);
  const stderr = new LineOutput("stderr", streams.stderr, report);
  const stdout = new LineOutput("stdout", streams.stdout, report);
  const write = (line: string): void => stderr.write(line);
  const ofNode = createLog({ level, format, write, node: nodeNameOf(settings) });
  const log = worker === 0 ? ofNode : ofWorker(ofNode, worker);
  return {
    log,
    writeAccess: (line) => stdout.write(line),
    dropped: () => ({ stdout: stdout.dropped, stderr: stderr.dropped }),
  };
}

function ofWorker(log: Log, worker: number): Log {
  return {
    error: (fields, message) => log.error({ worker, ...fields }, message),
    warn: (fields, message) => log.warn({ worker, ...fields }, message),
    info: (fields, message) => log.info({ worker, ...fields }, message),
    debug: (fields, message) => log.debug({ worker, ...fields }, message),
  };
}

type Report = (fields: { readonly stream: string; readonly [name: string]: unknown }, message: string) => void;

class LineOutput {
  /** Lines that were lost. */
  dropped = 0;
  readonly #name: string;
  readonly #stream: OutputStream;
  readonly #report: Report;
  #waitingChars = 0;
  #isFailing = false;

  constructor(name: string, stream: OutputStream, report: Report) {
    this.#name = name;
    this.#stream = stream;
    this.#report = report;
  }

  write(line: string): void {
    if (this.#waitingChars + line.length > WAITING_CHARS_MAX) {
      this.#drop("it is not read");
      return;
    }
    this.#waitingChars += line.length;
    // What failed may have left the beginning of a line behind.
    this.#stream.write(this.#isFailing ? `\n${line}` : line, (error) => {
      this.#waitingChars -= line.length;
      if (error) this.#drop(error.message);
      else if (this.#isFailing && this.#waitingChars === 0) this.#goOn();
    });
  }

  #drop(error: string): void {
    this.dropped += 1;
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#report(
      { stream: this.#name, error },
      "lines cannot be written: they are dropped, and anteroom_log_lines_dropped_total counts them",
    );
  }

  #goOn(): void {
    this.#isFailing = false;
    this.#report({ stream: this.#name, dropped: this.dropped }, "lines are written again");
  }
}
