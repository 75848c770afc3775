import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Codec, MESSAGE_BYTES_MAX } from "../../../../mesh/core/wire/codec.ts";
import { byteString, listOf, nodeId, rowData, whole } from "../../../../mesh/core/wire/shapes.ts";
import { WIRE_VERSION } from "../../../../mesh/core/wire/wire-range.ts";

const ping = z.object({ kind: z.literal("ping"), call: whole, name: nodeId });
const blob = z.object({ kind: z.literal("blob"), bytes: byteString(MESSAGE_BYTES_MAX), rows: listOf(rowData, 3) });
const codec = new Codec({ ping, blob });

const pings = fc.record({
  kind: fc.constant("ping" as const),
  call: fc.maxSafeNat(),
  name: fc.stringMatching(/^[\w.:-]{1,64}$/),
});
const blobs = fc.record({
  kind: fc.constant("blob" as const),
  bytes: fc.uint8Array({ maxLength: 300 }),
  rows: fc.constantFrom([], [{ account: "anna", gifts: [], counts: [] }]),
});
const messages = fc.array(fc.oneof(pings, blobs), { minLength: 1, maxLength: 6 });
const large = (bytes: number) => ({ kind: "blob", bytes: new Uint8Array(bytes), rows: [] });
const ofAnna: { kind: string; call: number; name: string } = { kind: "ping", call: 1, name: "anna" };
/** Bytes of a frame around a blob of more than 65,535 bytes: version, map, keys, values, the length of the blob. */
const AROUND = 1 + codec.encode([large(100_000)]).length - 1 - 100_000;

describe("a frame", () => {
  test("holds messages in order and gives them back as they were", () => {
    fc.assert(
      fc.property(messages, (some) => {
        expect(codec.decode(codec.encode(some))).toEqual({ ok: true, messages: some });
      }),
    );
  });

  test("may have the largest size of a message, and no byte more", () => {
    const most = codec.encode([large(MESSAGE_BYTES_MAX - AROUND)]);
    expect(most.length).toBe(MESSAGE_BYTES_MAX);
    expect(codec.decode(most).ok).toBe(true);
    expect(() => codec.encode([large(MESSAGE_BYTES_MAX - AROUND + 1)])).toThrow(
      "Cannot encode blob as there must be 2 to 8388608 bytes: current value is 8388609",
    );
    expect(codec.decode(new Uint8Array(MESSAGE_BYTES_MAX + 1))).toMatchObject({ ok: false, reason: "size" });
    expect(() => codec.encode([])).toThrow("Cannot encode no messages");
  });
});

describe("what comes in", () => {
  const good = codec.encode([ofAnna]);

  test.each([
    ["nothing", new Uint8Array(0), "version"],
    ["another version", Uint8Array.from([WIRE_VERSION + 1, ...good.subarray(1)]), "version"],
    ["no message", good.subarray(0, 1), "bytes"],
    ["half a message", good.subarray(0, good.length - 1), "bytes"],
    ["a message without kind", Uint8Array.from([WIRE_VERSION, 0x80]), "kind"],
    ["a kind that is no text", Uint8Array.from([WIRE_VERSION, 0x81, 0xa4, 0x6b, 0x69, 0x6e, 0x64, 0x01]), "kind"],
    ["no object", Uint8Array.from([WIRE_VERSION, 0x01]), "kind"],
    ["null", Uint8Array.from([WIRE_VERSION, 0xc0]), "kind"],
    ["a wrong field", codec.encode([{ kind: "ping", call: -1, name: "anna" } as { kind: string }]), "shape"],
    [
      "one wrong message of two",
      codec.encode([{ kind: "ping", call: 1, name: "anna" } as never, { kind: "ping" }]),
      "shape",
    ],
  ])("as %s is refused with a reason", (_, frame, reason) =>
    expect(codec.decode(frame)).toMatchObject({ ok: false, reason }),
  );

  test("says which field is wrong, without its content", () => {
    const frame = codec.encode([{ kind: "ping", call: 1, name: "an na" } as { kind: string }]);
    expect(codec.decode(frame)).toEqual({ ok: false, reason: "shape", detail: "ping: name invalid_format" });
  });

  test.each(["pong", "constructor", "__proto__"])("is without messages of a kind that only others know: %s", (kind) => {
    const frame = codec.encode([{ kind }, ofAnna, { kind }]);
    expect(codec.decode(frame)).toEqual({ ok: true, messages: [ofAnna], ignored: 2 });
  });

  test("may have any wire version that is understood, and is written in the one that is spoken", () => {
    const { ping: shape } = { ping };
    const of = (oldest: number, newest: number) => new Codec({ ping: shape }, [oldest, newest]);
    const frame = of(6, 7).encode([ofAnna], 7);
    expect(frame[0]).toBe(7);
    expect(of(6, 7).encode([ofAnna])[0]).toBe(6);
    expect(of(7, 8).decode(frame)).toEqual({ ok: true, messages: [ofAnna] });
    for (const other of [of(5, 6), of(8, 9)])
      expect(other.decode(frame)).toMatchObject({ ok: false, reason: "version" });
  });

  test("never throws for any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (some) => {
        expect(codec.decode(some).ok).toBe(false);
        codec.decode(Uint8Array.from([WIRE_VERSION, ...some]));
      }),
      { numRuns: 2_000 },
    );
  });

  test("never throws on a good frame of which bytes were changed", () => {
    fc.assert(
      fc.property(
        messages,
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        (some, changes) => {
          const frame = codec.encode(some);
          for (const [at, byte] of changes) frame[at % frame.length] = byte;
          const decoded = codec.decode(frame);
          if (!decoded.ok || decoded.messages.length === 0) return;
          const { messages: known } = decoded;
          expect(codec.decode(codec.encode(known))).toEqual({ ok: true, messages: known });
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
