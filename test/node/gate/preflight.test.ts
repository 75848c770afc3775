import { describe, expect, test } from "vitest";
import { PREFLIGHTS_PER_ADDRESS_PER_MINUTE } from "../../../node/admission/address-limit.ts";
import { isPreflight } from "../../../node/gate/preflight.ts";
import { type Asked, FakeExchange, fieldOf, originAnswers } from "./fake-exchange.ts";
import { GateWorld, MINUTE_MS, SHOP } from "./gate-world.ts";

const FIELDS = { Origin: "https://app.example", "Access-Control-Request-Method": "PUT" };
const PREFLIGHT = { method: "OPTIONS", headers: FIELDS };

describe("a preflight", () => {
  test.each<[string, Asked]>([
    [
      "of Chromium",
      { headers: { ...FIELDS, "Sec-Fetch-Mode": "cors", Accept: "*/*", Referer: "https://app.example/" } },
    ],
    ["with fields asked for", { headers: { ...FIELDS, "Access-Control-Request-Headers": "x-y,content-type" } }],
    ["of a sandboxed page", { headers: { ...FIELDS, Origin: "null" } }],
    ["of an app", { headers: { ...FIELDS, Origin: "capacitor://localhost" } }],
  ])("%s is one", (_, asked) => {
    expect(isPreflight(new FakeExchange({ method: "OPTIONS", ...asked }))).toBe(true);
  });

  test.each<[string, Asked]>([
    ["by another method", { method: "GET", headers: FIELDS }],
    ["with a body", { hasBody: true, headers: FIELDS }],
    ["with a cookie", { headers: { ...FIELDS, cookie: "a=1" } }],
    ["with credentials", { headers: { ...FIELDS, AUTHORIZATION: "Basic eDp5" } }],
    ["without an origin", { headers: { "Access-Control-Request-Method": "PUT" } }],
    ["with an origin that is an address of a page", { headers: { ...FIELDS, Origin: "https://app.example/page" } }],
    [
      "with two origins",
      { headers: ["Origin", "https://a.b", "origin", "https://c.d", "Access-Control-Request-Method", "PUT"] },
    ],
    ["with a method that is no token", { headers: { ...FIELDS, "Access-Control-Request-Method": "GET, PUT" } }],
  ])("%s is none", (_, asked) => {
    expect(isPreflight(new FakeExchange({ method: "OPTIONS", ...asked }))).toBe(false);
  });
});

describe("through a held room", () => {
  const held = (more: object = {}) => new GateWorld({ rooms: [{ ...SHOP, queue_all: true, ...more }] });

  test("only the question goes to the origin, and only its answer comes back", async () => {
    const world = held();
    const { plan } = await world.forwarded({
      method: "OPTIONS",
      headers: {
        ...FIELDS,
        "Access-Control-Request-Headers": "x-y",
        "X-Api-Key": "secret",
        "X-HTTP-Method-Override": "DELETE",
        "Content-Type": "text/plain",
        "User-Agent": "a browser",
      },
    });
    const names = plan.headers.filter(
      (_, at) => at % 2 === 0 && !/^(?:Via|CDN-Loop|(?:X-)?Forwarded)/.test(plan.headers[at] ?? ""),
    );
    expect(names).toEqual([
      ...["Host", "Origin", "Access-Control-Request-Method", "Access-Control-Request-Headers", "User-Agent"],
    ]);
    expect(plan.dropsBody).toBe(true);
    const answer = ["Access-Control-Allow-Origin", "*", "Vary", "Origin", "Set-Cookie", "a=1", "X-Secret", "1"];
    expect(plan.onResponse({ status: 200, reason: "OK", headers: [...answer, "Anteroom-Command", "revoke"] })).toEqual(
      answer.slice(0, 4),
    );
  });

  test.each([
    ["anteroom-proof", undefined, "anteroom-proof"],
    ["anteroom-pass,x-y, Anteroom-Proof", "x-y", "anteroom-pass,Anteroom-Proof"],
    ["anteroom-poll,x-anteroom-pass", "anteroom-poll,x-anteroom-pass", undefined],
  ])("fields of an app for the gate need no word of the origin: %s", async (asked, toOrigin, allowed) => {
    const world = held();
    const headers = { ...FIELDS, "Access-Control-Request-Headers": asked };
    const question = () => world.forwarded({ method: "OPTIONS", headers });
    const forwarded = await question();
    expect(fieldOf(forwarded.plan.headers, "Access-Control-Request-Headers")).toBe(toOrigin);
    const answer = originAnswers(forwarded, ["Access-Control-Allow-Origin", "*"]);
    expect(fieldOf(answer, "Access-Control-Allow-Headers")).toBe(allowed);
    // An origin that does not know the app allows it nothing.
    expect(originAnswers(await question(), ["Allow", "GET"])).toEqual(["Allow", "GET"]);
  });

  test("one address has no more than its budget, until the next minute", async () => {
    const world = held();
    for (let sent = 0; sent < PREFLIGHTS_PER_ADDRESS_PER_MINUTE; sent += 1) {
      expect(await world.outcome(PREFLIGHT)).toBe("passed");
    }
    const refused = await world.answered(PREFLIGHT);
    expect([refused.status, fieldOf(refused.headers, "Retry-After")]).toEqual([503, "20"]);
    expect(await world.outcome({ ...PREFLIGHT, from: "203.0.113.8" })).toBe("passed");
    world.nowMs += MINUTE_MS;
    expect(await world.outcome(PREFLIGHT)).toBe("passed");
  });
});

test("while nobody has to wait, preflights above the budget pass like any other request without a session", async () => {
  const world = new GateWorld();
  for (let sent = 0; sent < PREFLIGHTS_PER_ADDRESS_PER_MINUTE; sent += 1) await world.exchange(PREFLIGHT);
  expect(await world.outcome(PREFLIGHT)).toBe("passed");
});

test("a visitor's own OPTIONS with the cookie of the stay continues as it came", async () => {
  const world = new GateWorld();
  const cookie = await world.comeIn();
  await world.fill();
  const forwarded = await world.forwarded({ method: "OPTIONS", headers: { ...FIELDS, Cookie: cookie, "X-Y": "1" } });
  expect(fieldOf(forwarded.plan.headers, "X-Y")).toBe("1");
  expect(originAnswers(forwarded, ["X-Z", "1"])).toEqual(["X-Z", "1"]);
});
