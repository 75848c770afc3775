import { describe, expect, test } from "vitest";
import type { NodeId } from "../../mesh/core/ids.ts";
import type { Hello } from "../../mesh/core/wire/hello.ts";
import { WIRE_VERSION } from "../../mesh/core/wire/wire-range.ts";
import { readHello, readRefusal, writeHello, writeRefusal } from "../../mesh/hello-frame.ts";
import { HELLO } from "../contract/transport.ts";

const hello: Hello = { ...HELLO, node: "node" as NodeId, addresses: ["/ip4/10.0.0.5/tcp/8082"] };

describe("a hello", () => {
  test("comes out as it went in", () => expect(readHello(writeHello(hello))).toEqual(hello));

  test("reports no more than 16 addresses", () => {
    const addresses = Array.from({ length: 50 }, (_, at) => `/ip4/10.0.0.${at}/tcp/1`);
    expect(readHello(writeHello({ ...hello, addresses }))?.addresses).toEqual(addresses.slice(0, 16));
  });

  test.each<[string, unknown]>([
    ["no JSON", "{"],
    ["no object", [1]],
    ["null", null],
    ["too long", { ...hello, more: "x".repeat(10_000) }],
    ["without a field", { ...hello, locality: undefined }],
    ["with a text as number", { ...hello, incarnation: "7" }],
    ["with a negative number", { ...hello, minuteMs: -1 }],
    ["with a fraction", { ...hello, incarnation: 1.5 }],
    ["with a long text", { ...hello, locality: "x".repeat(301) }],
    ["with a line break", { ...hello, version: "1\n2" }],
    ["with too many addresses", { ...hello, addresses: Array.from({ length: 17 }, () => "a") }],
    ["with an address that is no text", { ...hello, addresses: [7] }],
    ["without a wire version", { ...hello, wire: undefined }],
    ["that understands a text", { ...hello, understands: "4" }],
    ["that understands from 5 to 4", { ...hello, understands: [5, 4] }],
    ["that understands one bound only", { ...hello, understands: [4] }],
  ])("%s is none", (_, value) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    expect(readHello(new TextEncoder().encode(text))).toBeUndefined();
  });

  test("of a newer release loses fields that are not known here", () => {
    const newer = { ...hello, understands: [WIRE_VERSION, WIRE_VERSION + 1] as const };
    expect(readHello(new TextEncoder().encode(JSON.stringify({ ...newer, colours: ["red"] })))).toEqual(newer);
  });

  test("of another wire version may lack everything but the versions and the node", () => {
    const wire = WIRE_VERSION + 1;
    const text = JSON.stringify({ wire, understands: [wire, wire], version: "9.9.9", node: "node", mesh: { id: 7 } });
    expect(readHello(new TextEncoder().encode(text))).toMatchObject({ wire, version: "9.9.9", mesh: "" });
  });
});

describe("a refusal", () => {
  test("has a reason, and the hello of who refuses without its addresses", () => {
    const refusal = readRefusal(writeRefusal("because", hello));
    expect(refusal).toEqual({ reason: "because", hello: { ...hello, addresses: [] }, newest: undefined });
  });

  test("that cannot be read is one all the same", () => {
    expect(readRefusal(Buffer.from("no"))).toEqual({ reason: "", hello: undefined });
  });
});

test("a name is read where it is one; an earlier release sends none", () => {
  expect(readHello(writeHello({ ...hello, name: "gate1" }))?.name).toBe("gate1");
  for (const name of ["", "two words", "n".repeat(65), 7])
    expect(readHello(Buffer.from(JSON.stringify({ ...hello, name })))).toEqual(hello);
});
