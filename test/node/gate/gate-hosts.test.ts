/** A visitor of several hosts of one room. */

import { expect, test } from "vitest";
import { cookieIn, fieldOf, originAnswers } from "./fake-exchange.ts";
import { GateWorld, SHOP } from "./gate-world.ts";

const HOSTS = { ...SHOP, host: "shop.example.com", additional_routes: [{ host: "pay.example.com", path: "/" }] };

test("with cookie_domain a visitor of two hosts is one person, until the stay is taken back there", async () => {
  const world = new GateWorld({
    rooms: [{ ...HOSTS, cookie_domain: "example.com", enabled_origin_commands: ["revoke"] }],
  });
  const headers = originAnswers(await world.forwarded({ host: "shop.example.com" }));
  expect(fieldOf(headers, "Set-Cookie")).toContain("; Domain=example.com;");
  const asked = { host: "pay.example.com", headers: { Cookie: cookieIn(headers) } };
  const paid = originAnswers(await world.forwarded(asked), ["Anteroom-Command", "revoke"]);
  expect(fieldOf(paid, "Set-Cookie")).toMatch(/^__anteroom_shop=; Path=\/; Max-Age=0; Domain=example.com;/);
  expect(world.room().counts.requests).toMatchObject({ admitted: 1, inside: 1 });
});

test("without it each host has a cookie of its own", async () => {
  const world = new GateWorld({ rooms: [HOSTS] });
  const headers = originAnswers(await world.forwarded({ host: "shop.example.com" }));
  expect(fieldOf(headers, "Set-Cookie")).not.toContain("Domain");
});

test("a changed cookie_domain leaves two cookies in the browser, and the later one counts", async () => {
  const world = new GateWorld({ rooms: [{ ...HOSTS, session_duration: 5 }] });
  const before = await world.comeIn({ host: "shop.example.com" });
  world.rooms.update("shop", { cookie_domain: "example.com" });
  world.nowMs += 60_000;
  const asked = { host: "shop.example.com", headers: { Cookie: before } };
  const after = cookieIn(originAnswers(await world.forwarded(asked)));
  expect(after).not.toBe("");
  for (const cookie of [`${before}; ${after}`, `${after}; ${before}`]) {
    const forwarded = await world.forwarded({ host: "shop.example.com", headers: { Cookie: cookie } });
    expect(fieldOf(originAnswers(forwarded), "Set-Cookie")).toBeUndefined();
  }
  expect(world.room().admission.inside(world.nowMs)).toBe(1);
});
