import { describe, expect, test } from "vitest";
import { logOutputs, type OutputStream } from "../../../cmd/serve/log-outputs.ts";
import { resolveSettings } from "../../../node/config/settings.ts";

/** A stream whose writes end as the test says. */
class Stream implements OutputStream {
  text = "";
  error: Error | undefined;
  isRead = true;
  readonly #held: (() => void)[] = [];

  readonly write = (text: string, done: (error?: Error | null) => void): void => {
    const end = (): void => {
      if (this.error === undefined) this.text += text;
      done(this.error);
    };
    if (this.isRead) end();
    else this.#held.push(end);
  };

  readAll(): void {
    this.isRead = true;
    for (const end of this.#held.splice(0)) end();
  }

  get messages(): unknown[] {
    return this.text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line).msg);
  }
}

function outputs() {
  const settings = resolveSettings({
    flags: new Map([["log-format", ["json"]]]),
    environment: {},
    file: undefined,
  });
  if (!settings.ok) throw new Error("The settings have problems");
  const streams = { stdout: new Stream(), stderr: new Stream() };
  return { ...streams, ...logOutputs(settings.value.settings, streams) };
}

const LOST = "lines cannot be written: they are dropped, and anteroom_log_lines_dropped_total counts them";
const AGAIN = "lines are written again";

describe("an access log that cannot be written", () => {
  test("loses its lines, and the log says so once, and once when it is written again", () => {
    const { log, writeAccess, dropped, stdout, stderr } = outputs();
    stdout.error = new Error("ENOSPC");
    for (const line of ["a\n", "b\n", "c\n"]) writeAccess(line);
    log.info({}, "something else");
    expect(stderr.messages).toEqual([LOST, "something else"]);
    expect(dropped()).toEqual({ stdout: 3, stderr: 0 });
    stdout.error = undefined;
    for (const line of ["d\n", "e\n"]) writeAccess(line);
    expect(stdout.text).toBe("\nd\ne\n");
    expect(stderr.messages).toEqual([LOST, "something else", AGAIN]);
  });
});

describe("a log that cannot be written", () => {
  test("loses its lines and the word of it, and says how many once it is written again", () => {
    const { log, dropped, stderr } = outputs();
    stderr.error = new Error("EPIPE");
    for (const message of ["one", "two"]) log.info({}, message);
    stderr.error = undefined;
    log.info({}, "three");
    expect(stderr.messages).toEqual(["three", AGAIN]);
    expect(stderr.text).toContain(`"dropped":${dropped().stderr}`);
    expect(dropped().stderr).toBe(3);
  });

  test("is not kept without limit for a reader who does not read", () => {
    const { log, dropped, stderr } = outputs();
    stderr.isRead = false;
    const text = "x".repeat(1_000);
    for (let line = 0; line < 2_000; line++) log.info({ text }, "long");
    expect(dropped().stderr).toBeGreaterThan(1_000);
    stderr.readAll();
    expect(stderr.text.length).toBeLessThan(1_010_000);
    expect(stderr.messages.at(-1)).toBe(AGAIN);
    log.info({}, "short");
    expect(stderr.messages.at(-1)).toBe("short");
  });
});
