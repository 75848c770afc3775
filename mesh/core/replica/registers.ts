/**
 * What operators decide, replicated: last-writer-wins registers, ordered by a hybrid logical clock. There is one for
 * each room's configuration, one for each order about a room, and more of other kinds (register-keys.ts).
 *
 * Any node may write any room's register, and signs what it writes; the last writer is the same at every node. A
 * deleted room's register stays, without a document, so that an older copy of it does not restore the room. A stamp too
 * far ahead of the local clock is refused: it would win over everything that operators do until then. It is offered
 * again when its time is near.
 *
 * Whether the writer is still a member does not matter: a room outlives the node on which it was created.
 */

import { z } from "zod";
import type { NodeId } from "../ids.ts";
import { packed, unpacked } from "../wire/packed.ts";
import { nodeId, ROOM_BYTES_MAX, ROOMS_MAX, roomId, unixMs, whole } from "../wire/shapes.ts";
import { type Signatures, type Signed, signable } from "../wire/signed.ts";
import { compareStamps, HybridClock, type Stamp } from "./hybrid-clock.ts";
import { isTooMany, kindOf, type RegisterKey, type RegisterKind } from "./register-keys.ts";

export interface Register {
  /** The name under which the room was first created; its id is a hash of that name. */
  readonly firstName: string;
  /** The room's document, or the order, as JSON text; undefined for a deleted room and where there is no order. */
  readonly document: string | undefined;
  readonly createdMs: number;
  readonly stamp: Stamp;
}

/**
 * Bytes of one register: a document, and what nodes themselves write beside its fields (a rollout, names, times, the
 * stamp).
 */
export const REGISTER_BYTES_MAX = ROOM_BYTES_MAX + 16 * 1024;

/**
 * How far ahead of the local clock a stamp may be, in ms. Clocks this far apart stop a node anyway; a minute leaves
 * room for repair.
 */
export const AHEAD_MS_MAX = 60_000;

/** A key is a name like any other. */
export const registerKey = roomId as unknown as z.ZodType<RegisterKey>;

/**
 * Fields that a newer release adds after all this are left out. The bytes stay as they came, and are passed on with
 * those fields.
 */
const body = z
  .tuple([registerKey, z.string().max(200), z.string().nullable(), unixMs, z.tuple([unixMs, whole, nodeId])])
  .rest(z.unknown());

/** What happened to a register that was received. */
export type HeardRegister =
  | "changed"
  | "known"
  | "badRegister"
  | "badSignature"
  | "registerTooFarAhead"
  | "tooManyRooms";

/** A register's key and stamp, as exchanged to find differences. */
export type RegisterStamp = readonly [key: RegisterKey, wallMs: number, counter: number, node: NodeId];

interface Held {
  readonly register: Register;
  readonly signed: Signed;
}

interface RegistersOptions {
  readonly self: NodeId;
  readonly mesh: string;
  readonly signatures: Signatures;
  /** Puts a register on disk before it is sent. */
  readonly store: (key: RegisterKey, signed: Signed) => void;
  readonly changed: (key: RegisterKey, register: Register) => void;
  /** A register applies here: read from disk, written, or received. */
  readonly kept?: (key: RegisterKey, register: Register) => void;
}

export class Registers {
  readonly #options: RegistersOptions;
  #clock: HybridClock;
  readonly #held = new Map<RegisterKey, Held>();
  /** Written here and not sent yet. */
  readonly #unsent = new Set<RegisterKey>();
  #digest = 0;

  constructor(options: RegistersOptions) {
    this.#options = options;
    this.#clock = new HybridClock(options.self);
  }

  get(key: RegisterKey): Register | undefined {
    return this.#held.get(key)?.register;
  }

