/** A key that an object of a JSON text has twice. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { repeatedKey } from "../../../../node/operator/calls/json-body.ts";
import { adminWorld } from "../admin-world.ts";

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

test("refuses a change, which changes nothing", async () => {
  const { app, ask } = adminWorld();
  const before = await (await ask("GET", "/v1/rooms")).text();
  const body = '{"total_active_users":7,"total_active_users":9}';
  const headers = { Authorization: "Bearer the-token", "Content-Type": "application/json" };
  const refused = await app.request("/v1/rooms/shop", { method: "PATCH", headers, body }, { from: "10.0.0.9" });
  const detail = 'Cannot read the body as JSON: an object has the key "total_active_users" twice: leave one out';
  expect([refused.status, await refused.json()]).toMatchObject([400, { code: "bad-json", detail }]);
  expect(await (await ask("GET", "/v1/rooms")).text()).toBe(before);
});
