import { describe, expect, test } from "vitest";
import { sentBetween, sentIn } from "./wire.ts";

describe("bytes between nodes", () => {
  test("both ends of a connection count, other connections and those without a count of their own do not", () => {
    const text = [
      "0      0      127.0.0.1:7001   127.0.0.1:50001",
      "\t cubic rto:204 bytes_sent:1200 bytes_acked:1200 bytes_received:300",
      "0      0      127.0.0.1:50001  127.0.0.1:7001",
      "\t cubic rto:204 bytes_sent:300 bytes_acked:300",
      "0      0      127.0.0.1:8080   127.0.0.1:50002",
      "\t cubic bytes_sent:99",
      "0      0      [::1]:50003      [::1]:7001",
      "\t cubic rto:204",
    ].join("\n");
    expect([...sentIn(text, new Set([7001]))]).toEqual([
      ["127.0.0.1:7001 127.0.0.1:50001", 1200],
      ["127.0.0.1:50001 127.0.0.1:7001", 300],
      ["[::1]:50003 [::1]:7001", 0],
    ]);
  });

  test("a connection that is new counts from its beginning, one that has ended not at all", () => {
    const before = new Map([
      ["a", 100],
      ["gone", 5_000],
    ]);
    const after = new Map([
      ["a", 150],
      ["new", 30],
    ]);
    expect(sentBetween(before, after)).toBe(80);
  });
});
