/** What a problem shows of the value that has it. */

import { expect, test } from "vitest";
import { problemAt, shownValue } from "../../../node/config/problem.ts";
import { newTokenText } from "../../../node/operator/tokens/token-text.ts";
import { adminWorld } from "../operator/admin-world.ts";

test.each([
  ["http://user:hunter2@a.example/", '"http://…@a.example/"'],
  ["http://hunter2@a.example", '"http://…@a.example"'],
  [`http://user:${"hunter2".repeat(20)}@a.example`, '"http://…@a.example"'],
  [`http://user:hunt@er2@a.example`, '"http://…@a.example"'],
  [["x", { origin: "https://u:hunter2@b" }], '["x",{"origin":"https://…@b"}]'],
  [`Bearer anteroom_${"hunter2".repeat(6)}`, '"Bearer anteroom_…"'],
  ["whsec_hunter2hunter2hunter2hunter2hunter2hun=", '"whsec_…"'],
  ["http://a.example/@me?mail=you@b.example", '"http://a.example/@me?mail=you@b.example"'],
  ["anteroom_room", '"anteroom_room"'],
])("%j is shown as %s", (value, shown) => {
  expect(shownValue(value)).toBe(shown);
});

test("a long text of the beginnings of URLs is shown cut", () => {
  expect(shownValue("://x".repeat(400_000))).toHaveLength(60);
});

test("a problem of an API call has no secret in it", async () => {
  const { ask } = adminWorld();
  const token = newTokenText();
  const refused = await ask("PATCH", "/v1/rooms/shop", { origin: "http://u:hunter2@10.0.0.1", token });
  const text = await refused.text();
  expect([refused.status, text.includes("hunter2"), text.includes(token.slice(9, 30))]).toEqual([422, false, false]);
  expect(problemAt("x", token, { problem: "", repair: "" }).value).toBe('"anteroom_…"');
});
