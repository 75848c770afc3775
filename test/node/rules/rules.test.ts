import { expect, test } from "vitest";
import { type RuleAction, Rules } from "../../../node/rules/rules.ts";

const BYPASS: RuleAction = "bypass_waiting_room";

function bypasses(target: string, ...rules: (readonly [string, RuleAction, boolean?])[]): boolean {
  const all = rules.map(([expression, action, enabled = true]) => ({ expression, action, description: "", enabled }));
  const request = { method: "GET", target, host: "a.example", headers: [] };
  return new Rules(all).ruling({ request, client: { address: "10.0.0.1", secure: false } }) === "bypass_waiting_room";
}

const path = (start: string) => `http.request.uri.path starts_with "${start}"`;

const QUEUED_BELOW_BYPASS = [
  ['http.request.uri.path eq "/api/buy"', "queue"],
  [path("/api/"), BYPASS],
] as const;

test.each([
  [
    "the first rule that applies decides",
    "/api/buy",
    [
      [path("/api/buy"), "queue"],
      [path("/api/"), BYPASS],
    ],
    false,
  ],
  [
    "one that does not apply decides nothing",
    "/api/list",
    [
      [path("/api/buy"), "queue"],
      [path("/api/"), BYPASS],
    ],
    true,
  ],
  ["without a rule that applies the request is queued", "/shop", [[path("/api/"), BYPASS]], false],
  [
    "a rule that is switched off does nothing",
    "/api/buy",
    [
      [path("/api/buy"), "queue", false],
      [path("/api/"), BYPASS],
    ],
    true,
  ],
  [
    "where a rule is unsure the request is queued, whatever comes after it",
    "/api//a",
    [
      [path("/x"), "queue"],
      ["ip.src eq 10.0.0.1", BYPASS],
    ],
    false,
  ],
  ...["/api/buy/", "/api/Buy", "/api/buy%20"].map(
    (target) =>
      ["what a loose server takes for a path that is queued is queued", target, QUEUED_BELOW_BYPASS, false] as const,
  ),
  ...["/Shop", "/SHOP/", "/shop%20"].map(
    (target) => ["or for the one that does not bypass", target, [[`not ${path("/shop")}`, BYPASS]], false] as const,
  ),
] as const)("%s", (_, target, rules, wanted) => {
  expect(bypasses(target, ...(rules as readonly (readonly [string, RuleAction, boolean?])[]))).toBe(wanted);
});

test("a room without rules lets nobody bypass it", () => expect(bypasses("/")).toBe(false));
