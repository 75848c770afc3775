/** Several origins behind a room: who goes where and stays there, and what is sent again. */

import { describe, expect, test } from "vitest";
import { DEFAULT_HTTP_LIMITS } from "../../../node/http/limits.ts";
import { client } from "../http/peer.ts";
import { eventually, origin } from "../http/wire.ts";
import { named, nobody, OriginsWorld, url } from "./origins-world.ts";

function shop(...origins: readonly [url: string, weight: number][]) {
  return { origin: origins.map(([address, weight]) => ({ url: address, weight })) };
}

describe("sessions", () => {
  test("stay with their target: with their cookie, over minutes, at each request", async () => {
    const world = new OriginsWorld(shop([url(named("a")), 1], [url(named("b")), 1]));
    for (let visitor = 0; visitor < 20; visitor++) {
      const first = await world.get();
      expect(first.status).toBe(200);
      let { cookie } = first;
      for (let minute = 0; minute < 3; minute++) {
        world.nowMs += 60_000;
        const next = await world.get(cookie);
        expect(next.body).toBe(first.body);
        expect(next.cookie).not.toBe(cookie);
        cookie = next.cookie;
        expect((await world.get(cookie)).body).toBe(first.body);
      }
    }
  });

  test("move when their target is down, at once and all parallel requests to the same; the cookie follows when next written", async () => {
    const [a, b, c] = [named("a"), named("b"), named("c")];
    const world = new OriginsWorld(shop([url(a), 1], [url(b), 1], [url(c), 1]));
    let first = await world.get();
    while (first.body !== "a") first = await world.get();
    const target = world.room().origin.all[0];
    for (let probe = 0; probe < 3; probe++) target?.health.probed("refused", world.nowMs);
    const moved = await Promise.all(Array.from({ length: 8 }, () => world.get(first.cookie)));
    const [other = ""] = moved.map(({ body }) => body);
    expect(["b", "c"]).toContain(other);
    expect(new Set(moved.map(({ body }) => body))).toEqual(new Set([other]));
    world.nowMs += 60_000;
    const written = await world.get(first.cookie);
    expect(written.body).toBe(other);
    for (let probe = 0; probe < 2; probe++) target?.health.probed(undefined, world.nowMs);
    expect((await world.get(first.cookie)).body).toBe("a");
    expect((await world.get(written.cookie)).body).toBe(other);
  });

  test("of a room with one origin have no target in their cookie", async () => {
    const world = new OriginsWorld({ origin: url(named("a")) });
    const { cookie } = await world.get();
    expect(world.opened(cookie)).toMatchObject({ kind: "inside" });
    expect(world.opened(cookie)).not.toHaveProperty("target");
  });

  test("requests without one go by their address, always the same way", async () => {
    const world = new OriginsWorld({ ...shop([url(named("a")), 1], [url(named("b")), 1]), suspended: true });
    const bodies = await Promise.all(Array.from({ length: 10 }, () => world.get()));
    expect(new Set(bodies.map(({ body }) => body)).size).toBe(1);
  });
});

describe("a request without an answer", () => {
  test("is sent again to another target, and the visitor sees nothing of it", async () => {
    const world = new OriginsWorld(shop([nobody(), 1], [url(named("b")), 1]));
    const heard = world.observer();
    expect(await world.newcomers(1)).toEqual({ b: 1 });
    while (world.room().counts.retries === 0) {
      world.nowMs += 1_000;
      expect(await world.newcomers(1)).toEqual({ b: 1 });
    }
    expect(heard.slice(-4)).toEqual(["sent", "failed", "sent", "accepted"]);
  });

  test("is sent again once only, within the budget; then it is the visitor's page, and the stay is kept", async () => {
    const world = new OriginsWorld({ origin: nobody() });
    const heard = world.observer();
    const answers = await Promise.all(Array.from({ length: 40 }, () => world.get()));
    expect(answers.map(({ status }) => status)).toEqual(new Array(40).fill(502));
    const { retries, retriesRefused } = world.room().counts;
    expect(retries + retriesRefused).toBe(40);
    expect(retries).toBeGreaterThanOrEqual(1);
    expect(retries).toBeLessThanOrEqual(4);
    expect(heard.filter((what) => what === "sent")).toHaveLength(40 + retries);
    expect(heard.filter((what) => what === "failed")).toHaveLength(40 + retries);
  });

  test.each([
    ["with a body", "POST / HTTP/1.1\r\nHost: shop.example\r\nContent-Length: 2\r\n"],
    ["that is not idempotent", "POST / HTTP/1.1\r\nHost: shop.example\r\nContent-Length: 0\r\n"],
    ["with a body, though idempotent", "PUT / HTTP/1.1\r\nHost: shop.example\r\nContent-Length: 2\r\n"],
  ])("%s is not sent again", async (_, head) => {
    const world = new OriginsWorld({ origin: nobody() });
    const { cookie } = await world.get();
    world.nowMs += 20_000;
    const before = world.room().counts.retries;
    const peer = await client(world.served.port, `${head}Cookie: ${cookie}\r\nConnection: close\r\n\r\nhi`);
    expect(await peer.done()).toContain("502");
    expect(world.room().counts.retries).toBe(before);
  });

  test("in time is not sent again, unless there was no connection", async () => {
    const { originMs, sweepMs } = DEFAULT_HTTP_LIMITS;
    const silent = origin();
    const world = new OriginsWorld(shop([url(silent), 1], [url(named("b")), 0]));
    const heard = world.observer();
    const got = world.get();
    await (await silent.peer()).heard("\r\n\r\n");
    await world.served.pass(originMs + sweepMs);
    expect((await got).status).toBe(504);
    expect(heard).toEqual(["sent", "failed"]);
  });

  test("whose visitor went away counts as neither answered nor failed", async () => {
    const silent = origin();
    const world = new OriginsWorld({ origin: url(silent) });
    const heard = world.observer();
    const peer = await client(world.served.port, "GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n");
    await (await silent.peer()).heard("\r\n\r\n");
    peer.reset();
    await eventually(() => heard.length === 2);
    expect(heard).toEqual(["sent", "withdrawn"]);
    expect(world.room().origin.all[0]).toMatchObject({ requests: 1, failures: 0 });
  });

  test("five in a row: the target is down, and a page says so; the session is kept", async () => {
    const world = new OriginsWorld({ origin: nobody() });
    const page = "Accept: text/html\r\n";
    const first = await world.get("", page);
    expect(first.body).toContain("The site cannot be reached");
    for (let request = 0; request < 5; request++) await world.get(first.cookie, page);
    expect(world.room().origin.isReachable(world.nowMs)).toBe(false);
    const down = await world.get(first.cookie, page);
    expect(down.status).toBe(502);
    expect(down.body).toContain(
      "The site behind this waiting room does not answer at the moment. You keep your session",
    );
    world.rooms.update("shop", { total_active_users: 1 });
    const waiting = await world.get("", page);
    expect(waiting.body).toContain(
      "The site behind this waiting room does not answer at the moment. You keep your place.",
    );
    world.rooms.update("shop", { json_response_enabled: true });
    const json = await world.get("", "Accept: application/json\r\n");
    expect(JSON.parse(json.body).anteroom.originReachable).toBe(false);
  });
});
