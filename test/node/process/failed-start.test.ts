/** A node that cannot listen at one of its addresses lets go of the others, and of its files. */

import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { ListenError } from "../../../node/process/listening.ts";
import { startReal } from "./real-node.ts";

/** Nobody else listens here, other runs of this test on the same machine neither. */
const BYTES = [127, 64 + (process.pid & 63), (process.pid >> 6) & 255, 61];
const HOST = BYTES.join(".");
const data = mkdtempSync(join(tmpdir(), "anteroom-start-"));

afterAll(() => rmSync(data, { recursive: true, force: true }));

const start = (addresses: Readonly<Record<string, string>>) =>
  startReal({ ...addresses, data: join(data, "node"), origin: `http://${HOST}:9` });

/** How many sockets listen at the host, where the system tells. */
function listeners(): number {
  if (process.platform !== "linux") return 0;
  const written = Buffer.from(BYTES.toReversed()).toString("hex").toUpperCase();
  const listening = new RegExp(`^ +\\d+: ${written}:[0-9A-F]{4} \\S+ 0A `, "gm");
  return readFileSync("/proc/net/tcp", "utf8").match(listening)?.length ?? 0;
}

/** Files of the node that this process has open, where the system tells. */
function openFiles(): string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(data) ? [path] : [];
    } catch {
      // Closed meanwhile: the one by which the folder was read.
      return [];
    }
  });
}

const FLAGS = ["listen", "mesh", "metrics", "admin"];

const anyPort = Object.fromEntries(FLAGS.map((flag) => [flag, `${HOST}:0`]));

test.each(FLAGS)("with a taken port for --%s it says so, and lets go of all the others", async (taken) => {
  const other = Bun.listen({ hostname: HOST, port: 0, socket: { data: () => undefined } });
  try {
    await expect(start({ ...anyPort, [taken]: `${HOST}:${other.port}` })).rejects.toBeInstanceOf(ListenError);
  } finally {
    other.stop(true);
  }
  expect([listeners(), openFiles()]).toEqual([0, []]);
});

test("a node that starts has all of them, and lets go of them at its end", async () => {
  const node = await start(anyPort);
  if (process.platform === "linux") expect([listeners(), openFiles().length > 0]).toEqual([FLAGS.length, true]);
  await node.drain(0);
  expect([listeners(), openFiles()]).toEqual([0, []]);
});
