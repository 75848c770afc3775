import { describe, expect, test } from "vitest";
import { filled, perLanguage, wordsOf } from "../../../node/languages/words.ts";

const { number, clockTime, plural, timeOfDay, after } = wordsOf("en-US");

describe("words in English", () => {
  test("a time of day has no seconds, and says that it is UTC", () =>
    expect(timeOfDay(Date.UTC(2026, 1, 3, 14, 20, 30))).toBe("2:20 PM UTC"));

  test.each([
    [1, "in 1 second"],
    [59, "in 59 seconds"],
    [60, "in 1 minute"],
    [61, "in 2 minutes"],
  ])("%i seconds are “%s”", (seconds, words) => expect(after(seconds)).toBe(words));

  test("group digits, tell the time, and know the plural", () => {
    expect(number(1_234_567)).toBe("1,234,567");
    expect(clockTime(Date.UTC(2026, 8, 11, 23, 45, 6))).toBe("11:45:06 PM UTC");
    const forms = { one: "a file", other: "{count} files" };
    expect([plural(forms, 1), plural(forms, 0), plural(forms, 1_200)]).toEqual(["a file", "0 files", "1,200 files"]);
    expect(plural({ other: "{count} x" }, 1)).toBe("1 x");
  });
});

test("the parts of a time have two digits, as the language writes them", () => {
  expect([wordsOf("en-US").twoDigits(5), wordsOf("en-US").twoDigits(59)]).toEqual(["05", "59"]);
  expect(wordsOf("ar-EG").twoDigits(5)).toBe("٠٥");
});

test("placeholders are filled once, with values that may look like placeholders", () => {
  expect(filled("{a} {b} {a} {c}", { a: "{b}", b: 2 })).toBe("{b} 2 {b} {c}");
});

test("what is made for a language is made once", () => {
  let made = 0;
  const counted = perLanguage(() => ++made);
  expect([counted("en-US"), counted("en-US")]).toEqual([1, 1]);
});
