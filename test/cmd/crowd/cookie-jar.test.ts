import { expect, test } from "vitest";
import { CookieJar } from "../../../cmd/crowd/cookie-jar.ts";

test("cookies go back as they came, by path, until their time is over", () => {
  const jar = new CookieJar();
  jar.keep(["a=1; Path=/; Max-Age=10", "b=x%2F=y==; path=/shop", "c=3; Expires=Thu, 01 Jan 1970 00:01:00 GMT"], 0);
  expect(jar.field("/shop/cart", 0)).toBe("a=1; b=x%2F=y==; c=3");
  expect(jar.field("/shopping", 0)).toBe("a=1; c=3");
  expect(jar.field("/", 10_000)).toBe("c=3");
  expect(jar.field("/", 60_000)).toBeUndefined();
});

test("a new value replaces the old one, and Max-Age=0 removes it", () => {
  const jar = new CookieJar();
  jar.keep(["a=1"], 0);
  jar.keep(["a=2; Max-Age=5; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], 0);
  expect(jar.field("/", 0)).toBe("a=2");
  jar.keep(["a=; Max-Age=0"], 0);
  expect(jar.field("/", 0)).toBeUndefined();
});

test("the cookie of a room is found among others", () => {
  const jar = new CookieJar();
  expect(jar.ofRoom(0)).toBeUndefined();
  jar.keep(["__anteroom_shop=abc; Max-Age=5", "__anteroom_.pass_shop=p", "__anteroom_lane_1=l", "z=1"], 0);
  expect(jar.ofRoom(0)).toMatchObject({ value: "abc", untilMs: 5_000 });
  jar.keep(["__anteroom_.s_shop=def", "__anteroom_.s_.pass_shop=p"], 0);
  expect(jar.ofRoom(0)).toMatchObject({ value: "def" });
});

test("a site that sets cookies without end loses the oldest", () => {
  const jar = new CookieJar();
  jar.keep(
    Array.from({ length: 1_000 }, (_, at) => `c${at}=1`),
    0,
  );
  expect(jar.field("/", 0)?.split("; ")).toHaveLength(150);
});
