/**
 * Ids, versions and dates of a room's events and rules. Cloudflare's API has them; our documents know an event by its
 * name and a rule by its place.
 *
 * They are kept in a register beside the room's own. The document may be changed by other ways, such as a rooms file,
 * so each is found again by its content, then by its name, then (a rule) by its place. An item that is not found gets
 * an id that every node computes alike: a hash of its content.
 */

import { z } from "zod";
import type { Register } from "../../../mesh/core/replica/registers.ts";
import { sha256Hex } from "../../sha256.ts";

const ITEM = z.object({
  id: z.string().regex(/^[0-9a-f]{32}$/),
  /** Of the content. */
  digest: z.string().max(32),
  name: z.string().max(64).default(""),
  version: z.int().min(1),
  created_ms: z.int().min(0),
  modified_ms: z.int().min(0),
});
const KEPT = z.object({ events: z.array(ITEM), rules: z.array(ITEM) });

export type KeptItem = z.output<typeof ITEM>;
export type KeptIds = z.output<typeof KEPT>;

/** What this file needs of an event or a rule. */
export interface Item {
  readonly document: object;
  /** Unique in the list; empty for a rule. */
  readonly name: string;
}

/** The room whose items they are. */
export interface Owner {
  readonly id: string;
  readonly createdMs: number;
  readonly modifiedMs: number;
}

/** What is kept in a register; nothing where it cannot be read, as each item then has an id all the same. */
export function keptIn(register: Register | undefined): KeptIds {
  try {
    return KEPT.parse(JSON.parse(register?.document ?? ""));
  } catch {
    return { events: [], rules: [] };
  }
}

/** For each of `items` its id and dates; `kept` is what was kept, in the order of then. */
export function identified(items: readonly Item[], kept: readonly KeptItem[], owner: Owner): KeptItem[] {
  // A room that was deleted and created again keeps no ids.
  const left = new Map(kept.filter(({ created_ms }) => created_ms >= owner.createdMs).map((each) => [each.id, each]));
  const found = new Map<Item, KeptItem>();
  const take = (is: (each: KeptItem, item: Item, index: number) => boolean): void => {
    for (const [index, item] of items.entries()) {
      const match = found.has(item) ? undefined : left.values().find((each) => is(each, item, index));
      if (match === undefined) continue;
      found.set(item, match);
      left.delete(match.id);
    }
  };
  take((each, item) => each.name === item.name && each.digest === digestOf(item));
  take((each, item) => each.name === item.name && item.name !== "");
  take((each, item, index) => item.name === "" && kept[index]?.id === each.id);
  const seen = new Set(found.values().map(({ id }) => id));
  return items.map((item) => {
    const match = found.get(item);
    if (match !== undefined) return changed(match, item, owner.modifiedMs);
    const id = hashId(owner.id, item, seen);
    seen.add(id);
    return { ...fresh(item, owner.modifiedMs), id };
  });
}

/** The same after a change at `nowMs`; `before` has for each item the one that it was, undefined for a new one. */
export function identifiedAfter(
  items: readonly Item[],
  before: readonly (KeptItem | undefined)[],
  nowMs: number,
): KeptItem[] {
  return items.map((item, index) => {
    const match = before[index];
    return match === undefined ? fresh(item, nowMs) : changed(match, item, nowMs);
  });
}

/** The register that stores these ids. */
export function keptRegister(kept: KeptIds, firstName: string, nowMs: number): Omit<Register, "stamp"> {
  return { firstName, document: JSON.stringify(kept), createdMs: nowMs };
}

function fresh(item: Item, nowMs: number): KeptItem {
  const id = crypto.randomUUID().replaceAll("-", "");
  return { id, digest: digestOf(item), name: item.name, version: 1, created_ms: nowMs, modified_ms: nowMs };
}

function changed(kept: KeptItem, item: Item, nowMs: number): KeptItem {
  const digest = digestOf(item);
  if (digest === kept.digest) return kept;
  return {
    ...kept,
    digest,
    name: item.name,
    version: kept.version + 1,
    modified_ms: Math.max(nowMs, kept.modified_ms),
  };
}

function digestOf({ document }: Item): string {
  return sha256Hex(JSON.stringify(document)).slice(0, 16);
}

/** An id for an item that nothing is kept of: equal rules differ by how many came before. */
function hashId(owner: string, item: Item, taken: ReadonlySet<string>): string {
  for (let nth = 0; ; nth++) {
    const id = sha256Hex(`anteroom item ${owner} ${item.name || digestOf(item)} ${nth}`).slice(0, 32);
    if (!taken.has(id)) return id;
  }
}
