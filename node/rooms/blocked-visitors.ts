/**
 * Visitors whom an operator has blocked in a room, by the number on their page, and until when.
 *
 * Those of a room are in one register, which the last writer determines. A node that misses in it what it knows writes
 * both together, so two sides of a cut get the union: of two orders about one visitor the later one counts. Over what it
 * cannot read it writes nothing until the next order: a later release may have written that. A lifted block ends at 0.
 * All are kept for as long as a block may last, so that no older copy, as of a node that was away, restores one that was
 * lifted.
 */

import { z } from "zod";
import type { Register } from "../../mesh/core/replica/registers.ts";
import { unixMs } from "../../mesh/core/wire/shapes.ts";
import { DAY_MS } from "../config/expiry.ts";

/** A visitor is blocked from an order on, until an end: in Unix ms. */
export interface Block {
  readonly atMs: number;
  readonly untilMs: number;
}

/** By number. */
export type Blocks = ReadonlyMap<string, Block>;

/**
 * The longest block. A browser keeps a cookie for a day or two after its last request, and the keys of cookies last as
 * long: a longer block would promise more than a cookie holds.
 */
export const BLOCK_DAYS_MAX = 3;

/**
 * Orders about visitors of one room that are kept at once: about 45 kB in its register. Many more visitors than an
 * operator blocks one by one; a rule blocks a crowd.
 */
export const BLOCKED_MAX = 1_000;

const NONE: Blocks = new Map();

/** A later release may say more of each. */
const SHAPE = z.array(z.tuple([z.string().max(16), unixMs, unixMs], z.unknown()));

/** Of each number the latest order, the latest first; of too many the earliest are left out. */
export function merged(one: Blocks, other: Blocks): Blocks {
  const all = new Map<string, Block>();
  for (const [number, block] of [...one, ...other].sort(laterFirst)) {
    if (all.size === BLOCKED_MAX) break;
    if (!all.has(number)) all.set(number, block);
  }
  return all;
}

function laterFirst([one, a]: readonly [string, Block], [other, b]: readonly [string, Block]): number {
  return b.atMs - a.atMs || b.untilMs - a.untilMs || (one < other ? -1 : 1);
}

/** Those in a register; undefined where it cannot be read. */
export function blocksIn(register: Register | undefined): Blocks | undefined {
  try {
    const read = SHAPE.parse(JSON.parse(register?.document ?? "[]"));
    return merged(new Map(read.map(([number, atMs, untilMs]) => [number, { atMs, untilMs }])), NONE);
  } catch {
    // Any member may have written it: nobody else is kept out by it, and what this node knows stays in force.
    return undefined;
  }
}

export function blocksRegister(firstName: string, blocks: Blocks, nowMs: number): Omit<Register, "stamp"> {
  return { firstName, document: textOf(blocks), createdMs: nowMs };
}

function textOf(blocks: Blocks): string {
  return JSON.stringify([...blocks].map(([number, { atMs, untilMs }]) => [number, atMs, untilMs]));
}

/** What is kept of orders at `nowMs`. */
function keptOf(blocks: Blocks, nowMs: number): Blocks {
  return new Map([...blocks].filter(([, { atMs }]) => atMs + BLOCK_DAYS_MAX * DAY_MS > nowMs));
}

export class BlockedVisitors {
  #blocks: Blocks = NONE;
  /** When the last block ends, in Unix ms; 0 if there never was one. A field, as every request asks. */
  untilMs = 0;

  constructor(register: Register | undefined) {
    this.apply(blocksIn(register) ?? NONE);
  }

  /** The block of a visitor, unless it has ended. */
  of(number: string, nowMs: number): Block | undefined {
    const block = this.#blocks.get(number);
    return block !== undefined && block.untilMs > nowMs ? block : undefined;
  }

  /** All orders with one more, which counts from now on; undefined if there are too many. */
  with(number: string, untilMs: number, nowMs: number): Blocks | undefined {
    if (!Number.isSafeInteger(untilMs))
      throw new Error(`Cannot block a visitor until ${untilMs} as it is no time in ms`);
    const blocks = keptOf(this.#blocks, nowMs);
    const before = blocks.get(number);
    if (before === undefined && blocks.size >= BLOCKED_MAX) return undefined;
    const atMs = before === undefined ? nowMs : Math.max(nowMs, before.atMs + 1);
    return merged(blocks, new Map([[number, { atMs, untilMs }]]));
  }

  /** Takes in what another node has written. Returns what is to be written, if something is missing there. */
  hear(register: Register, nowMs: number): Blocks | undefined {
    const read = blocksIn(register);
    if (read === undefined) return undefined;
    const told = keptOf(read, nowMs);
    const all = keptOf(merged(this.#blocks, told), nowMs);
    this.apply(all);
    return textOf(all) === textOf(told) ? undefined : all;
  }

  apply(blocks: Blocks): void {
    this.#blocks = blocks;
    this.untilMs = Math.max(0, ...blocks.values().map((block) => block.untilMs));
  }
}
