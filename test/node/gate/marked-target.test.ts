import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cleanTarget, languageIn, type Mark, markedTarget, marksIn, sendOn } from "../../../node/gate/marked-target.ts";
import { type Answered, FakeExchange } from "./fake-exchange.ts";

const aTarget = fc
  .tuple(
    fc.constantFrom("/", "/a", "//evil.example/", "/\\evil.example", "/a?b=c", "/?", "/?x&y=1"),
    fc.string({ unit: fc.constantFrom("a", "/", "?", "&", "=", "_", ".") }),
  )
  .map(([start, rest]) => start + rest)
  .filter((target) => !target.includes("__anteroom="));
const someMarks = fc.subarray<Mark>(["again", "posted"], { minLength: 1 });

describe("marks", () => {
  test("are found again, and leave the address as it was", () => {
    fc.assert(
      fc.property(aTarget, someMarks, (target, marks) => {
        const there = resolved(markedTarget(target, marks));
        expect(marksIn(there)).toEqual(marks);
        expect(marksIn(target)).toEqual([]);
        expect([target, `/.${target}`]).toContain(cleanTarget(markedTarget(target, marks)));
        expect(cleanTarget(target)).toBe(target);
      }),
    );
  });

  test("keep the language that was chosen, behind them", () => {
    const chosen = markedTarget("/a?b=c", ["again"], "de-DE");
    expect(languageIn(chosen)).toBe("de-DE");
    expect(markedTarget(chosen, ["leave", "sure"])).toBe("/a?b=c&__anteroom=leave.sure.de-DE");
    expect(markedTarget(chosen, ["again"], "fr-FR")).toBe("/a?b=c&__anteroom=again.fr-FR");
    expect(languageIn(`${chosen}&__anteroom=poll.1.placed`)).toBe("de-DE");
    expect([languageIn("/a?b=de-DE"), languageIn(markedTarget("/a", ["again"]))]).toEqual(["", ""]);
  });

  test.each([
    "/x/__anteroom=abc",
    "/__anteroom=again",
    "/__anteroom=",
    "/a&__anteroom=again",
    "/__anteroom=again?",
    "/__anteroom=again?b=__anteroom=posted",
    "/x?%5F_anteroom=again",
    "/x?__anteroom%3Dagain",
    "/x?__ANTEROOM=again",
    "/x?a=1?__anteroom=again",
  ])("%s is the site's own address", (target) => {
    expect(marksIn(target)).toEqual([]);
    expect(cleanTarget(target)).toBe(target);
    expect(cleanTarget(markedTarget(target, ["again"]))).toBe(target);
  });
});

describe("a browser that is sent on", () => {
  test("stays on its host, whatever the path looks like", () => {
    fc.assert(
      fc.property(aTarget, (target) => {
        const [, location = ""] = sentOn(target).headers;
        expect(new URL(location, "https://shop.example/x").host).toBe("shop.example");
        expect(new URL(markedTarget(target, ["again"]), "https://shop.example/x").host).toBe("shop.example");
      }),
    );
  });

  test.each([
    ["GET", 303],
    ["POST", 303],
    ["PUT", 307],
  ])("after %s: %i", (method, status) => {
    expect(sentOn("/", method).status).toBe(status);
  });
});

function sentOn(target: string, method = "GET"): Answered {
  const exchange = new FakeExchange({ method });
  sendOn(exchange, target);
  const [outcome] = exchange.outcomes;
  if (outcome?.kind !== "answer") throw new Error("Not answered");
  return outcome;
}

/** What a browser asks for then. */
function resolved(location: string): string {
  const { pathname, search } = new URL(location, "https://shop.example/");
  return pathname + search;
}
