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
