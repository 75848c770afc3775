/**
 * What a command may use of its process: environment, input, output, and what is known of the terminal.
 *
 * stdout is for the answer, stderr for messages. Commands get this as an argument, so that tests run them without a
 * process.
 */

import type { Readable } from "node:stream";
import { EXIT } from "./exit.ts";
import { type HowRead, readFile, streamFile } from "./read-file.ts";

export interface Terminal {
  /** Whether stdout is a terminal. */
  readonly isTerminal: boolean;
  /** Whether to use colours: a terminal, no NO_COLOR, not TERM=dumb. */
  readonly color: boolean;
  /** Size now; it changes when the window does. */
  readonly size: () => { readonly columns: number; readonly rows: number };
}

export interface Io {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly terminal: Terminal;
  /** Writes the answer; a line end is added. */
  readonly answer: (text: string) => void;
  /** Writes a message; a line end is added. */
  readonly talk: (text: string) => void;
  /** Writes to the terminal as it is, escape sequences included. */
  readonly draw: (text: string) => void;
  /** The text of a file, or of stdin for `-`. Throws as the file system does. */
  readonly read: (path: string, how?: HowRead) => string;
  /** The same piece by piece. */
  readonly stream: (path: string) => Readable;
  /** Writes a part of the answer as it is; done once it is handed on, so that a slow reader is waited for. */
  readonly write: (text: string) => Promise<void>;
}

/** Output that is not a terminal: a program reads it line by line, so nothing is wrapped or cut. */
const PIPE_SIZE = { columns: Number.POSITIVE_INFINITY, rows: 50 } as const;

/** The process's own. */
export function processIo(): Io {
  const { env, stdout, stderr } = process;
  const { NO_COLOR: noColor = "", TERM: term } = env;
  const isTerminal = stdout.isTTY === true;
  return {
    environment: env,
    terminal: {
      isTerminal,
      color: isTerminal && noColor === "" && term !== "dumb",
      size: () => (isTerminal ? { columns: stdout.columns || 80, rows: stdout.rows || 24 } : PIPE_SIZE),
    },
    answer: (text) => void stdout.write(`${text}\n`, ended),
    talk: (text) => void stderr.write(`${text}\n`),
    draw: (text) => void stdout.write(text, ended),
    read: readFile,
    stream: streamFile,
    write: (text) =>
      new Promise((resolve) => {
        stdout.write(text, (error) => {
          ended(error);
          resolve();
        });
      }),
  };
}

/** An answer that cannot be written ends its command. A reader may leave early (`| head`): that is a normal end. */
function ended(error?: NodeJS.ErrnoException | null): void {
  if (error) process.exit(error.code === "EPIPE" ? EXIT.ok : EXIT.failed);
}
