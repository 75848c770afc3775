import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ChunkedDecoder } from "../../../node/http/chunked.ts";
import { DEFAULT_HTTP_LIMITS as limits } from "../../../node/http/limits.ts";

interface Decoded {
  readonly text: string;
  readonly state: "done" | "more" | "malformed";
  readonly trailers: readonly string[];
  /** Bytes of the input that belong to the body. */
  readonly used: number;
}

/** Decodes `wire` in pieces of `sizes` bytes, over and over. */
function decode(wire: string, sizes: readonly number[] = [wire.length]): Decoded {
  const decoder = new ChunkedDecoder(limits);
  const bytes = Buffer.from(wire, "latin1");
  let text = "";
  let at = 0;
  for (let turn = 0; at < bytes.length && !decoder.done; turn += 1) {
    const piece = bytes.subarray(at, at + (sizes[turn % sizes.length] ?? 1));
    const used = decoder.feed(piece, { body: (part) => (text += part.toString("latin1")) });
    if (used < 0) return { text, state: "malformed", trailers: [], used: at };
    at += used;
  }
  return { text, state: decoder.done ? "done" : "more", trailers: decoder.trailers, used: at };
}

describe("a chunked body", () => {
  test("is read up to its end and no further", () => {
    expect(decode("5\r\nhello\r\n00A;name=value\r\n, visitors\r\n0\r\n\r\nGET / HTTP/1.1")).toEqual({
      text: "hello, visitors",
      state: "done",
      trailers: [],
      used: 43,
    });
  });

  test("may end with trailers; those that could change routing, framing or who asks are dropped", () => {
    const { trailers, state } = decode(
      "0\r\nChecksum: 1\r\nHost: x\r\nX-Forwarded-For: x\r\nCookie: a\r\nIf-Match: a\r\nSet-Cookie: a\r\nX_Y: 1\r\nAnteroom-Pass: a\r\nCF-Waiting-Room-Command: revoke\r\nDigest: 2\r\n\r\n",
    );
    expect(state).toBe("done");
    expect(trailers).toEqual(["Checksum", "1", "Digest", "2"]);
  });

  // What llhttp refuses too, llhttp/laws.test.ts has in all its forms.
  test.each([
    ["a size too long", "0000000000005\r\nhello\r\n0\r\n\r\n"],
    ["a bare LF after the size", "5\nhello\r\n0\r\n\r\n"],
    ["a letter for the CR after its data", "5\r\nhello.\n0\r\n\r\n"],
    ["a letter for the LF after its data", "5\r\nhello\r.0\r\n\r\n"],
    ["endless extensions", `5;${"a".repeat(limits.chunkExtensionBytesMax + 1)}\r\n`],
    ["many extensions", "1;aaaaaaaaa\r\nx\r\n".repeat(limits.chunkExtensionBytesMax / 8)],
    ["endless trailers", `0\r\n${"X: 1\r\n".repeat(2_000)}`],
    ["a length in the trailers", "0\r\nContent-Length: 5\r\n\r\n"],
    ["a length in disguise in the trailers", "0\r\nContent_Length: 5\r\n\r\n"],
  ])("with %s is malformed", (_, wire) => expect(decode(wire).state).toBe("malformed"));

  test("law: what was written in chunks is read as it was, however the bytes arrive", () => {
    const chunk = fc.string({ minLength: 1, maxLength: 40, unit: fc.constantFrom("a", "\r", "\n", "0", ";", "\xff") });
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.array(chunk), sizes, (chunks, pieces) => {
        const wire = `${chunks.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join("")}0\r\nA: b\r\n\r\n`;
        const expected = { text: chunks.join(""), state: "done", trailers: ["A", "b"], used: wire.length };
        expect(decode(wire, pieces)).toEqual(expected);
      }),
    );
  });

  test("law: bytes are judged the same, however they arrive", () => {
    const wire = fc.string({ maxLength: 30, unit: fc.constantFrom("1", "0", "a", "\r\n", "\r", "\n", ";", " ", ":") });
    fc.assert(
      fc.property(wire, (text) => {
        expect(decode(text, [1]).state).toBe(decode(text).state);
        expect(decode(text, [1]).text).toBe(decode(text).text);
      }),
    );
  });
});
