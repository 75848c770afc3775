import { describe, expect, test } from "vitest";
import { serverNameIn } from "../../../node/http/client-hello.ts";

/** A hello that asks for `name`, and for nothing else. */
function hello(name: string): Buffer {
  const entry = Buffer.concat([Buffer.from([0]), counted(Buffer.from(name), 2)]);
  const extension = Buffer.concat([Buffer.from([0, 0]), counted(counted(entry, 2), 2)]);
  const lists = [counted(Buffer.alloc(0), 1), counted(Buffer.from([0x13, 1]), 2), counted(Buffer.from([0]), 1)];
  const body = Buffer.concat([Buffer.from([3, 3]), Buffer.alloc(32), ...lists, counted(extension, 2)]);
  return Buffer.concat([Buffer.from([1]), counted(body, 3)]);
}

function counted(bytes: Buffer, lengthBytes: number): Buffer {
  const length = Buffer.alloc(lengthBytes);
  length.writeUIntBE(bytes.length, 0, lengthBytes);
  return Buffer.concat([length, bytes]);
}

/** `bytes` in records of at most `size` bytes. */
function inRecords(bytes: Buffer, size: number): Buffer {
  const records: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    records.push(Buffer.from([22, 3, 1]), counted(bytes.subarray(at, at + size), 2));
  }
  return Buffer.concat(records);
}

describe("the name in a TLS client hello", () => {
  test.each([10_000, 60, 3])("is read from records of %i bytes, once it is whole", (size) => {
    const bytes = inRecords(hello("Shop.Example"), size);
    for (let length = 0; length < bytes.length; length++) {
      expect(serverNameIn(bytes.subarray(0, length))).toBeUndefined();
    }
    expect(serverNameIn(bytes)).toBe("shop.example");
  });

  test("is looked for in a few records only: each piece that comes makes us look again", () => {
    const long = Buffer.concat([Buffer.from([1, 0, 0xff, 0xff]), Buffer.alloc(5_000)]);
    expect(serverNameIn(inRecords(long, 1))).toBe("");
    expect(serverNameIn(inRecords(long, 1).subarray(0, 64 * 6))).toBeUndefined();
  });

  test("is empty where there is none", () => {
    expect(serverNameIn(Buffer.from("GET / HTTP/1.1\r\n"))).toBe("");
    expect(serverNameIn(inRecords(hello("").subarray(0, 39), 10_000))).toBeUndefined();
  });
});
