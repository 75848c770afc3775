/**
 * What a node stands on, before it does anything: its identity, its database, and what it counted before.
 */

import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { NODE_KEY_FILE } from "../../mesh/node-key.ts";
import type { Settings } from "../config/settings.ts";
import { durabilityOf } from "../storage/boot-id.ts";
import { HistoryStore } from "../storage/history-store.ts";
import { DataDirectoryError, ephemeralIdentity, type Identity, loadIdentity } from "../storage/identity.ts";
import { type Durability, damaged, newerStore, Store } from "../storage/store.ts";
import type { NodeOptions } from "./node-options.ts";
import { look, wireProblem } from "./stored-entries.ts";

export interface Ground {
  readonly identity: Identity;
  readonly store: Store;
  readonly storePath: string;
  readonly durability: Durability;
  readonly boot: { readonly bootId?: string };
  /** Files that a start which fails closes again. */
  readonly files: { readonly close: () => void }[];
}

/** Throws `DataDirectoryError`. */
export async function openGround(settings: Settings): Promise<Ground> {
  const identity = await identityOf(settings);
  const storePath = settings.ephemeral ? ":memory:" : join(settings.data, "anteroom.db");
  const { durability, boot } = durabilityOf(settings.durability);
  const store = new Store(storePath, durability);
  return { identity, store, storePath, durability, boot, files: [store] };
}

function identityOf({ ephemeral, data, meshKey, join: seeds }: Settings): Promise<Identity> {
  const sources = { meshKey, joins: seeds.length > 0 };
  return ephemeral ? ephemeralIdentity(sources) : loadIdentity(data, sources);
}

/** What the disk has. Throws `DataDirectoryError`. */
export function readStore({ identity, store, storePath }: Ground, { settings, log }: NodeOptions) {
  store.requireMinuteMs(settings.minuteMs);
  // A directory without a mesh key that has entries was creating a mesh when its process ended.
  if (identity.mesh === undefined) store.clear();
  const restored = store.entries();
  const otherWire = wireProblem(restored);
  if (otherWire !== undefined) throw newerStore(storePath, otherWire);
  const { damage, unknown } = look(restored);
  if (damage !== undefined) throw damaged(storePath, damage);
  if (unknown.length > 0)
    log.warn({ entries: unknown }, "the data directory has entries of a newer release: they are kept, and not used");
  return restored;
}

/** What the nodes counted: beside the disk on which the node stands, and never a reason for it not to start. */
export function openHistory({ settings, log }: NodeOptions, meshId: string): HistoryStore {
  return new HistoryStore({
    path: settings.ephemeral ? ":memory:" : join(settings.data, "history.db"),
    meshId,
    minuteMs: settings.minuteMs,
    onTrouble: (problem) => log.warn({}, problem),
  });
}

const MACHINE_ID = "/etc/machine-id";

/**
 * Where the store's file lies (machine, device and file), for a start after this one. A copy lies elsewhere, also on the
 * same machine and under the same name.
 */
export function placeOf(storePath: string, isEphemeral: boolean): { readonly diskPlace?: string } {
  if (isEphemeral) return {};
  try {
    const { dev, ino } = statSync(storePath);
    return { diskPlace: `${readFileSync(MACHINE_ID, "utf8").trim()} ${dev} ${ino}` };
  } catch {
    // The start continues; the node then cannot report what it held after it was removed.
    return {};
  }
}

/** The next start on this directory joins as a new node, with the same mesh key and rooms from its peers. */
export function giveUpIdentity(data: string): void {
  for (const file of [NODE_KEY_FILE, "anteroom.db", "anteroom.db-wal", "anteroom.db-shm"])
    rmSync(join(data, file), { force: true });
}

export function otherLocality({ data, locality }: Settings, stored: string): DataDirectoryError {
  return new DataDirectoryError(
    "other-locality",
    `Cannot start in locality ${locality} as the node of ${data} belongs to locality ${stored}`,
    {
      hint: `start it with --locality ${stored}; or have it leave the mesh, and start a new one with an empty data directory`,
    },
  );
}