  /** All registers, including those of deleted rooms. */
  all(): ReadonlyMap<RegisterKey, Register> {
    return new Map([...this.#held].map(([key, { register }]) => [key, register]));
  }

  /**
   * Writes rooms' registers, all or none; they win over everything that this node has seen. Asserts that they fit.
   * `before` may put them on disk, and stop the write by throwing.
   */
  set(
    values: ReadonlyMap<RegisterKey, Omit<Register, "stamp">>,
    nowMs: number,
    before: (written: readonly (readonly [RegisterKey, Signed])[]) => void = () => {},
  ): ReadonlyMap<RegisterKey, Register> {
    const all = [...new Set([...this.#held.keys(), ...values.keys()])];
    const rooms = all.filter((key) => kindOf(key) === "room").length;
    if (isTooMany("room", rooms))
      throw new RangeError(
        `Cannot create another room as there are at most ${ROOMS_MAX}, deleted ones included: current value is ${rooms}`,
      );
    const written = [...values].map(([key, value]) => this.#written(key, value, nowMs));
    before(written.map(([key, { signed }]) => [key, signed]));
    for (const [key, held] of written) {
      this.#hold(key, held);
      this.#unsent.add(key);
    }
    return new Map(written.map(([key, { register }]) => [key, register]));
  }

  /**
   * Writes again what is stamped too far ahead of `nowMs`, the time of most nodes, as they refuse it: it was written by
   * a clock that was wrong. The new stamp is `aheadMs` earlier, as this node's clock is so far ahead, and not later
   * than now. Returns the keys.
   */
  restamp(nowMs: number, aheadMs: number): readonly RegisterKey[] {
    if (this.#clock.wallMs <= nowMs + AHEAD_MS_MAX) return [];
    const all = [...this.#held];
    const ahead = all.filter(([, { register }]) => register.stamp.wallMs > nowMs + AHEAD_MS_MAX);
    this.#clock = new HybridClock(this.#options.self);
    for (const [, { register }] of all)
      if (register.stamp.wallMs <= nowMs + AHEAD_MS_MAX) this.#clock.saw(register.stamp);
    for (const [key, { register }] of ahead) {
      const wallMs = Math.min(nowMs, register.stamp.wallMs - aheadMs);
      const stamp = { wallMs, counter: register.stamp.counter, node: this.#options.self };
      const again = { ...register, stamp };
      this.#hold(key, this.#signed(key, again));
      this.#unsent.add(key);
      this.#options.changed(key, again);
    }
    return ahead.map(([key]) => key);
  }

  #written(key: RegisterKey, value: Omit<Register, "stamp">, nowMs: number): readonly [RegisterKey, Held] {
    return [key, this.#signed(key, { ...value, stamp: this.#clock.next(nowMs) })];
  }

  #signed(key: RegisterKey, register: Register): Held {
    const bytes = bytesOf(key, register);
    if (bytes.length > REGISTER_BYTES_MAX)
      throw new RangeError(
        `Cannot write a register as it must fit into ${REGISTER_BYTES_MAX} bytes: current value is ${bytes.length}`,
      );
    return { register, signed: { bytes, signature: this.#options.signatures.sign(this.#signable(bytes)) } };
  }

  /** Takes in a register that another node passed on. */
  heard(signed: Signed, nowMs: number): HeardRegister {
    const read = registerOf(signed.bytes);
    if (read === undefined) return "badRegister";
    const [key, register] = read;
    const held = this.#held.get(key);
    if (held !== undefined && compareStamps(register.stamp, held.register.stamp) <= 0) return "known";
    const kind = kindOf(key);
    if (held === undefined && isTooMany(kind, this.#countOf(kind) + 1)) return "tooManyRooms";
    if (register.stamp.wallMs > nowMs + AHEAD_MS_MAX) return "registerTooFarAhead";
    const { signatures, changed } = this.#options;
    if (!signatures.verify(register.stamp.node, this.#signable(signed.bytes), signed.signature)) return "badSignature";
    this.#hold(key, { register, signed });
    this.#unsent.delete(key);
    changed(key, register);
    return "changed";
  }

  /** Takes in a register from the own disk. */
  restore(signed: Signed): void {
    const read = registerOf(signed.bytes);
    if (read === undefined)
      throw new TypeError(
        `Cannot read a room from the store as it is damaged: current value is ${signed.bytes.length} bytes`,
      );
    this.#keep(read[0], { register: read[1], signed });
  }

  /** A digest that is equal where all registers are equal; different registers collide once in 2^53 times. */
  get digest(): number {
    return this.#digest;
  }

  stamps(): RegisterStamp[] {
    return [...this.#held].map(([key, { register }]) => stampOf(key, register));
  }

  /**
   * Compares with another node's stamps: returns the registers that are newer here, and the rooms whose registers are
   * newer there.
   */
  compare(stamps: readonly RegisterStamp[]): {
    readonly newer: readonly Signed[];
    readonly older: readonly RegisterKey[];
  } {
    const theirs = new Map(stamps.map(([key, wallMs, counter, node]) => [key, { wallMs, counter, node }]));
    const newer = [...this.#held].flatMap(([key, { register, signed }]) => {
      const their = theirs.get(key);
      return their === undefined || compareStamps(register.stamp, their) > 0 ? [signed] : [];
    });
    const older = [...theirs].flatMap(([key, their]) => {
      const held = this.#held.get(key);
      return held === undefined || compareStamps(their, held.register.stamp) > 0 ? [key] : [];
    });
    return { newer, older };
  }

  signed(key: RegisterKey): Signed | undefined {
    return this.#held.get(key)?.signed;
  }

  /** Rooms written here since they were last sent. */
  get unsent(): ReadonlySet<RegisterKey> {
    return this.#unsent;
  }

  noteSent(key: RegisterKey): void {
    this.#unsent.delete(key);
  }

  #countOf(kind: RegisterKind): number {
    let count = 0;
    for (const key of this.#held.keys()) if (kindOf(key) === kind) count += 1;
    return count;
  }

  #hold(key: RegisterKey, held: Held): void {
    this.#options.store(key, held.signed);
    this.#keep(key, held);
  }

  #keep(key: RegisterKey, held: Held): void {
    this.#clock.saw(held.register.stamp);
    const before = this.#held.get(key);
    this.#digest = combined(this.#digest, before === undefined ? 0 : hashOf(stampOf(key, before.register)));
    this.#digest = combined(this.#digest, hashOf(stampOf(key, held.register)));
    this.#held.set(key, held);
    this.#options.kept?.(key, held.register);
  }

  #signable(bytes: Uint8Array): Uint8Array {
    return signable(`room ${this.#options.mesh}`, bytes);
  }
}

function bytesOf(key: RegisterKey, { firstName, document, createdMs, stamp }: Register): Uint8Array {
  return packed([key, firstName, document ?? null, createdMs, [stamp.wallMs, stamp.counter, stamp.node]]);
}

function registerOf(bytes: Uint8Array): readonly [RegisterKey, Register] | undefined {
  const read = body.safeParse(unpacked(bytes)?.[0]);
  if (!read.success) return undefined;
  const [key, firstName, document, createdMs, [wallMs, counter, node]] = read.data;
  return [key, { firstName, document: document ?? undefined, createdMs, stamp: { wallMs, counter, node } }];
}

function stampOf(key: RegisterKey, { stamp }: Register): RegisterStamp {
  return [key, stamp.wallMs, stamp.counter, stamp.node];
}

/** Exclusive or of two numbers of 53 bits: adds a hash, or removes it if it was present. */
function combined(one: number, other: number): number {
  const high = Math.floor(one / 2 ** 32) ^ Math.floor(other / 2 ** 32);
  return high * 2 ** 32 + ((one ^ other) >>> 0);
}

/** Two rounds of FNV-1a with the mixer of MurmurHash3, 53 bits of them. */
function hashOf(stamp: RegisterStamp): number {
  const text = stamp.join(" ");
  let low = 0x811c9dc5;
  let high = 0x9e3779b9;
  for (let at = 0; at < text.length; at++) {
    low = Math.imul(low ^ text.charCodeAt(at), 0x01000193);
    high = Math.imul(high ^ text.charCodeAt(at), 0x85ebca6b);
  }
  return (mixed(high) & 0x1fffff) * 2 ** 32 + mixed(low);
}

function mixed(value: number): number {
  let mix = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35);
  return (mix ^ (mix >>> 16)) >>> 0;
}
