/** What an operator should know of this node at once: in its status, and in its log when it starts. */

import { servesNothing, startWarnings, stuffedDraw } from "../config/start-warnings.ts";
import type { ProxyWatch } from "../gate/proxy-watch.ts";
import type { Notices } from "../operator/notices/notices.ts";
import {
  drawWarnings,
  lookupWarnings,
  looseSecret,
  lossOfIdentity,
  lostWarnings,
  meshWarnings,
  originWarnings,
  unreadableRoom,
} from "../operator/status/warnings.ts";
import { ownHosts } from "../own-hosts.ts";
import { orderText } from "../rooms/room-order.ts";
import { NO_LOOKUPS } from "../rules/lookups.ts";
import { DURABILITY_TEXTS } from "../storage/boot-id.ts";
import type { HistoryStore } from "../storage/history-store.ts";
import { looseFiles, looseSecrets } from "../storage/identity.ts";
import type { Durability } from "../storage/store.ts";
import type { NodeOptions } from "./node-options.ts";
import type { NodeShell } from "./shell.ts";

interface Warned {
  readonly shell: NodeShell;
  readonly proxies: ProxyWatch;
  readonly history: HistoryStore;
  readonly notices: Notices;
}

/** Reads all warnings as of now. */
export function nodeWarnings(
  { settings, clock, lookups = () => NO_LOOKUPS }: NodeOptions,
  parts: Warned,
): () => string[] {
  const { shell, proxies, history, notices } = parts;
  const { peer, rooms } = shell;
  const loose = [...(settings.ephemeral ? [] : looseSecrets(settings.data)), ...looseFiles(settings.secretFiles)];
  const lasting = loose.map(looseSecret);
  return () =>
    [
      shell.clockWatch.look(clock()) ?? [],
      shell.disk.look(clock()),
      lossOfIdentity(shell.disk.trouble !== undefined, peer, settings),
      shell.pressure.words ?? [],
      meshWarnings(peer, settings),
      originWarnings(rooms, peer),
      rooms.all().flatMap(({ room, nowMs }) => stuffedDraw(room, nowMs)),
      lostWarnings(rooms),
      lookupWarnings(rooms, lookups()),
      drawWarnings(rooms, peer),
      peer.members.view === undefined ? [] : servesNothing(settings, rooms.all().length),
      shell.declared.warnings,
      proxies.warnings(),
      shell.gate.unmatchedHosts.warnings(clock()),
      shell.gate.slotTakers.warnings(clock()),
      history.trouble ?? [],
      shell.gate.fastLane.warnings(clock()),
      notices.warnings(rooms.all(), clock()),
      rooms.unreadable.map((room) => unreadableRoom(room, rooms)),
      lasting,
    ].flat();
}

interface AtStart {
  readonly options: NodeOptions;
  readonly durability: Durability;
  readonly warnings: () => string[];
}

/** What an operator should know of a start at once. */
export function sayAtStart({ rooms, isDecided }: NodeShell, { options, durability, warnings }: AtStart): void {
  const { settings, log } = options;
  if (!settings.ephemeral) log.info({ durability }, DURABILITY_TEXTS[durability]);
  for (const warning of warnings()) log.warn({}, warning);
  for (const { room, order } of rooms.all()) {
    if (order !== undefined)
      log.warn({ room: room.name }, `${orderText(order)}: it stays so until anteroom room resume ${room.name}`);
  }
  // A node that joins learns its rooms later, and workers would all say the same.
  if ((isDecided || rooms.all().length > 0) && settings.worker <= 1) {
    const known = rooms.all().map(({ room }) => room);
    for (const warning of startWarnings(settings, known, ownHosts())) log.warn({}, warning);
  }
}
