import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { targetOf, withToken } from "../../../../node/adapters/queue-it/target.ts";

const ROOM = { eventId: "e", protects: ["https://www.shop.example/tickets", "http://shop.example:3000/"] };

describe("where a visitor goes back to", () => {
  test.each([
    ["https://www.shop.example/a?b=c#d", "https://www.shop.example/a?b=c#d"],
    ["https://WWW.shop.example/", "https://www.shop.example/"],
    // Behind a proxy that ends TLS.
    ["http://www.shop.example/a", "https://www.shop.example/a"],
    ["https://shop.example:3000/x", "http://shop.example:3000/x"],
    ["https://www.shop.example//evil.example", "https://www.shop.example//evil.example"],
    ["https:\\\\www.shop.example\\a", undefined],
    [`https://www.shop.example/${"a".repeat(5_000)}`, undefined],
    [null, "https://www.shop.example/tickets"],
    ["", "https://www.shop.example/tickets"],
  ])("%s becomes %s", (asked, expected) => {
    expect(targetOf(ROOM, asked)?.href).toBe(expected);
  });

  test("whatever is asked for, it is at a site of the room or refused", () => {
    const part = fc.constantFrom(
      ..."https://www.shop.example/|@|\\|//|:3000|:|evil.example|%2f|\t|\n|?|#|user|[::1]".split("|"),
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(part, fc.string({ maxLength: 3 })), { maxLength: 8 }), (parts) => {
        const target = targetOf(ROOM, parts.join(""));
        if (target === undefined) return;
        const location = new URL(withToken(target, "t"));
        expect(["https://www.shop.example", "http://shop.example:3000"]).toContain(location.origin);
        expect(location.username).toBe("");
      }),
      { numRuns: 2_000 },
    );
  });
});

test("a token takes the place of an earlier one, and stands before the fragment", () => {
  const target = new URL("https://a.example/p?x=1&QueueItToken=old&y=%20#f");
  expect(withToken(target, "new")).toBe("https://a.example/p?x=1&y=%20&queueittoken=new#f");
  expect(withToken(new URL("https://a.example/p"), "new")).toBe("https://a.example/p?queueittoken=new");
});
