import { join } from "node:path";
import { expect, test } from "vitest";

/** Exit code of a process that aborts a dial. */
function abortedDial(kind: "plain" | "patched"): Promise<number> {
  return Bun.spawn([process.execPath, join(import.meta.dirname, "aborted-dial.ts"), kind]).exited;
}

test("a dial is aborted without an error that nobody can catch", async () => {
  expect(await abortedDial("patched")).toBe(0);
});

test("the patch is needed: the library's own dial throws where nobody catches", async () => {
  expect(await abortedDial("plain"), "its own dial is safe now: drop mesh/patches/abortable-tcp.ts").toBe(3);
});
