import { beforeEach, describe, expect, test, vi } from "vitest";
import type { Fields } from "../../../node/log.ts";
import { HealthChecks } from "../../../node/rooms/health-checks.ts";
import { httpProbe, type Question, questionFor } from "../../../node/rooms/origin-probe.ts";
import { selfSigned } from "../../self-signed.ts";
import { answering, origin } from "../http/wire.ts";
import { done, RoomShelf, SHOP } from "./room-shelf.ts";

const CHECKED = { ...SHOP, origin: "http://a.example", health_check: { path: "/healthz", interval_seconds: 10 } };

const REFUSED = { kind: "unreachable", detail: "refused" } as const;

let shelf: RoomShelf;
let asked: Question[];
let problem: string | undefined;
let answer: () => Promise<string | undefined>;
let logged: string[];
let checks: HealthChecks;

beforeEach(() => {
  shelf = new RoomShelf();
  asked = [];
  problem = undefined;
  answer = async () => problem;
  logged = [];
  const note = (fields: Fields, message: string) =>
    void logged.push(`${message} ${fields.origin} ${fields.reason ?? ""}`.trim());
  checks = new HealthChecks({
    rooms: () => shelf.rooms.all(),
    probe: (question) => {
      asked.push(question);
      return answer();
    },
    random: () => 0,
    clock: () => shelf.nowMs,
    log: { error: note, warn: note, info: note, debug: note },
  });
});

/** Looks once a second for so many seconds. */
async function seconds(count: number): Promise<void> {
  for (let second = 0; second < count; second++) {
    checks.tick();
    await Promise.resolve();
    await Promise.resolve();
    shelf.nowMs += 1_000;
  }
}

test("rooms that would ask an origin the same share the answer, and so learn when it is up again", async () => {
  const live = Array.from({ length: 20 }, (_, index) =>
    done(shelf.rooms.create({ ...SHOP, name: `shop-${index}`, path: `/${index}`, origin: "http://a.example" })),
  );
  problem = "the connection is refused";
  await seconds(20);
  expect(asked.length).toBeLessThanOrEqual(11);
  expect(live.filter(({ origin }) => origin.isReachable(shelf.nowMs))).toEqual([]);
  problem = undefined;
  await seconds(5);
  expect(live.filter(({ origin }) => !origin.isReachable(shelf.nowMs))).toEqual([]);
});

describe("a room with a health check", () => {
  test("has its target asked each interval, by path, with the room's host", async () => {
    done(shelf.rooms.create(CHECKED));
    await seconds(31);
    expect(asked).toHaveLength(4);
    expect(asked[0]).toEqual({ url: "http://a.example", path: "/healthz", host: "shop.example", timeoutMs: 5_000 });
  });

  test("has it for down after three bad answers and for up after two good ones, asked every 2 s then", async () => {
    const live = done(shelf.rooms.create(CHECKED));
    await seconds(1);
    problem = "it answered /healthz with 503";
    await seconds(29);
    expect(live.origin.isReachable(shelf.nowMs)).toBe(true);
    await seconds(1);
    expect(live.origin.isReachable(shelf.nowMs)).toBe(false);
    expect(logged).toEqual(["origin is down http://a.example it answered /healthz with 503"]);
    problem = undefined;
    const before = asked.length;
    await seconds(12);
    expect(live.origin.isReachable(shelf.nowMs)).toBe(true);
    expect(asked.length - before).toBeLessThanOrEqual(3);
    expect(logged).toHaveLength(2);
    expect(logged[1]).toBe("origin is up again http://a.example");
  });

  test("has no second question open while the first one is", async () => {
    done(shelf.rooms.create(CHECKED));
    answer = () => new Promise(() => undefined);
    await seconds(60);
    expect(asked).toHaveLength(1);
  });
});

