/**
 * A process's edges for tests: files by name, and what was written.
 */

import { Readable } from "node:stream";
import type { Io } from "../../cmd/io.ts";
import { run } from "../../cmd/main.ts";

export interface FakeOptions {
  readonly files?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly size?: { readonly columns: number; readonly rows: number };
}

export interface Outcome {
  readonly exit: number;
  readonly answer: string;
  readonly talk: string;
}

/** An io that remembers; `files` has stdin under `-`. */
export function fakeIo({ files = {}, environment = {}, size = { columns: 80, rows: 24 } }: FakeOptions = {}) {
  const written = { answer: "", talk: "", drawn: "" };
  const io: Io = {
    environment,
    terminal: { isTerminal: false, color: false, size: () => size },
    answer: (text) => {
      written.answer += `${text}\n`;
    },
    talk: (text) => {
      written.talk += `${text}\n`;
    },
    draw: (text) => {
      written.drawn += text;
    },
    write: async (text) => {
      written.answer += text;
    },
    stream: (path) => Readable.from([io.read(path)]),
    read: (path) => {
      const text = files[path];
      if (text !== undefined) return text;
      throw Object.assign(new Error(`ENOENT: no such file or directory, open '${path}'`), { code: "ENOENT" });
    },
  };
  return { io, written };
}

/** Runs `anteroom` with the words of `line`, or with exactly the words given. */
export async function anteroom(line: string | readonly string[], options?: FakeOptions): Promise<Outcome> {
  const { io, written } = fakeIo(options);
  const exit = await run(typeof line === "string" ? line.split(" ").filter((word) => word !== "") : line, io);
  return { exit, answer: written.answer, talk: written.talk };
}
