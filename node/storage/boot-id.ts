/**
 * The boot of the host in which a process runs: its id tells a restart of the process from a restart of the host.
 *
 * Linux generates one at each boot; containers see that of their host. Without one, as on other systems, a power loss
 * cannot be told from a restart: all commits are then forced to disk, whatever was configured.
 */

import { readFileSync } from "node:fs";
import type { Durability } from "./store.ts";

const BOOT_ID = "/proc/sys/kernel/random/boot_id";

/** Undefined where the host has no such id. */
export function bootId(path = BOOT_ID): string | undefined {
  try {
    return readFileSync(path, "utf8").trim() || undefined;
  } catch {
    // The start continues; without the id commits are forced, which is slower.
    return undefined;
  }
}

/** How commits are made for a given `durability`, and the boot in which a power loss may lose them. */
export function durabilityOf(
  durability: Durability,
  boot: () => string | undefined = bootId,
): { readonly durability: Durability; readonly boot: { readonly bootId?: string } } {
  const id = boot();
  if (durability === "fsync" || id === undefined) return { durability: "fsync", boot: {} };
  return { durability, boot: { bootId: id } };
}

/** What a power loss costs, as logged at the start. */
export const DURABILITY_TEXTS: Readonly<Record<Durability, string>> = {
  process:
    "commits survive the end of the process, but not a power loss: after one, or a crash of the host, this node admits nobody until all earlier sessions are over; --durability fsync avoids that",
  fsync: "commits are forced to disk: they survive a power loss",
};
