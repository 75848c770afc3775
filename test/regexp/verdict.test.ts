/** The judge of regular expressions: what it must find, and what it must leave alone. */

import { expect, test } from "vitest";
import { verdictOn } from "./super-linear.ts";

test.each([
  ["nested repetition", /(a+)+b/],
  ["alternatives that overlap", /^(a|a)*b/],
  ["a repetition within one of two alternatives", /^(a+|b)*c/],
  ["two repetitions side by side", /^a*a*b/],
  ["a repetition before the end, searched for everywhere", /\s+$/],
  ["a repetition before a character, searched for everywhere", /x*y/],
  ["the same in each line", /^.*x/m],
  ["searches that each look far ahead for a short match", /a.*b|a/g],
  ["the same, where a far look is optional", /x(?:a.*b)?/g],
  ["a look-ahead that reads on at every character", /(?=a*b)a/],
  ["a way that fails before one that always matches", /(x+x+)+y|[\s\S]*/],
  ["a long repetition with a bound", /<[^>]{0,500}>/],
  ["letters of either case", /^(?:a|A)*b/i],
])("is found: %s", (_, { source, flags }) => {
  const verdict = verdictOn(source, flags);
  expect(verdict).toMatchObject({ kind: "super-linear", repeated: expect.stringMatching(/^.+$/s) });
});

test.each([
  /^\s+/,
  /\s+/g,
  /\n\s*/g,
  /^.*x/,
  /"[^"]*"/g,
  /^([^;]*)(.*)$/s,
  /^[a-z]([a-z-]{0,61}[a-z])?(\.[a-z]([a-z-]{0,61}[a-z])?)*$/,
  /(?<=:\/\/)[^\s/@]*@/g,
  /^(?=.{1,253}$)[a-z.]+$/,
  /\s*$/y,
])("is linear: %s", ({ source, flags }) => {
  expect(verdictOn(source, flags)).toEqual({ kind: "linear" });
});

test.each([/(?<=a*)b/, /(a+) \1/])("is not decided: %s", ({ source, flags }) => {
  expect(verdictOn(source, flags)).toMatchObject({ kind: "undecided" });
});

test("what it finds names the text that it is about", () => {
  expect(verdictOn("^x(a|aa)*b", "")).toEqual({ kind: "super-linear", start: "xa", repeated: "aa" });
});
