/** Paths as an attacker writes them: words that one origin or another takes for something else, in any order. */

import fc from "fast-check";

/** Words that browsers and other clients send as well. */
const MILD =
  "/ / / / // %2f %2F %252f %5c shop shop SHOP sh%6fp %73hop %2573hop vip VIP v%69p %2576ip static st%61tic x b index.php . ... %20 + ; ;a=b %3b %253b ;/ %3f %253f %23 %e2%80%8b %ff %ef%bc%8f : ~ * & =";
/** Words that none of them sends. */
const WILD =
  "\\ %255c %u0073hop .. .. . %2e %2e%2e %252e .%2e ;%0a ..; %00 %0a %0d %09 %7f % %zz %4 %c0%af %c0%ae %c2%85 %e2%80%a8";

const mild = MILD.split(" ");
const wild = [...mild, ...WILD.split(" ")];

/** Names of rooms and beside them, what may stand between two, and what may hang on one. */
const NAMES = "shop SHOP sh%6fp vip %2576ip static x x/shop shop/vip".split(" ");
const BETWEEN = "/ / / / // \\ %2f %5c %252f /./ /b/../ /b%2f../ /b/..%2f /; /b;%2f../ //b%2f //b/".split(" ");
const HANGING = [
  "",
  "",
  "",
  "",
  ..."; ;a=b ;%2fb %3bb%2f . %20 %2e %00 %0a %3f %23 %e2%80%8b %ff ;x%3f %253b%252fb".split(" "),
];

const disguised = fc
  .array(fc.tuple(fc.constantFrom(...BETWEEN), fc.constantFrom(...NAMES), fc.constantFrom(...HANGING)), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => `/${parts.flat().join("")}`.replace(/^\/\//, "/"));

export const hostilePaths: fc.Arbitrary<string> = fc.oneof(pathsOf(mild), pathsOf(wild), disguised, disguised);

function pathsOf(words: readonly string[]): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 9 }).map((chosen) => `/${chosen.join("")}`);
}

/** Paths that got past earlier versions of the gate. */
export const KNOWN_BYPASSES: readonly string[] = [
  "/a%5cb/../shop/",
  "/a\\b/../shop/",
  "/shop;%0a",
  "/x/..;%0a/shop",
  "/a%2fb/../shop/",
  "/./shop//../x.txt",
  "/%u0073hop/",
  "/%?3/../shop",
];
