/** Files that are none: a start must name them, and never wait for them. */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { run } from "../../cmd/main.ts";
import { readFile } from "../../cmd/read-file.ts";
import { fakeIo } from "./fake-io.ts";

const FOLDER = mkdtempSync(join(tmpdir(), "anteroom-files-"));
const PIPE = join(FOLDER, "pipe");
const DIRECTORY = join(FOLDER, "directory");
const DATA = join(FOLDER, "data");
execFileSync("mkfifo", [PIPE]);
mkdirSync(DIRECTORY);

beforeEach(() => {
  rmSync(DATA, { recursive: true, force: true });
  mkdirSync(DATA);
});
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

async function anteroom(words: readonly string[]): Promise<string> {
  const { io, written } = fakeIo();
  await run([...words], { ...io, read: readFile });
  return written.talk + written.answer;
}

describe("a file that a user names", () => {
  test("is read, also if it is empty", () => {
    const path = join(DATA, "text");
    writeFileSync(path, "text");
    expect([readFile(path), readFile("/dev/null")]).toEqual(["text", ""]);
    expect(() => readFile(join(DATA, "none"))).toThrow(/ENOENT/);
  });

  test("is refused as what it is: a pipe is not waited for, a device not read for ever", () => {
    for (const path of [PIPE, "/dev/zero"])
      expect(() => readFile(path)).toThrow(expect.objectContaining({ code: "NOT_A_FILE" }));
    expect(() => readFile(DIRECTORY)).toThrow(expect.objectContaining({ code: "EISDIR" }));
  });

  test.each(["-", "/dev/stdin", "/dev/fd/63", "/proc/self/fd/63"])("is not read again if it is %s", (path) => {
    expect(() => readFile(path, { isReadAgain: true })).toThrow(expect.objectContaining({ code: "READ_ONCE" }));
  });

  test("may be a pipe that the shell has opened, once", () => {
    const program = `import { readFile } from ${JSON.stringify(join(import.meta.dirname, "../../cmd/read-file.ts"))}; console.log(readFile(process.argv[1]))`;
    const script = `bun -e '${program}' <(echo rooms)`;
    expect(execFileSync("bash", ["-c", script], { encoding: "utf8", timeout: 600_000 })).toBe("rooms\n\n");
  });

  test.each(["config", "rooms", "mesh-key", "tls-cert", "tls-key", "origin-ca"])("as --%s is named", async (flag) => {
    for (const [path, what] of [
      [PIPE, "is a pipe, a socket or a device, not a file"],
      [DIRECTORY, "is a directory, not a file"],
    ] as const) {
      const told = await anteroom(["config", "check", "--origin", "http://127.0.0.1:9", `--${flag}`, path]);
      expect(told).toContain(`${path}: ${what}`);
    }
  });

  test("as a room's page is named", async () => {
    const told = await anteroom(["room", "update", "shop", `custom_page_html=@${PIPE}`, "--token", "x"]);
    expect(told).toContain(`${PIPE}: is a pipe`);
  });
});

describe("a data directory", () => {
  test("whose admin token is a pipe is not waited for by a command", async () => {
    execFileSync("mkfifo", [join(DATA, "admin.token")]);
    expect(await anteroom(["room", "list", "--data", DATA])).toContain("is not a regular file");
  });
});
