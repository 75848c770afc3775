/**
 * Plain data as bytes: MessagePack, by msgpackr, limited to what this project uses.
 *
 * Received bytes are checked before msgpackr sees them. Accepted are null, booleans, finite numbers of at most 2^53 in
 * size, text, byte strings, and lists and maps of these with text as keys: all within the bytes that are there, not too
 * deep and not too many. Extensions are refused: msgpackr would turn them into dates, sets, errors, references and
 * records.
 *
 * The layout is that of the MessagePack specification (github.com/msgpack/msgpack, spec.md).
 */

// The entry point without the native string reader: that one gains nothing on short messages and does not stop at the
// end of a view.
import { Packr } from "msgpackr/pack";

/** Lists within lists. A message with a decided view has ten levels; each takes a stack frame. */
const DEPTH_MAX = 16;

/**
 * Values in one unpacking: as many, or one for four bytes. Each takes up to 16 bytes of memory, so the worst full frame
 * stays below 5 MB, and larger messages below five times their size.
 */
const VALUES_MAX = 2 ** 18;
const BYTES_PER_VALUE = 4;

/**
 * Keys without a value are left out, as JSON does; byte strings are copied, so that they do not keep their frame in
 * memory.
 */
const OPTIONS = { useRecords: false, mapsAsObjects: true, copyBuffers: true, skipValues: [undefined] };
const packr = new Packr(OPTIONS);

/** `value` as bytes. Asserts that it is plain data which `unpacked` accepts. */
export function packed(value: unknown): Uint8Array {
  const bytes = new Uint8Array(packr.pack(value));
  if (new Walk(bytes, 0).next() !== bytes.length)
    throw new TypeError(
      `Cannot pack a value as it must be plain data of finite numbers: current value is ${typeof value}`,
    );
  return bytes;
}

/** The values in `bytes` from `start` on; undefined if any of them is invalid. */
export function unpacked(bytes: Uint8Array, start = 0): unknown[] | undefined {
  const walk = new Walk(bytes, start);
  const ends: number[] = [];
  for (let end: number | undefined = start; end < bytes.length; ) {
    end = walk.next();
    if (end === undefined) return undefined;
    ends.push(end);
  }
  if (bench.length < 2 * bytes.length) bench = new Uint8Array(2 * bytes.length);
  const half = bench.length - bytes.length;
  bench.set(bytes, half);
  return ends.map((end, index) => {
    const from = ends[index - 1] ?? start;
    bench.copyWithin(0, half + from, half + end);
    return packr.unpack(bench, { start: 0, end: end - from });
  });
}

/**
 * Where msgpackr reads; each value is copied to the start, since viewing many small arrays costs more than copying them
 * here.
 */
let bench = new Uint8Array(64 * 1024);

/** For one float at a time: a view of the bytes costs more than most messages take to read. */
const FLOAT = new DataView(new ArrayBuffer(8));

/** Walks over bytes one value at a time, without building anything. */
class Walk {
  readonly #bytes: Uint8Array;
  #at: number;
  #valuesLeft: number;

  constructor(bytes: Uint8Array, start: number) {
    this.#bytes = bytes;
    this.#at = start;
    this.#valuesLeft = Math.max(VALUES_MAX, bytes.length / BYTES_PER_VALUE);
  }

  /** Where the next value ends; undefined if it is refused. */
  next(): number | undefined {
    return this.#value(0) ? this.#at : undefined;
  }

  #value(depth: number): boolean {
    this.#valuesLeft -= 1;
    const token = this.#bytes[this.#at];
    if (token === undefined || this.#valuesLeft < 0 || depth > DEPTH_MAX) return false;
    this.#at += 1;
    if (token <= 0x7f || token >= 0xe0) return true;
    if (token <= 0x8f) return this.#map(token & 0x0f, depth);
    if (token <= 0x9f) return this.#list(token & 0x0f, depth);
    if (token <= 0xbf) return this.#skip(token & 0x1f);
    switch (token) {
      case 0xc0: // nil
      case 0xc2: // false
      case 0xc3: // true
        return true;
      case 0xcb: // float 64, which also carries whole numbers above 32 bits
        return this.#float();
      case 0xcc: // uint 8, int 8
      case 0xd0:
        return this.#skip(1);
      case 0xcd: // uint 16, int 16
      case 0xd1:
        return this.#skip(2);
      case 0xce: // uint 32, int 32
      case 0xd2:
        return this.#skip(4);
      case 0xc4: // bin 8, str 8
      case 0xd9:
        return this.#skip(this.#size(1));
      case 0xc5: // bin 16, str 16
      case 0xda:
        return this.#skip(this.#size(2));
      case 0xc6: // bin 32, str 32
      case 0xdb:
        return this.#skip(this.#size(4));
      case 0xdc:
        return this.#list(this.#size(2), depth);
      case 0xdd:
        return this.#list(this.#size(4), depth);
      case 0xde:
        return this.#map(this.#size(2), depth);
      case 0xdf:
        return this.#map(this.#size(4), depth);
      default: // extensions, and integers of 64 bits, which msgpackr does not write
        return false;
    }
  }

  #list(length: number, depth: number): boolean {
    if (length > this.#bytes.length - this.#at) return false;
    for (let index = 0; index < length; index++) if (!this.#value(depth + 1)) return false;
    return true;
  }

  #map(length: number, depth: number): boolean {
    if (2 * length > this.#bytes.length - this.#at) return false;
    for (let index = 0; index < length; index++)
      if (!isText(this.#bytes[this.#at]) || !this.#value(depth + 1) || !this.#value(depth + 1)) return false;
    return true;
  }

  #float(): boolean {
    if (this.#at + 8 > this.#bytes.length) return false;
    for (let index = 0; index < 8; index++) FLOAT.setUint8(index, this.#bytes[this.#at + index] ?? 0);
    this.#at += 8;
    return Math.abs(FLOAT.getFloat64(0)) <= Number.MAX_SAFE_INTEGER;
  }

  /** A length of `width` bytes; if they are missing, more than there can be. */
  #size(width: 1 | 2 | 4): number {
    const end = this.#at + width;
    if (end > this.#bytes.length) return Number.POSITIVE_INFINITY;
    let size = 0;
    for (; this.#at < end; this.#at++) size = size * 256 + (this.#bytes[this.#at] ?? 0);
    return size;
  }

  #skip(length: number): boolean {
    this.#at += length;
    return this.#at <= this.#bytes.length;
  }
}

function isText(token: number | undefined): boolean {
  return token !== undefined && ((token >= 0xa0 && token <= 0xbf) || (token >= 0xd9 && token <= 0xdb));
}
