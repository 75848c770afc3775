/**
 * A backup: a rooms file that ends with a seal, `backup:`, with the release that wrote it, the moment, the operators'
 * orders, and a digest of all that.
 *
 * The seal stands at the end, so a file that was cut off has none. The digest finds every other damage, and edits: an
 * edited backup is still a rooms file. Orders are information for the operator; no command gives them again.
 */

import { createHash } from "node:crypto";
import { stringify } from "yaml";
import { isObject } from "../node/config/is-object.ts";
import { type Problem, problemAt } from "../node/config/problem.ts";

/** An operator's order about a room, as it was when the backup was made. */
export interface OrderNote {
  readonly room: string;
  readonly order: string;
  /** ISO 8601. */
  readonly since: string;
}

export interface Backup {
  readonly rooms: readonly unknown[];
  readonly backup: Seal;
}

export interface Seal {
  /** The release that wrote it. */
  readonly anteroom: string;
  /** ISO 8601. */
  readonly made: string;
  readonly orders: readonly OrderNote[];
  readonly sha256: string;
}

/** A backup of `rooms`, sealed. */
export function sealed(rooms: readonly unknown[], about: Omit<Seal, "sha256">): Backup {
  return { rooms, backup: { ...about, sha256: digestOf(rooms, about) } };
}

export function backupText(backup: Backup, { json }: { readonly json: boolean }): string {
  return json ? JSON.stringify(backup, null, 2) : stringify(backup).trimEnd();
}

/**
 * The seal of a backup, or what is wrong with it: `release` is the one that is to restore it. A seal of a newer release
 * is the only problem told, because others could follow from it.
 */
export function readSeal(
  data: unknown,
  release: string,
): { readonly seal?: Seal; readonly problems: readonly Problem[] } {
  const seal = isObject(data) ? data.backup : undefined;
  if (!isSeal(seal)) {
    const problem = seal === undefined ? "is missing: the file is cut off, or is no backup" : "is not a backup's seal";
    const repair = "restore the complete file; apply a rooms file with: anteroom room apply FILE";
    return { problems: [problemAt("backup", undefined, { problem, repair })] };
  }
  const newer = newerProblem(seal, release);
  if (newer !== undefined) return { problems: [newer] };
  const rooms = isObject(data) && Array.isArray(data.rooms) ? data.rooms : [];
  if (digestOf(rooms, seal) === seal.sha256) return { seal, problems: [] };
  const problem = "is not the digest of this file: it was edited or damaged after the backup";
  const repair = "restore the file as it was written; apply an edited one with: anteroom room apply FILE";
  return { seal, problems: [problemAt("backup.sha256", seal.sha256, { problem, repair })] };
}

/** The problem of a backup that a newer release wrote than `release`. */
export function newerProblem({ anteroom }: Pick<Seal, "anteroom">, release: string): Problem | undefined {
  if (Bun.semver.order(anteroom, release) <= 0) return undefined;
  return problemAt("backup.anteroom", anteroom, {
    problem: `is a newer release than ${release}, which does not know all of its fields`,
    repair: `restore it with anteroom ${anteroom} or later, on nodes of that release`,
  });
}

const RELEASE = /^\d+\.\d+\.\d+/;

function isSeal(value: unknown): value is Seal {
  if (!isObject(value)) return false;
  const { anteroom, made, orders, sha256 } = value;
  const isOrders = Array.isArray(orders) && orders.every(isOrderNote);
  return typeof anteroom === "string" && RELEASE.test(anteroom) && [made, sha256].every(isText) && isOrders;
}

function isOrderNote(value: unknown): value is OrderNote {
  return isObject(value) && [value.room, value.order, value.since].every(isText);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function digestOf(rooms: readonly unknown[], { anteroom, made, orders }: Omit<Seal, "sha256">): string {
  const notes = orders.map(({ room, order, since }) => [room, order, since]);
  return createHash("sha256")
    .update(JSON.stringify([anteroom, made, notes, rooms]))
    .digest("hex");
}
