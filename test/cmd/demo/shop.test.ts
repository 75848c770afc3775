import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Shop, startShop } from "../../../cmd/demo/shop.ts";

let shop: Shop;
let before: number;
beforeAll(() => {
  shop = startShop({ hostname: "127.0.0.1", port: 0, sessionMs: 60_000 });
});
afterAll(() => shop.stop());
beforeEach(() => {
  before = shop.count.visitors;
});
const counted = () => shop.count.visitors - before;
const get = (path: string, headers: Record<string, string> = {}) => fetch(shop.url + path, { headers });

describe("the demo's shop", () => {
  test("shows its products and how many people are inside", async () => {
    const front = await (await get("/")).text();
    expect(front).toContain("Quay teapot");
    expect(front).toMatch(/(1 person is|\d+ people are) in the shop now/);
    expect(front).toContain("anteroom's demo shop");
    const ids = [...front.matchAll(/href="\/product\/(\w+)"/g)].map(([, id]) => id);
    expect(ids).toHaveLength(6);
    const drawings = await (await get("/products.svg")).text();
    for (const id of ids) {
      expect((await get(`/product/${id}`)).status).toBe(200);
      expect(drawings).toContain(`<symbol id="${id}"`);
    }
  });

  test("knows a visitor by the cookie that it set, a synthetic one by its header, and no other", async () => {
    const cookie = (await get("/")).headers.get("set-cookie")?.split(";")[0] ?? "";
    expect(cookie).toMatch(/^visitor=[\w-]{36}$/);
    const again = await get("/product/mug", { cookie: `__anteroom_shop=x; ${cookie}` });
    expect(again.headers.get("set-cookie")).toBeNull();
    expect(counted()).toBe(1);
    await get("/", { cookie: "visitor=<x>" });
    expect(counted()).toBe(2);
    for (const visitor of ["s-1", "s-2", "s-1"])
      expect((await get("/", { "x-demo-visitor": visitor })).headers.get("set-cookie")).toBeNull();
    expect(counted()).toBe(4);
  });

  test.each<[string, string, RequestInit]>([
    ["the style", "/shop.css", {}],
    ["a drawing", "/products.svg", {}],
    ["an unknown page", "/favicon.ico", {}],
    ["a HEAD request", "/", { method: "HEAD" }],
    ["a prefetch", "/", { headers: { "sec-purpose": "prefetch" } }],
    ["a request beside a page", "/", { headers: { "sec-fetch-mode": "no-cors" } }],
  ])("does not count %s", async (_, path, init) => {
    const response = await fetch(shop.url + path, init);
    await response.arrayBuffer();
    expect([counted(), response.headers.get("set-cookie")]).toEqual([0, null]);
  });

  test("an open page keeps its visitor inside, and brings nobody in", async () => {
    const page = await (await get("/", { cookie: "visitor=open" })).text();
    expect(page).toContain("Your slot is yours while this page is open; 60 s after you close it");
    const stay = (cookie: string) => fetch(`${shop.url}/stay`, { method: "POST", headers: { cookie } });
    expect((await stay("visitor=open")).status).toBe(204);
    expect((await stay("")).headers.get("set-cookie")).toBeNull();
    expect(counted()).toBe(1);
  });

  test("keeps a cart in its cookie", async () => {
    const added = await fetch(`${shop.url}/cart`, {
      method: "POST",
      headers: { cookie: "visitor=v; cart=mug.unknown.mug", "content-type": "application/x-www-form-urlencoded" },
      body: "product=lamp",
      redirect: "manual",
    });
    expect([added.status, added.headers.get("location")]).toEqual([303, "/cart"]);
    expect(added.headers.get("set-cookie")).toContain("cart=mug.mug.lamp;");
    const cart = await (await get("/cart", { cookie: "cart=mug.mug.lamp" })).text();
    expect(cart).toContain("2 × € 24");
    expect(cart).toContain("€ 168");
  });
});
