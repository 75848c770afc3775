/** Forms of other sites, such as that of a bank: nothing of them is lost, and the origin learns where they came from. */

import { beforeEach, describe, expect, test } from "vitest";
import { asFirstSent, formOf, resentTarget } from "../../../node/gate/resent-form.ts";
import type { HeaderList } from "../../../node/http/message.ts";
import { lostWarnings } from "../../../node/operator/status/warnings.ts";
import { type Asked, fieldOf, fieldsOf } from "./fake-exchange.ts";
import { GateWorld } from "./gate-world.ts";

const BANK = "https://bank.example";
const BROWSER = {
  Accept: "text/html",
  "Sec-Fetch-Mode": "navigate",
  "Sec-Fetch-Dest": "document",
  "Content-Type": "application/x-www-form-urlencoded",
} as const;
const FOREIGN = { ...BROWSER, "Sec-Fetch-Site": "cross-site", Origin: BANK, Referer: `${BANK}/` } as const;
const OURS = { ...BROWSER, "Sec-Fetch-Site": "same-origin", Origin: "https://shop.example" } as const;
const PAID: Asked = { method: "POST", target: "/return?order=7", body: "PaRes=ok&MD=7", headers: FOREIGN };

let world: GateWorld;
/** Of a visitor inside. */
let cookie: string;
beforeEach(async () => {
  world = new GateWorld();
  cookie = await world.comeIn();
  await world.fill();
});

/** Where the form on a page leads. */
function actionIn(page: string): string {
  return (/<form [^>]*action="([^"]*)"/.exec(page)?.[1] ?? "").replaceAll("&amp;", "&");
}

