import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Room } from "../../../node/config/room.ts";
import {
  cookieNameOf,
  cookieValues,
  secureName,
  setCookie,
  withoutOurCookies,
} from "../../../node/cookie/cookie-header.ts";
import { roomOf, smallest } from "../config/documents.ts";

const NAME = "__anteroom_shop";

/** Fields, each written as `name: value`. */
const fields = (lines: readonly string[]) => lines.flatMap((line) => line.split(/: (.*)/s).slice(0, 2));

test.each<[fields: string[], values: string[]]>([
  [[`Cookie: ${NAME}=a`], ["a"]],
  [[`COOKIE: x=1; ${NAME}=a ; y=2`], ["a"]],
  [
    [`Cookie: ${NAME}=a;${NAME}=b`, `Cookie: ${NAME}=ccc; ${NAME}=dd`],
    ["ccc", "dd", "a", "b"],
  ],
  [[`Cookie: ${NAME}=`], [""]],
  [[`Cookie: ${NAME}=a=b`], ["a=b"]],
  [[`Cookie: ${NAME}`], []],
  [[`Cookie: x${NAME}=a; ${NAME}x=b; "${NAME}"=c`], []],
  [[`Cookie: x="${NAME}=a"`], []],
  [[`Cookie: ${NAME}=a b; ${NAME}="q"; ${NAME}=a,b; ${NAME}=ä`], []],
  [[`Set-Cookie: ${NAME}=a`, `X-Cookie: ${NAME}=b`], []],
  [[], []],
])("%j has the values %j", (lines, values) => {
  expect(cookieValues(fields(lines), NAME)).toEqual(values);
});

describe("what the origin gets", () => {
  test.each<[fields: string[], passedOn: string[]]>([
    [[`Cookie: ${NAME}=x;__anteroom_other=y; __anteroom_=z;__anteroom_valueless`], []],
    [
      [`cookie: \t${NAME}=x; a=1`, "Accept: */*", "Cookie: b=2"],
      ["cookie: a=1", "Accept: */*", "Cookie: b=2"],
    ],
    [[`X-Note: ${NAME}=x`], [`X-Note: ${NAME}=x`]],
  ])("of %j is %j", (lines, passedOn) => {
    expect(withoutOurCookies(fields(lines))).toEqual(fields(passedOn));
  });

  test("law: never one of ours, and always the others in their order", () => {
    const pair = fc.tuple(fc.constantFrom("a", "b", NAME, "__anteroom_x"), fc.constantFrom("1", "", NAME));
    fc.assert(
      fc.property(fc.array(pair), fc.constantFrom("; ", ";", " ;  "), (pairs, separator) => {
        const text = (some: typeof pairs) => some.map(([name, value]) => `${name}=${value}`);
        const [, left = ""] = withoutOurCookies(["Cookie", text(pairs).join(separator)]);
        const rest = pairs.filter(([name]) => !name.startsWith("__anteroom_"));
        const names = left.split(";").map((each) => each.trim());
        expect(rest.length === 0 ? [] : names).toEqual(text(rest));
      }),
    );
  });
});

test("a cookie of https and one of http have names of their own, and both are read", () => {
  const headers = ["Cookie", `${NAME}=plain; ${secureName(NAME)}=secure-one; ${secureName("__anteroom_shop2")}=x`];
  expect(cookieValues(headers, NAME)).toEqual(["secure-one", "plain"]);
  expect(withoutOurCookies(headers)).toEqual([]);
});

describe("writing", () => {
  const cookie = { domain: "", name: NAME, value: "v", maxAgeSeconds: 59.2, secure: false };
  const attributes = (samesite: string, secure: string) => ({ samesite, secure }) as Room["cookieAttributes"];

  test.each([
    ["auto", "auto", "SameSite=Lax"],
    ["lax", "never", "SameSite=Lax"],
    ["strict", "always", "SameSite=Strict; Secure"],
    ["none", "auto", "SameSite=None; Secure"],
  ])("samesite %s with secure %s: %s", (samesite, secure, end) => {
    expect(setCookie({ ...cookie, attributes: attributes(samesite, secure) })).toBe(
      `${end.includes("Secure") ? secureName(NAME) : NAME}=v; Path=/; Max-Age=60; HttpOnly; ${end}`,
    );
  });

  test("auto is Secure by TLS, never is not", () => {
    expect(setCookie({ ...cookie, secure: true, attributes: attributes("auto", "auto") })).toMatch(/; Secure$/);
    expect(setCookie({ ...cookie, secure: true, attributes: attributes("auto", "never") })).not.toMatch(/Secure/);
  });

  test("a domain makes it one cookie for all its hosts", () => {
    const text = setCookie({ ...cookie, domain: "shop.example", attributes: attributes("auto", "auto") });
    expect(text).toBe(`${NAME}=v; Path=/; Max-Age=60; Domain=shop.example; HttpOnly; SameSite=Lax`);
  });

  test("an age below zero is zero: the browser drops the cookie", () => {
    const text = setCookie({ ...cookie, maxAgeSeconds: -5, attributes: attributes("auto", "auto") });
    expect(text).toContain("; Max-Age=0;");
  });
});

test("the name is that of the room's first name, with the suffix", () => {
  const room = roomOf(smallest({ name: "store", cookie_suffix: "v2" }));
  expect(cookieNameOf("shop", room)).toBe("__anteroom_shop_v2");
  expect(cookieNameOf("shop", { ...room, cookieSuffix: "" })).toBe("__anteroom_shop");
  // No cookie's name has a colon, and none of the fast lane's is that of a room.
  expect(cookieNameOf("team:shop", room)).toBe("__anteroom_team.shop_v2");
  expect(cookieNameOf("lane_1:shop", { ...room, cookieSuffix: "" })).toBe("__anteroom_.lane_1.shop");
});
