import { describe, expect, test } from "vitest";
import { fieldLines, separateFields, withoutHandled } from "../../../node/http/fields.ts";

describe("writing fields", () => {
  test("keeps order, case, duplicates and high bytes", () => {
    expect(fieldLines(["B", "1", "a", "\xe9", "B", ""])).toBe("B: 1\r\na: \xe9\r\nB: \r\n");
  });

  test.each([
    ["a line break in a value", ["X", "a\r\nSet-Cookie: b"]],
    ["a bare LF in a value", ["X", "a\nb"]],
    ["NUL in a value", ["X", "a\0"]],
    ["text beyond latin1", ["X", "→"]],
    ["a space in a name", ["X Y", "a"]],
    ["an empty name", ["", "a"]],
  ])("with %s throws", (_, fields) => expect(() => fieldLines(fields)).toThrow("Cannot write a field"));

  test("leaves out what only the HTTP layer may write", () => {
    const fields = [
      "Host",
      "h",
      "Content-Length",
      "3",
      "A",
      "1",
      "TRANSFER-ENCODING",
      "chunked",
      "Connection",
      "close",
      "Expect",
      "x",
    ];
    expect(withoutHandled(fields)).toEqual(["Host", "h", "A", "1"]);
  });
});

describe("fields of one hop", () => {
  test("are those that RFC 9110 §7.6.1 names, and those that Connection lists", () => {
    const separated = separateFields([
      ...[
        "Connection",
        "close, X-Mine",
        "x-mine",
        "1",
        "Keep-Alive",
        "timeout=3",
        "Proxy-Connection",
        "x",
        "TE",
        "trailers",
      ],
      ...["Transfer-Encoding", "chunked", "Upgrade", "h2c", "Cookie", "a"],
    ]);
    expect(separated?.endToEnd).toEqual(["Cookie", "a"]);
    expect(separated).toMatchObject({ connection: "close, x-mine", transferEncoding: "chunked", upgrade: "h2c" });
  });
});
