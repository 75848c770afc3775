/** A node that cannot listen at one of its addresses lets go of the others, and of its files. */

import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { resolveSettings } from "../../node/config/settings.ts";
import { ListenError } from "../../node/listening.ts";
import { startNode } from "../../node/node.ts";

const HOST = "127.0.0.1";
const data = mkdtempSync(join(tmpdir(), "anteroom-start-"));
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const awsKeyFile = join(data, "aws.pem");
const awsKey = privateKey.export({ type: "pkcs8", format: "pem" }).toString();

afterAll(() => rmSync(data, { recursive: true, force: true }));

function start(addresses: Readonly<Record<string, string>>) {
  const flags = {
    ...addresses,
    data: join(data, "node"),
    "aws-key-file": awsKeyFile,
    "aws-issuer": "https://shop.example",
    origin: `http://${HOST}:9`,
  };
  const given = new Map(Object.entries(flags).map(([flag, value]) => [flag, [value]]));
  const resolved = resolveSettings({
    flags: given,
    environment: {},
    file: undefined,
    secrets: new Map([[awsKeyFile, awsKey]]),
  });
  if (!resolved.ok) throw new Error(JSON.stringify(resolved.problems));
  const { settings } = resolved.value;
  const say = (): void => undefined;
  return startNode({
    settings,
    rooms: [],
    version: "1",
    tls: undefined,
    originTls: undefined,
    connectionsMax: 100,
    log: { error: say, warn: say, info: say, debug: say },
    clock: Date.now,
    steadyClock: () => performance.now(),
    memoryBytes: () => 1,
    memoryBytesMax: 1_000_000_000,
    endNow: say,
  });
}

/** Ports that are free now, and differ. */
function freePorts(count: number): number[] {
  const servers = Array.from({ length: count }, () =>
    Bun.listen({ hostname: HOST, port: 0, socket: { data: () => undefined } }),
  );
  for (const server of servers) server.stop(true);
  return servers.map(({ port }) => port);
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

const FLAGS = ["listen", "mesh", "metrics", "admin", "aws-listen"];

test.each(FLAGS)(
  "with a taken port for --%s it says so, and another start finds all the others free",
  async (taken) => {
    const ports = freePorts(FLAGS.length);
    const addresses = Object.fromEntries(FLAGS.map((flag, at) => [flag, `${HOST}:${ports[at]}`]));
    const other = Bun.listen({
      hostname: HOST,
      port: ports[FLAGS.indexOf(taken)] ?? 0,
      socket: { data: () => undefined },
    });
    try {
      await expect(start(addresses)).rejects.toBeInstanceOf(ListenError);
    } finally {
      other.stop(true);
    }
    expect(openFiles()).toEqual([]);
    const node = await start(addresses);
    await node.drain(0);
    expect(openFiles()).toEqual([]);
  },
);