describe("a room without one", () => {
  test("is asked at the start until it answers, and is down where it does not", async () => {
    const live = done(shelf.rooms.create({ ...SHOP, host: "*", origin: "http://a.example" }));
    problem = "the connection is refused";
    await seconds(8);
    expect(live.origin.isReachable(shelf.nowMs)).toBe(false);
    expect(logged).toEqual(["origin is down http://a.example the connection is refused"]);
    problem = undefined;
    await seconds(8);
    expect(live.origin.isReachable(shelf.nowMs)).toBe(true);
  });

  test("is asked once while it is up; down by its visitors' requests, it is asked for any answer at all", async () => {
    const live = done(shelf.rooms.create({ ...SHOP, host: "*", origin: "http://a.example" }));
    await seconds(30);
    expect(asked).toHaveLength(1);
    asked.length = 0;
    for (let request = 0; request < 5; request++) live.origin.all[0]?.failed(REFUSED, shelf.nowMs);
    problem = "refused";
    await seconds(4);
    expect(asked).toHaveLength(2);
    expect(asked[0]).toEqual({ url: "http://a.example", path: undefined, host: undefined, timeoutMs: 5_000 });
    expect(logged).toEqual(["origin is down http://a.example refused"]);
    problem = undefined;
    await seconds(4);
    expect(live.origin.isReachable(shelf.nowMs)).toBe(true);
    const before = asked.length;
    await seconds(30);
    expect(asked.length).toBe(before);
  });
});

test("the room's observer learns at each check whether any target is up", async () => {
  const live = done(shelf.rooms.create(CHECKED));
  const heard: boolean[] = [];
  const observer = {
    sent() {},
    answered() {},
    failed() {},
    reachable: (isReachable: boolean) => void heard.push(isReachable),
  };
  Object.assign(live, { observer });
  problem = "refused";
  await seconds(22);
  expect(heard).toHaveLength(22);
  expect([heard[0], heard.at(-1)]).toEqual([true, false]);
});

describe("a question over HTTP", () => {
  const ASK = { path: "/healthz", host: "shop.example", timeoutMs: 600_000 };
  const stop = new AbortController().signal;
  const probe = httpProbe({ originTls: () => undefined, originSecret: "between us", loopName: "here", stop });

  test.each([
    ["200 OK", "/healthz", undefined],
    ["404 Not Found", "/healthz", undefined],
    ["302 Found\r\nLocation: http://127.0.0.1:1/", "/healthz", undefined],
    ["503 Busy", "/healthz", "it answered /healthz with 503"],
    ["503 Busy", undefined, undefined],
  ])("that is answered by %s, asking for %s: %s", async (status, path, wrong) => {
    const behind = answering(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`);
    expect(await probe({ ...ASK, path, url: `http://127.0.0.1:${behind.port}/base/` })).toBe(wrong);
    const { text } = await behind.peer();
    expect(text).toMatch(path === undefined ? /^HEAD \/base\/ HTTP/ : /^GET \/base\/healthz HTTP/);
    expect(text).toMatch(/\r\nhost: shop\.example\r\n/i);
    expect(text).toMatch(/\r\nanteroom-origin-secret: between us\r\n/i);
  });

  test("has no secret for an origin that somebody named who sees some rooms only", async () => {
    const fetched = vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response());
    const secretFor = async (isOutside: boolean) => {
      await probe({ ...ASK, url: "http://192.0.2.1", isOutside });
      return new Headers(fetched.mock.lastCall?.[1]?.headers).get("Anteroom-Origin-Secret");
    };
    expect([await secretFor(false), await secretFor(true)]).toEqual(["between us", null]);
    fetched.mockRestore();
  });

  test("that nobody answers says why", async () => {
    const { port } = origin();
    expect(await probe({ ...ASK, timeoutMs: 50, url: `http://127.0.0.1:${port}` })).toBe("no answer within 0.05 s");
    // A port that the system gives to nobody.
    expect(await probe({ ...ASK, url: "http://127.0.0.1:1" })).toBe("the connection is refused");
  });
});

test("a probe asks an origin by its own name, also in TLS", async () => {
  const tls = selfSigned("shop.hosted.example");
  const behind = origin((peer) => peer.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), tls);
  const live = done(shelf.rooms.create({ ...SHOP, host: "*", origin_host: "shop.hosted.example" }));
  const probe = httpProbe({
    originTls: () => ({ ca: tls.cert }),
    originSecret: undefined,
    loopName: "here",
    stop: new AbortController().signal,
  });
  const url = `https://127.0.0.1:${behind.port}`;
  const question = questionFor(live.room, url, { timeoutMs: 5_000 });
  expect(await probe(question)).toBeUndefined();
  expect((await behind.peer()).text).toContain("Host: shop.hosted.example\r\n");
  expect(await probe({ ...question, host: "other.example", serverName: "other.example" })).toBeDefined();
});
