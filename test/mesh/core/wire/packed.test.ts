import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { packed, unpacked } from "../../../../mesh/core/wire/packed.ts";

const plainNumber = fc.oneof(fc.maxSafeInteger(), fc.double({ min: -1e15, max: 1e15, noNaN: true })).map((n) => n + 0);
const plainText = fc.string({ unit: "binary" }).filter((text) => text.isWellFormed() && !text.startsWith("\uFEFF"));
const plain = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constant(null),
    fc.boolean(),
    plainNumber,
    plainText,
    fc.uint8Array(),
    fc.array(tie("value"), { maxLength: 20 }),
    fc.dictionary(
      plainText.filter((key) => key !== "__proto__"),
      tie("value"),
      { maxKeys: 20, noNullPrototype: true },
    ),
  ),
})).value;

const bytes = (...values: number[]) => Uint8Array.from(values);

describe("packing", () => {
  test("and unpacking gives the same plain data back", () => {
    fc.assert(
      fc.property(plain, (value) => {
        expect(unpacked(packed(value))).toEqual([value]);
      }),
    );
  });

  test("several values one after the other is read in order", () => {
    fc.assert(
      fc.property(fc.array(plain, { maxLength: 5 }), (values) => {
        expect(unpacked(Uint8Array.from(values.flatMap((value) => [...packed(value)])))).toEqual(values);
      }),
    );
  });

  test("leaves out keys without a value", () => expect(unpacked(packed({ a: undefined, b: 1 }))).toEqual([{ b: 1 }]));

  test.each([
    ["NaN", Number.NaN],
    ["infinity", Number.POSITIVE_INFINITY],
    ["a number above 2^53", 2 ** 53],
    ["a date", new Date(0)],
    ["a big integer", 1n],
    ["an error", new Error("x")],
    ["undefined in a list", [undefined]],
    ["a number as key", new Map([[1, 2]])],
  ])("refuses %s: it would not be read", (_, value) => expect(() => packed(value)).toThrow(TypeError));
});

describe("unpacking", () => {
  test("never throws for any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (some) => void unpacked(some)),
      { numRuns: 2_000 },
    );
  });

  test("never throws on packed data of which bytes were changed, cut or added", () => {
    const change = fc.record({
      at: fc.nat(),
      byte: fc.nat(255),
      cut: fc.nat(3),
      more: fc.uint8Array({ maxLength: 3 }),
    });
    fc.assert(
      fc.property(plain, fc.array(change, { minLength: 1, maxLength: 3 }), (value, changes) => {
        let some = packed(value);
        for (const { at, byte, cut, more } of changes) {
          some[at % Math.max(1, some.length)] = byte;
          some = Uint8Array.from([...some.subarray(0, some.length - (at % 2 === 0 ? cut : 0)), ...more]);
        }
        const values = unpacked(some);
        if (values !== undefined) expect(values.map((read) => unpacked(packed(read))?.[0])).toEqual(values);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ["a list that says it is longer than the bytes", bytes(0xdd, 0xff, 0xff, 0xff, 0xff)],
    ["a map that says it is longer than the bytes", bytes(0xdf, 0xff, 0xff, 0xff, 0xff)],
    ["a text that says it is longer than the bytes", bytes(0xdb, 0xff, 0xff, 0xff, 0xff, 0x41)],
    ["a byte string cut off", bytes(0xc4, 0x02, 0x01)],
    ["a length cut off", bytes(0xc5, 0x01)],
    ["a float cut off", bytes(0xcb, 0x00)],
    ["the unused token", bytes(0xc1)],
    ["an extension: undefined", bytes(0xd4, 0x00, 0x00)],
    ["an extension: a record's definition", bytes(0xd4, 0x72, 0x40, 0x91, 0xa1, 0x61, 0x01)],
    ["an extension: a date", bytes(0xd6, 0xff, 0x00, 0x00, 0x00, 0x00)],
    ["an extension: a set", bytes(0xd4, 0x73, 0x00, 0x91, 0x01)],
    ["an extension: a reference", bytes(0xd6, 0x70, 0x00, 0x00, 0x00, 0x01)],
    ["an extension of any length", bytes(0xc7, 0x01, 0x78, 0x00)],
    ["an integer of 64 bits", bytes(0xcf, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01)],
    ["a signed integer of 64 bits", bytes(0xd3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)],
    ["a float of 32 bits", bytes(0xca, 0x00, 0x00, 0x00, 0x00)],
    ["NaN", bytes(0xcb, 0x7f, 0xf8, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00)],
    ["a number above 2^53", bytes(0xcb, 0x43, 0x40, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00)],
    ["a number as key", bytes(0x81, 0x01, 0x02)],
    ["a list as key", bytes(0x81, 0x90, 0x02)],
    ["lists within lists without end", new Uint8Array(1_000_000).fill(0x91)],
    ["a value more than there may be", new Uint8Array(2 ** 18 + 1)],
  ])("refuses %s", (_, some) => expect(unpacked(some)).toBe(undefined));

  test("does not let a key reach the prototype", () => {
    const [value] = unpacked(bytes(0x81, 0xa9, ...new TextEncoder().encode("__proto__"), 0x81, 0xa1, 0x78, 0x01)) ?? [];
    expect(({} as { x?: number }).x).toBe(undefined);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  test("copies byte strings, so that they do not keep their frame in memory", () => {
    const frame = packed([new Uint8Array([1, 2, 3]), "x".repeat(10_000)]);
    const [[read]] = unpacked(frame) as [[Uint8Array]];
    expect(read).toEqual(new Uint8Array([1, 2, 3]));
    expect(read.buffer.byteLength).toBe(3);
  });
});
