import { describe, expect, test } from "vitest";
import type { Room } from "../../../node/config/room.ts";
import { type RequestKind, requestKind } from "../../../node/gate/request-kind.ts";
import { fieldValue } from "../../../node/http/fields.ts";
import { type Asked, FakeExchange } from "./fake-exchange.ts";

const room = { jsonResponseEnabled: true, page: { logo: "", hero: "", font: "" } } as Room;
const plain: RequestKind = {
  takesPlace: false,
  isPagePoll: false,
  wantsJson: false,
  isPreflight: false,
  asksAgain: false,
  isPosted: false,
  isForeignForm: false,
  asksToLeave: false,
  hadPlace: false,
  asksLanguage: false,
  leavesContact: false,
  contactUnclear: false,
  mayShowPass: false,
  usesInvitation: false,
  isResent: false,
  isServerCall: false,
  leaves: false,
  mayGiveUpPass: false,
  hasLeft: false,
  isEmblem: false,
  proof: undefined,
  snippet: undefined,
};
const place = { ...plain, takesPlace: true, mayGiveUpPass: true };

const CASES: readonly (readonly [string, Asked, RequestKind])[] = [
  ["a bare GET", {}, place],
  ["a navigation", { headers: { "SEC-FETCH-MODE": "navigate" } }, place],
  ["an asset", { headers: { "Sec-Fetch-Mode": "no-cors" } }, plain],
  ["JSON among others", { headers: { Accept: "text/html, application/json;q=0.9" } }, { ...place, wantsJson: true }],
  [
    "JSON in a second Accept",
    { headers: ["Accept", "*/*", "accept", "application/json"] },
    { ...place, wantsJson: true },
  ],
  [
    "JSON by fetch",
    { headers: { "Sec-Fetch-Mode": "cors", Accept: "application/json" } },
    { ...place, wantsJson: true },
  ],
  ["another JSON", { headers: { "Sec-Fetch-Mode": "cors", Accept: "application/ld+json" } }, plain],
  ["a poll", { headers: { "Anteroom-Poll": "1" } }, { ...place, isPagePoll: true, wantsJson: true, asksAgain: true }],
  ["a poll by HEAD", { method: "HEAD", headers: { "Anteroom-Poll": "1" } }, plain],
  ["a poll by POST", { method: "POST", headers: { "Anteroom-Poll": "1" } }, { ...plain, isServerCall: true }],
  ["a GET that accepts anything", { headers: { Accept: "*/*" } }, plain],
  ["a GET that accepts a page", { headers: { Accept: "text/html" } }, place],
  [
    "a form that is sent",
    { method: "POST", headers: { Accept: "text/html" } },
    { ...place, isServerCall: true, isPosted: true },
  ],
  ["a reload of a waiting page", { target: "/?__anteroom=again" }, { ...place, asksAgain: true }],
  ["a POST that does not say what it accepts", { method: "POST" }, { ...plain, isServerCall: true }],
  [
    "a POST for JSON",
    { method: "POST", headers: { Accept: "application/json" } },
    { ...place, isServerCall: true, wantsJson: true },
  ],
  [
    "a POST for JSON by fetch of Node.js, which says its mode alone",
    { method: "POST", headers: { "Sec-Fetch-Mode": "cors", Accept: "application/json" } },
    { ...place, isServerCall: true, wantsJson: true },
  ],
  [
    "a POST for JSON by fetch of a browser that leaves Origin out",
    {
      method: "POST",
      headers: { "Sec-Fetch-Mode": "cors", "Sec-Fetch-Site": "same-origin", Accept: "application/json" },
    },
    { ...place, wantsJson: true },
  ],
  ["a PUT for a page", { method: "PUT", headers: { Accept: "text/html" } }, { ...plain, isServerCall: true }],
  [
    "a PATCH for JSON",
    { method: "PATCH", headers: { Accept: "application/json" } },
    { ...place, isServerCall: true, wantsJson: true },
  ],
  [
    "an OPTIONS for JSON",
    { method: "OPTIONS", headers: { Accept: "application/json" } },
    { ...plain, wantsJson: true },
  ],
  ["a prerender", { headers: { "Sec-Purpose": "prefetch;prerender" } }, plain],
  ["an old prefetch", { headers: { "X-Moz": "Prefetch" } }, plain],
  ["a purpose that is no prefetch", { headers: { Purpose: "shopping" } }, place],
  ["an OPTIONS", { method: "OPTIONS" }, plain],
  [
    "a preflight",
    { method: "OPTIONS", headers: { Origin: "https://app.example", "Access-Control-Request-Method": "PUT" } },
    { ...plain, isPreflight: true },
  ],
  ["a GET that looks like a preflight", { headers: { "Access-Control-Request-Method": "PUT" } }, place],
  ["a link with a pass", { target: "/?anteroom_pass=x" }, { ...place, mayShowPass: true }],
  ["a pass in a field", { headers: { "Anteroom-Pass": "x" } }, { ...place, mayShowPass: true }],
  ["a pass in a cookie", { headers: { Cookie: "a=1; __anteroom_.s_.pass_shop=x" } }, { ...place, mayShowPass: true }],
  ["a cookie of a room", { headers: { Cookie: "__anteroom_.s_shop=x" } }, place],
  ["a WebSocket", { webSocket: true }, plain],
  ["a method in small letters is another method", { method: "get" }, plain],
];

describe("the kind of request", () => {
  test.each(CASES)("%s", (_, asked, kind) => {
    expect(requestKind(new FakeExchange(asked), room)).toEqual(kind);
  });

  test("without JSON answers only the page's poll gets JSON", () => {
    const off = { ...room, jsonResponseEnabled: false };
    const kindOf = (headers: Record<string, string>) => requestKind(new FakeExchange({ headers }), off);
    expect(kindOf({ Accept: "application/json" })).toEqual(plain);
    expect(kindOf({ Accept: "application/json, text/html" })).toEqual(place);
    expect(kindOf({ "Anteroom-Poll": "1" })).toEqual({ ...place, isPagePoll: true, wantsJson: true, asksAgain: true });
  });
});

test("a field's value is found by its name in any case, the first one first", () => {
  expect(fieldValue(["A", "1", "ACCEPT", "2", "accept", "3"], "accept")).toBe("2");
  expect(fieldValue(["A", "accept"], "accept")).toBeUndefined();
});
