/**
 * Which boot of its host a process runs in: the id tells a restart of the process from one of the host.
 *
 * Linux draws one at each boot; containers see that of their host. Where there is none, as on other systems, a loss of power cannot be told
 * from a restart: commits are forced to the disk there, whatever was asked for.
 */

import { readFileSync } from "node:fs";
import type { Durability } from "./store.ts";

const BOOT_ID = "/proc/sys/kernel/random/boot_id";

/** Undefined where the host has no such id. */
export function bootId(path = BOOT_ID): string | undefined {
  try {
    return readFileSync(path, "utf8").trim() || undefined;
  } catch {
    // Saves the start; costs the speed of commits that are not forced.
    return undefined;
  }
}

/** How commits are made where `durability` is asked for, and the boot in which they may be lost with the power. */
export function durabilityOf(
  durability: Durability,
  boot: () => string | undefined = bootId,
): { readonly durability: Durability; readonly boot: { readonly bootId?: string } } {
  const id = boot();
  if (durability === "fsync" || id === undefined) return { durability: "fsync", boot: {} };
  return { durability, boot: { bootId: id } };
}

/** What a loss of power costs, as the log says it at the start. */
export const DURABILITY_TEXTS: Readonly<Record<Durability, string>> = {
  process:
    "commits survive the end of the process, but not a power loss: after one, or a crash of the host, this node admits nobody until all earlier sessions are over; --durability fsync avoids that",
  fsync: "commits are forced to disk: they survive a power loss",
};
