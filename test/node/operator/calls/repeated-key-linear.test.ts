/** The look for a repeated key costs the length of the body. */

import { expect, test } from "vitest";
import { repeatedKey } from "../../../../node/operator/calls/json-body.ts";
import { expectLinear } from "../../../linear.ts";

test.each(["\\n", "a", '\\"', "{", " "])("in a text of %j", (part) => {
  const textOf = (bytes: number): string => JSON.stringify({ a: "?" }).replace("?", part.repeat(bytes / part.length));
  expectLinear(16_000, textOf, (body) => expect(repeatedKey(body)).toBeUndefined());
});

test("in an object of many keys", () => {
  const textOf = (count: number): string =>
    JSON.stringify(
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${String(at).padStart(6, "0")}`, 1])),
    );
  expectLinear(1_000, textOf, (body) => expect(repeatedKey(body)).toBeUndefined());
});
