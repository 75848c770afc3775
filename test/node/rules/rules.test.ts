import { expect, test } from "vitest";
import { RULE_ACTIONS, Rules } from "../../../node/rules/rules.ts";

/** Whether `target` bypasses a room with these rules, each written as `action: expression`. */
function bypasses(target: string, ...rules: readonly string[]): boolean {
  const all = rules.map((text) => {
    const [start = "", expression = ""] = text.split(/: (.*)/);
    const action = RULE_ACTIONS.find((each) => each.startsWith(start.replace("no ", ""))) ?? "block";
    return { expression, action, description: "", enabled: !start.startsWith("no ") };
  });
  const request = { method: "GET", target, host: "a.example", headers: [] };
  return new Rules(all).ruling({ request, client: { address: "10.0.0.1", secure: false } }) === "bypass_waiting_room";
}

const path = (start: string) => `http.request.uri.path starts_with "${start}"`;
const QUEUE_BUY = `queue: ${path("/api/buy")}`;
const BYPASS_API = `bypass: ${path("/api/")}`;
const QUEUED_BELOW_BYPASS = ['queue: http.request.uri.path eq "/api/buy"', BYPASS_API];

test.each([
  ["the first rule that applies decides", "/api/buy", [QUEUE_BUY, BYPASS_API], false],
  ["one that does not apply decides nothing", "/api/list", [QUEUE_BUY, BYPASS_API], true],
  ["without a rule that applies the request is queued", "/shop", [BYPASS_API], false],
  ["a rule that is switched off does nothing", "/api/buy", [`no ${QUEUE_BUY}`, BYPASS_API], true],
  ["a rule that is unsure queues", "/api//a", [`queue: ${path("/x")}`, "bypass: ip.src eq 10.0.0.1"], false],
  ["a slash at the end changes nothing", "/api/buy/", QUEUED_BELOW_BYPASS, false],
  ["also where a rule bypasses all but a path", "/Shop", [`bypass: not ${path("/shop")}`], false],
  ["a room without rules lets nobody bypass it", "/", [], false],
] as const)("%s", (_, target, rules, wanted) => {
  expect(bypasses(target, ...rules)).toBe(wanted);
});
