/** A node in this process, with its sockets and files. */

import { type RunningNode, startNode } from "../../../node/process/node.ts";
import type { NodeOptions } from "../../../node/process/node-options.ts";
import { resolved } from "../config/documents.ts";

const say = (): void => undefined;

export function startReal(
  flags: Readonly<Record<string, string>>,
  more: Partial<NodeOptions> = {},
): Promise<RunningNode> {
  const settings = resolved(flags);
  if (!settings.ok) throw new Error(`Broken: the flags are well: ${JSON.stringify(settings.problems)}`);
  return startNode({
    settings: settings.value.settings,
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
    ...more,
  });
}
