import { describe, expect, test } from "vitest";
import { readCommands } from "../../../node/gate/origin-commands.ts";

/** What is read of one value, in short: commands, and why others are not. */
function read(...values: string[]): string {
  const { commands, faults } = readCommands(values.flatMap((value) => ["Anteroom-Command", value]));
  const texts = commands.map(({ name, reason, minutes, keepsCookie }) =>
    [name, reason ?? "-", minutes, keepsCookie && "keep"].filter(Boolean).join(" "),
  );
  return [...texts, ...faults.map(({ why }) => why)].join(", ");
}

describe("the commands of an answer", () => {
  test.each([
    ["revoke", "revoke -"],
    ["complete; reason=order-placed", "complete order-placed"],
    ['complete;reason="Order_Placed"', "complete order_placed"],
    ["complete; cookie=keep; reason=a", "complete a keep"],
    ["extend", "extend -"],
    ["extend; minutes=3; reason=checkout", "extend checkout 3"],
    ["extend, complete; reason=x", "extend -, complete x"],
    ["revoke,,revoke", "revoke -, revoke -"],
    ["", ""],
    ["ban", "unknown"],
    ["revoked", "unknown"],
    ["revoke x", "unknown"],
    ["extend; minutes=0", "malformed"],
    ["extend; minutes=99999", "malformed"],
    ["revoke; reason=two words", "revoke -, malformed"],
    [`revoke; reason=${"x".repeat(33)}`, "revoke -, malformed"],
    [`revoke; reason=${"x".repeat(32)}`, `revoke ${"x".repeat(32)}`],
    ["revoke; minutes=3", "revoke -, malformed"],
    ["extend; cookie=keep", "extend -, malformed"],
  ])("%j: %s", (value, expected) => {
    expect(read(value)).toBe(expected);
  });

  test("of several fields count together, as far as they are read", () => {
    expect(read("extend", "revoke")).toBe("extend -, revoke -");
    expect(readCommands(["CF-WAITING-ROOM-COMMAND", "\trevoke "]).commands).toHaveLength(1);
    expect(readCommands(["X-Anteroom-Command", "revoke"]).commands).toEqual([]);
    expect(readCommands(["Anteroom-Command", "revoke,".repeat(10_000)]).commands).toHaveLength(8);
    const long = readCommands(["Anteroom-Command", `x${"y".repeat(10_000)}`]);
    expect(long.faults.map(({ text }) => text.length)).toEqual([100]);
  });
});
