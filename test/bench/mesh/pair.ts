/**
 * Two nodes of one locality: one of the binary, on a core of its own, and beside it a process of the benchmark that is the other one.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ASKER_ORDERS } from "./asker-process.ts";
import { GateNode } from "./gate-node.ts";
import { Obeying } from "./orders.ts";

export interface Place {
  readonly binary: string;
  /** For files of the measurement; not there yet. */
  readonly folder: string;
  readonly originPort: number;
}

export interface Pair {
  readonly asker: Obeying<typeof ASKER_ORDERS>;
  readonly node: GateNode;
  /** CPU time of both so far. */
  readonly cpuMs: () => Promise<{ readonly asker: number; readonly asked: number }>;
  readonly stop: () => Promise<void>;
}

/** Starts both and waits until the first is the ticket counter of a room, and asked for it by the second. */
export async function startPair({ binary, folder, originPort }: Place, minuteMs: number): Promise<Pair> {
  mkdirSync(folder);
  const rooms = join(folder, "rooms.json");
  writeFileSync(rooms, JSON.stringify({ rooms: [] }));
  const node = new GateNode({ binary, folder, name: "counter", originPort, rooms, minuteMs, core: "server" });
  const asker = new Obeying<typeof ASKER_ORDERS>("asker-process.ts", "load");
  const stop = async (): Promise<void> => {
    await Promise.all([asker.stop(), node.server.stop()]);
  };
  const { node: counter } = await node.up;
  await asker.ask("join", {
    data: join(folder, "asker"),
    join: { meshKey: node.meshKey, address: node.meshAddress },
    minuteMs,
    counter,
  });
  const cpuMs = async () => ({ asker: await asker.ask("cpuMs", undefined), asked: node.server.cpuMs() });
  return { asker, node, cpuMs, stop };
}

/** What `act` comes to, and the CPU time that each node took per item of it, in µs. */
export async function withCpu<Result extends { readonly count: number }>(
  { cpuMs }: Pair,
  act: () => Promise<Result>,
): Promise<Result & { readonly askerCpuMicros: number; readonly askedCpuMicros: number }> {
  const before = await cpuMs();
  const result = await act();
  const after = await cpuMs();
  const micros = (ms: number): number => (ms * 1_000) / result.count;
  return {
    ...result,
    askerCpuMicros: micros(after.asker - before.asker),
    askedCpuMicros: micros(after.asked - before.asked),
  };
}
