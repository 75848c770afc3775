/** What counts steps finds work that is not linear, of each kind, and leaves linear work alone. */

import { describe, expect, test } from "vitest";
import { expectLinear } from "../linear.ts";
import { STEPS, withSteps } from "./counted.ts";
import "./steps.ts";

/** The function of a module's text, as the plugin would load it. */
function loaded(source: string): (bytes: Uint8Array) => void {
  return new Function("input", withSteps(source, "a.js")) as (bytes: Uint8Array) => void;
}

/** What reads its input a byte at a time. */
const ONE_BY_ONE = "for (let at = 1; at <= input.length; at++)";

describe.each([
  ["loop within a loop", "for (const one of input) for (const other of input) one + other;"],
  ["loop that begins anew", `${ONE_BY_ONE} { let seen = 0; while (seen < at) seen++; }`],
  ["function called for each pair", "input.forEach(() => input.forEach(() => 0));"],
  ["search from the start", `const text = input.toString(); ${ONE_BY_ONE} { text.slice(0, at).indexOf("x"); }`],
  ["search of bytes from the start", `${ONE_BY_ONE} { input.subarray(0, at).indexOf(1); }`],
  ["buffer that grows by copies", `let all = Buffer.of(); ${ONE_BY_ONE} { all = Buffer.concat([all, Buffer.of(1)]); }`],
  ["list that grows by copies", `let all = []; ${ONE_BY_ONE} { all = [...all, at]; }`],
  ["list with a look for doubles", `const all = []; ${ONE_BY_ONE} { if (!all.includes(at)) all.push(at); }`],
  ["list that is emptied from the front", "const all = [...input]; while (all.length > 0) all.shift();"],
  ["text that grows and is searched", `let text = ""; ${ONE_BY_ONE} { text += "a"; text.indexOf("x"); }`],
  ["text that is parsed again", `const text = input.toString(); ${ONE_BY_ONE} { text.slice(0, at).split(","); }`],
  [
    "test by an expression from the start",
    `const text = input.toString(); ${ONE_BY_ONE} { /x/.test(text.slice(0, at)); }`,
  ],
])("a %s", (_, source) => {
  test("is found", () => {
    expect(() => expectLinear(200, Buffer.alloc, loaded(source))).toThrow("for 8 times as many");
  });
});

test.each([
  ["a loop", "for (const one of input) one + 1;"],
  ["a list that grows", `const all = []; ${ONE_BY_ONE} all.push(at);`],
  [
    "a search that goes on",
    `let from = 0; ${ONE_BY_ONE} { input.indexOf(1, at - 1 === from ? from : at); from = at; break; }`,
  ],
  ["a look at views", `${ONE_BY_ONE} input.subarray(at);`],
])("%s is linear", (_, source) => {
  expectLinear(200, Buffer.alloc, loaded(source));
});

test("without its own steps nothing is judged", () => {
  expect(() => expectLinear(200, Buffer.alloc, () => undefined)).toThrow("the product counts no steps here");
});

test("the source keeps its lines, and counts functions, loops and what spreads copy", () => {
  expect(withSteps("const f = (a: string[]) =>\n  ({ b: [...a] });\nwhile (f)\n  f();", "a.ts")).toBe(
    `const f = (a: string[]) =>\n  ((${STEPS}.enter("a.ts",true),{ b: [...${STEPS}.spread(a)] }));\nwhile (f)\n  {${STEPS}.count++;f();}`,
  );
});
