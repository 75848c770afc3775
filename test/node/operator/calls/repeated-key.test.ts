/** A key that an object of a JSON text has twice. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { repeatedKey } from "../../../../node/operator/calls/json-body.ts";

test.each([
  ['{"a":1,"a":2}', "a"],
  ['{"a":1,"\\u0061" : 2}', "a"],
  ['[{"x":{"b":[],"c":{},"b":null}}]', "b"],
  ['{"a":{"b":1},"c":[{"b":1},{"b":2}],"a":1}', "a"],
  ['{"__proto__":1,"__proto__":2}', "__proto__"],
  ['{"":1,"":2}', ""],
  ['{"a\\"":1,"a":2,"a\\"":3}', 'a"'],
  ['{"a":"a","b":"a\\":","c":["a","a"]}', undefined],
  ['{"a":"{\\"a\\":1","b":"}"}', undefined],
  ['"a"', undefined],
])("in %s is %j", (text, key) => {
  JSON.parse(text);
  expect(repeatedKey(text)).toBe(key);
});

test("is not in what JSON.stringify writes", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, space) => {
      expect(repeatedKey(JSON.stringify(value, undefined, space))).toBeUndefined();
    }),
  );
});