describe("a form of another site that comes without our cookie, as browsers leave it out", () => {
  test("is sent again by a page of ours, field by field", async () => {
    const { status, headers, body } = await world.answered({
      ...PAID,
      body: "PaRes=a%22%3C%26%0D%0A+b&MD=7&MD=%C3%A9&x",
    });
    expect([status, fieldOf(headers, "Cache-Control")]).toEqual([200, "private, no-store"]);
    expect(body).toContain('<input type="hidden" name="PaRes" value="a&quot;&lt;&amp;&#13;&#10; b">');
    expect(body.match(/name="MD" value="[^"]*"/g)).toEqual(['name="MD" value="7"', 'name="MD" value="é"']);
    expect(body).toContain('name="x" value=""');
    expect(actionIn(body)).toMatch(/^\/return\?order=7&__anteroom=resent\.[\w-]+$/);
    expect(body).toContain('<button type="submit"');
  });

  test("is for the origin what it was at first: no cookie more, and the same Origin", async () => {
    const page = await world.answered({ ...PAID, headers: { ...FOREIGN, Cookie: "nonce=1" } });
    const again = {
      ...PAID,
      target: actionIn(page.body),
      headers: { ...OURS, Cookie: `session=secret; nonce=1; ${cookie}`, Referer: "https://shop.example/return" },
    };
    const { plan } = await world.forwarded(again);
    expect(plan.target).toBe("/return?order=7");
    const names = ["Cookie", "Origin", "Sec-Fetch-Site", "Referer"];
    expect(names.map((name) => fieldsOf(plan.headers, name))).toEqual([
      ["nonce=1"],
      [BANK],
      ["cross-site"],
      [`${BANK}/`],
    ]);
  });

  test("in a frame of the shop is sent again as well", async () => {
    const { status, headers } = await world.answered({ ...PAID, headers: { ...FOREIGN, "Sec-Fetch-Dest": "iframe" } });
    expect([status, fieldOf(headers, "X-Frame-Options")]).toEqual([200, undefined]);
    expect(fieldOf(headers, "Content-Security-Policy")).not.toMatch(/frame-ancestors|form-action/);
  });

  test.each([
    ["over plain http, where browsers do not say where it comes from", { Accept: "text/html", Origin: BANK }],
    ["with an origin that is hidden", { Accept: "text/html", Origin: "null" }],
  ])("%s", async (_, fields) => {
    const headers = { ...fields, "Content-Type": "application/x-www-form-urlencoded;charset=UTF-8" };
    expect(actionIn((await world.answered({ ...PAID, headers })).body)).toContain("resent");
  });

  test.each([
    ["with files", { ...PAID, headers: { ...FOREIGN, "Content-Type": "multipart/form-data; boundary=x" } }],
    ["of another type", { ...PAID, headers: { ...FOREIGN, "Content-Type": "text/plain" } }],
    ["that is large", { ...PAID, body: `a=${"x".repeat(70_000)}` }],
    ["of many fields", { ...PAID, body: "a=1&".repeat(501) }],
    ["that a page cannot repeat", { ...PAID, body: "a=%00" }],
    ["that was sent again already", { ...PAID, target: "/return?__anteroom=resent.e30" }],
  ])("its visitor reads that it was not passed on: one %s", async (_, asked) => {
    const { status, body } = await world.answered(asked);
    expect(status).toBe(503);
    expect(body).toContain("was not passed on to the site");
    expect(body).toContain("To send it again, go back first.");
  });

  test("of a new visitor gets a place when it is sent again", async () => {
    const page = await world.answered(PAID);
    const again = { ...PAID, target: actionIn(page.body), headers: OURS };
    expect(await world.outcome(again)).toBe("joined");
  });
});

describe("what another site's form asks for does not count as asked by our page", () => {
  test("it cannot give up a place", async () => {
    const place = await world.joinLine();
    const page = await world.answered({ ...PAID, target: "/?__anteroom=leave.sure" });
    const headers = { ...OURS, Cookie: place };
    expect(await world.outcome({ ...PAID, target: actionIn(page.body), headers })).toBe("polled");
    const both = actionIn(page.body).replace("resent", "leave.sure.resent");
    expect(await world.outcome({ ...PAID, target: both, headers })).toBe("polled");
    expect(await world.outcome({ ...PAID, target: "/?__anteroom=leave.sure", headers })).toBe("left");
  });

  test("it cannot say itself how it first came", async () => {
    const forged = resentTarget("/", ["Origin", "https://shop.example", "Cookie", "session=1"]);
    const { status } = await world.answered({ ...PAID, target: forged });
    expect(status).toBe(503);
  });
});

describe("the fields of a form that was sent again", () => {
  const FIRST: HeaderList = ["Origin", BANK, "Cookie", "a=1; b=2"];
  const NOW: HeaderList = ["Host", "shop.example", "Origin", "https://shop.example", "Cookie", "session=x; b=3; a=1"];
  const UNKNOWN = ["Origin", "null"];

  test.each([
    ["only cookies of names that were there", resentTarget("/", FIRST), ["Origin", BANK, "Cookie", "b=3; a=1"]],
    ["no Origin where there was none", resentTarget("/", ["Cookie", "a=1"]), ["Cookie", "a=1"]],
    ["an unknown Origin and no cookies where the address was changed", "/?__anteroom=resent.x", UNKNOWN],
    ["the same where it says nothing", "/?__anteroom=resent", UNKNOWN],
    ["a text with line ends is none", `/?__anteroom=resent.${btoa('{"origin":"a\\nb","cookies":[]}')}`, UNKNOWN],
  ])("%s", (_, target, wanted) => {
    expect(asFirstSent(NOW, target)).toEqual(["Host", "shop.example", ...wanted]);
  });

  test("many names of cookies make the address no longer than proxies take", () => {
    const cookies = Array.from({ length: 500 }, (_, at) => `cookie${at}=1`).join("; ");
    expect(resentTarget("/", ["Cookie", cookies]).length).toBeLessThan(4_000);
  });
});

describe("the fields of a form", () => {
  test.each([
    ["", []],
    ["a=1&b=&c&=d&a=2", ["a: 1", "b: ", "c: ", ": d", "a: 2"]],
    ["a+b=%2B+%26%3D%25", ["a b: + &=%"]],
    ["a=%zz%4", ["a: %zz%4"]],
    ["a=%0D%0A", ["a: \r\n"]],
    ["a=%EF%BB%BFx", ["a: \ufeffx"]],
  ])("%j", (body, fields) => {
    const form = formOf(body);
    expect([form?.charset, form?.fields.map(([name, value]) => `${name}: ${value}`)]).toEqual(["utf-8", fields]);
  });

  test("in an older encoding are repeated in one that has all bytes", () => {
    expect(formOf("name=J%F6rg+%80")).toEqual({ charset: "windows-1252", fields: [["name", "Jörg €"]] });
    const all = Array.from({ length: 255 }, (_, at) => `%${(at + 1).toString(16).padStart(2, "0")}`)
      .filter((byte) => byte !== "%0a" && byte !== "%0d")
      .join("");
    const [[, value] = []] = formOf(`a=${all}`)?.fields ?? [];
    expect(new Set(value).size).toBe(253);
  });
});

describe("the operator reads what was turned away that nobody repeats by hand", () => {
  test("calls of servers, with the paths of the first ones, and without their queries", async () => {
    expect(lostWarnings(world.rooms)).toEqual([]);
    await world.joinLine();
    for (const target of ["/hooks/pay?token=secret", "/hooks/pay", "/hooks/b", "/hooks/c", "/hooks/d"])
      await world.answered({ method: "POST", target, headers: { Accept: "*/*" }, body: "{}" });
    await world.answered({ method: "PUT", target: "/stock", headers: { Accept: "application/json" }, body: "{}" });
    const [warning, ...others] = lostWarnings(world.rooms);
    expect(warning).toContain("room shop turned away 6 calls of programs (such as /hooks/pay, /hooks/b, /hooks/c)");
    expect([warning?.includes("secret"), others]).toEqual([false, []]);
  });

  test("forms of other sites that could not be sent again, and no others", async () => {
    await world.answered(PAID);
    expect(lostWarnings(world.rooms)).toEqual([]);
    await world.answered({ ...PAID, headers: { ...FOREIGN, "Content-Type": "multipart/form-data" } });
    expect(lostWarnings(world.rooms)[0]).toContain("could not pass on 1 form of other sites (such as /return)");
  });

  test("nothing of visitors' own requests", async () => {
    await world.joinLine();
    await world.answered({ method: "POST", headers: { Origin: "https://shop.example", Accept: "*/*" } });
    await world.answered({ headers: { Accept: "*/*" } });
    expect(lostWarnings(world.rooms)).toEqual([]);
  });
});
